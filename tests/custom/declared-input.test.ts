// Declared input, compared with a naive implementation of the rules.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readInteger } from '../../src/custom/inputs/checks.ts';
import type { Declaration } from '../../src/custom/inputs/declaration.ts';
import { DeclaredInput } from '../../src/custom/inputs/declared-input.ts';
import { ApiError } from '../../src/errors.ts';
import type { PlainMap, PlainValue } from '../../src/util/text/decimal.ts';

const field = (declaration: Pick<Declaration, 'type'> & Partial<Declaration>): Declaration =>
  ({ required: false, nullable: false, ...declaration }) as Declaration;
const declared = new Map([
  ['id', field({ type: 'integer', required: true })],
  ['name', field({ type: 'string', nullable: true })],
  ['size', field({ type: 'integer', default: 10 })],
]);
const input = new DeclaredInput(declared);

const names = fc.constantFrom('id', 'name', 'size', 'version', 'other', 'more');
const texts = fc.dictionary(names, fc.constantFrom('1', '2', '12')).map((fields): PlainMap => new Map(Object.entries(fields)));
const paths = fc
  .dictionary(fc.constantFrom('id', 'other'), fc.constantFrom('1', '2'))
  .map((fields): PlainMap => new Map(Object.entries(fields)));

interface Sent {
  readonly query: PlainMap;
  readonly path: PlainMap | undefined;
  readonly body: PlainMap | undefined;
}

/** The fields of the input, or of the problems. */
function expected({ query, path, body }: Sent): { readonly fields: PlainMap } | { readonly wrong: ReadonlySet<string> } {
  const wrong = new Set<string>();
  const fields: PlainMap = new Map();
  for (const [name, { type, required, default: usual = null }] of declared) {
    const others = body?.get(name) ?? query.get(name);
    const text = path?.get(name) ?? others;
    if (path?.has(name) === true && others !== undefined && others !== text) wrong.add(name);
    if (text === undefined && required) wrong.add(name);
    fields.set(name, text === undefined ? usual : type === 'integer' ? Number(text) : text);
  }
  for (const [values, isQuery] of [[query, true] as const, [body ?? new Map(), false] as const])
    for (const [name, value] of values) {
      if (declared.has(name)) continue;
      if (path?.has(name) === true) {
        if (path.get(name) !== value) wrong.add(name);
      } else if (isQuery && name === 'version') fields.set(name, value);
      else wrong.add(name);
    }
  for (const [name, value] of path ?? []) if (!declared.has(name)) fields.set(name, value);
  return wrong.size > 0 ? { wrong } : { fields };
}

function checked(sent: Sent): ReturnType<typeof expected> {
  try {
    return { fields: input.check({ ...sent, bodyOrigin: 'text' }) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { wrong: new Set(error.body().errors?.map((problem) => problem.field)) };
  }
}

const copy = (values: PlainMap | undefined): PlainMap | undefined => (values === undefined ? undefined : new Map(values));

test('every combination of query, path and body yields the same result as the naive implementation', () => {
  fc.assert(
    fc.property(texts, fc.option(paths, { nil: undefined }), fc.option(texts, { nil: undefined }), (query, path, body) => {
      // Beside a body, the parameter version is not an input.
      if (body !== undefined) query.delete('version');
      const rule = expected({ query, path, body });
      expect(checked({ query: new Map(query), path: copy(path), body: copy(body) })).toEqual(rule);
    }),
    { numRuns: 3000 },
  );
});

test('sent fields keep their order and precede defaults', () => {
  const query: PlainMap = new Map([
    ['size', '3'],
    ['id', '1'],
  ]);
  const found = input.check({ query, path: undefined, body: undefined, bodyOrigin: 'text' });
  expect([...found]).toEqual([
    ['size', 3],
    ['id', 1],
    ['name', null],
  ]);
});

const numbers = fc.oneof(fc.bigInt().map(String), fc.stringMatching(/^-?0{0,3}\d{0,20}$/), fc.string({ maxLength: 4 }));

test('integers are read exactly', () => {
  fc.assert(
    fc.property(numbers, (text) => {
      const value: PlainValue | undefined = readInteger(text, 'text');
      if (/^-?\d+$/.test(text)) expect(BigInt(value as number | bigint)).toBe(BigInt(text));
      else expect(value).toBeUndefined();
    }),
    { numRuns: 3000 },
  );
});
