// Management of Lark modules without HTTP, and hostile YAML.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { definitionsLoading } from '../../src/custom/manage/modules.ts';
import { apiError } from '../../src/errors.ts';
import { deleteModule, getModule, listModules, putModule } from '../../src/manage/lark-modules.ts';
import { newUlid } from '../../src/model/ulid.ts';
import type { Store } from '../../src/store/store.ts';
import { parseYaml, YamlError, yamlValue } from '../../src/util/text/yaml.ts';
import { aTenant, makePlace, type Place } from '../store/stores.ts';
import { cpuMs } from '../support/cpu.ts';
import { aCaller, bodyOf, refusal } from './support.ts';

describe('Lark modules', () => {
  let place: Place;
  let store: Store;
  let caller: ReturnType<typeof aCaller<{ orgId: string; projectId: string; spaceId: string }>>;
  let ids = '';
  beforeAll(async () => {
    place = await makePlace('embedded');
    store = await place.open();
    caller = aCaller(await aTenant(store));
    ids = `org_id: ${caller.orgId}\nproject_id: ${caller.projectId}\nspace_id: ${caller.spaceId}\nuser_id: ${caller.userId}\n`;
  });
  afterAll(async () => {
    await store.close();
    await place.remove();
  });

  const compiled: string[] = [];
  const compile: Parameters<typeof putModule>[3] = ({ module, code }, others) => {
    if (code.includes('syntax error')) throw apiError('module_code', 'line 1, column 8: got newline');
    compiled.push(`${module} beside ${[...others.keys()].join(' ')}`);
  };
  const put = (text: string, by = caller) => putModule(store, by, text, compile, async () => []);
  const code = 'def double(x):\n    return x * 2\n';
  const block = 'code: |\n  def double(x):\n      return x * 2\n';

  test('are stored from every documented form, returned, listed and deleted', async () => {
    const forms = [
      `${ids}module: one\n${block}`,
      `${ids}---\nmodule: two\n${block}`,
      `${ids}\nmodule: three\n${block}`,
      `---\n${ids}---\nmodule: four\n${block}...\n`,
    ];
    for (const form of forms)
      expect(await put(form)).toMatchObject({ status: 201, body: { code: 201, status: 'Created', message: expect.any(String) } });
    expect(compiled.at(-1)).toBe('four beside one three two');
    const known = {
      org_id: caller.orgId,
      project_id: caller.projectId,
      space_id: caller.spaceId,
      user_id: caller.userId,
      updated_at: expect.any(String),
    };
    expect((await listModules(store, caller)).body).toEqual(['four', 'one', 'three', 'two'].map((module) => ({ module, ...known })));
    expect(await bodyOf(getModule(store, caller, 'two'))).toEqual({ module: 'two', code, ...known });
    await put(`${ids}module: two\ncode: x = 1\n`);
    expect(await bodyOf(getModule(store, caller, 'two'))).toMatchObject({ code: 'x = 1' });
    expect(await deleteModule(store, caller, 'two', definitionsLoading, 'always')).toMatchObject({
      status: 200,
      body: { code: 200, status: 'OK' },
    });
    expect(await refusal(deleteModule(store, caller, 'two', definitionsLoading, 'always'))).toMatch(/^404/);
    expect(await refusal(getModule(store, caller, 'two'))).toMatch(/^404/);
    expect(await refusal(getModule(store, caller, undefined))).toMatch(/^400/);
    expect(await refusal(deleteModule(store, caller, undefined, definitionsLoading, 'always'))).toMatch(/^400/);
  });

  test('are rejected if malformed, not allowed or not compilable', async () => {
    const refused: readonly (readonly [string, RegExp])[] = [
      ['', /^400/],
      ['[1, 2]', /^400/],
      ['a: [', /^400 The body is not valid YAML: line 1, column/],
      [ids, /^400 The module is not valid: module is missing; code is missing\./],
      [
        `module: m\n${block}`,
        /^400 The module is not valid: org_id is missing; project_id is missing; space_id is missing; user_id is missing\./,
      ],
      [`${ids}module: m\ncode: ''\n`, /^400/],
      [`${ids}module: m\ncode: [a]\n`, /^400 .*code must be a string/],
      [`${ids}module: m\nmodule: n\n${block}`, /^400 .*unique/],
      [`${ids}---\nmodule: m\n---\n${block}`, /^400/],
      [`${ids}---\n${ids}`, /^400 .*occurs twice/],
      [`${ids}module: !!js/function m\n${block}`, /^400 .*tags/],
      [`${ids}module: "a b"\n${block}`, /^422/],
      [`${ids}module: m\ncode: syntax error\n`, /^422 .*line 1, column 8/],
      [`${ids}module: m\ncode: "a\\0b"\n`, /^422/],
      [`${ids}module: m\ncode: "${'x'.repeat(1024 * 1024)}"\n`, /^413/],
    ];
    const before = (await listModules(store, caller)).body;
    for (const [text, expected] of refused) expect(await refusal(put(text)), text.slice(0, 200)).toMatch(expected);
    expect((await listModules(store, caller)).body).toEqual(before);
  });

  test('require the role admin or power and the identifiers of the caller', async () => {
    const text = `${ids}module: m\n${block}`;
    const viewer = { ...caller, roles: new Set(['viewer']) };
    expect(await refusal(put(text, viewer))).toMatch(/^403/);
    expect(await refusal(deleteModule(store, viewer, 'one', definitionsLoading, 'always'))).toMatch(/^403/);
    expect((await put(text, { ...caller, roles: new Set(['power']) })).status).toBe(201);
    for (const field of ['org_id', 'project_id', 'space_id', 'user_id']) {
      const foreign = text.replace(new RegExp(`${field}: \\w+`), `${field}: ${newUlid()}`);
      expect(await refusal(put(foreign))).toMatch(new RegExp(`^403 The ${field}`));
    }
    expect((await put(text.toLowerCase())).status).toBe(201);
    const elsewhere = aCaller(await aTenant(store));
    expect(await refusal(getModule(store, elsewhere, 'm'))).toMatch(/^404/);
  });
});

describe('YAML of clients', () => {
  test('keeps the source text of every scalar', () => {
    const read = (text: string) => parseYaml(text).documents.map(yamlValue);
    expect(read('a: 1.10\nb: 01234567890123456789012345\nc: ~\nd: yes\ne:\n')).toEqual([
      new Map([
        ['a', '1.10'],
        ['b', '01234567890123456789012345'],
        ['c', '~'],
        ['d', 'yes'],
        ['e', ''],
      ]),
    ]);
    expect(read('a: &x [1]\nb: *x\n')).toEqual([
      new Map([
        ['a', ['1']],
        ['b', ['1']],
      ]),
    ]);
  });

  const bombs: Readonly<Record<string, string>> = {
    'open brackets': '['.repeat(100_000),
    brackets: '['.repeat(5_000) + ']'.repeat(5_000),
    braces: '{a: '.repeat(20_000),
    dashes: `${'- '.repeat(20_000)}x`,
    'question marks': `${'? '.repeat(5_000)}x`,
    indents: Array.from({ length: 1_000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
    laughs: `a: &a [x]\n${Array.from({ length: 9 }, (_, i) => `${'bcdefghij'[i]}: &${'bcdefghij'[i]} [${Array(9).fill(`*${'abcdefghi'[i]}`).join(', ')}]`).join('\n')}`,
    'a key that is a list': '? [a]\n: b',
    'an alias to nothing': 'a: *nothing',
    'an alias to itself': 'a: &a [*a]',
    tag: 'a: !!binary aGVsbG8=',
    'custom tag': '!x a',
    nul: 'a: \0',
  };

  test.each(Object.keys(bombs))('fails fast: %s', (name) => {
    const took = cpuMs(() => expect(() => parseYaml(bombs[name] ?? '').documents.map(yamlValue)).toThrow(YamlError));
    expect(took).toBeLessThan(3_000);
  });
});
