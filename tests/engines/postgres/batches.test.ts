// Batches travel as arrays, in binary where possible, and single rows as text. Both store the same
// values.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TableClient } from '../../spec/users-table.ts';
import { createDatabase, type TestDatabase } from '../../support/engines.ts';
import { type Service, setUpProject, sharedService } from '../../support/service.ts';

let service: Service;
let database: TestDatabase;
let single: TableClient;
let many: TableClient;

const COLUMNS = `n int, t text, v varchar(20), c char(5), i2 int2, i4 int4, i8 int8, ts timestamp, tsz timestamptz, ts3 timestamp(3), b bytea,
  d positive, e mood, f float8, list int[]`;

beforeAll(async () => {
  database = await createDatabase('postgres');
  await database.run(`
    CREATE DOMAIN positive AS int CHECK (VALUE > 0);
    CREATE TYPE mood AS ENUM ('sad', 'glad');
    CREATE TABLE single (${COLUMNS});
    CREATE TABLE many (${COLUMNS});
    CREATE TABLE keyed (id int PRIMARY KEY, word varchar(10), at timestamptz)`);
  service = await sharedService();
  const project = await setUpProject(service, [database.entry()]);
  single = new TableClient(service, project, database, 'single');
  many = new TableClient(service, project, database, 'many');
});
afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

const year = fc.oneof(
  fc.integer({ min: 1980, max: 2040 }),
  fc.integer({ min: 1, max: 9999 }),
  fc.constantFrom(1684, 1685, 2285, 2286, 12345),
);
const moment = fc
  .tuple(
    year,
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 31 }),
    fc.nat(86_399),
    fc.nat(999_999),
    fc.nat(6),
    fc.constantFrom('Z', 'Z', '', '+05:30'),
  )
  .map(([y, month, day, second, fraction, digits, zone]) => {
    const two = (value: number): string => String(value).padStart(2, '0');
    const leap = (y % 4 === 0 && y % 100 !== 0) || y % 400 === 0;
    const last = month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
    const date = `${String(y).padStart(4, '0')}-${two(month)}-${two(Math.min(day, last))}`;
    const clock = [Math.floor(second / 3600), Math.floor(second / 60) % 60, second % 60].map(two).join(':');
    return { date, clock, fraction: String(fraction).padStart(6, '0').slice(0, digits), zone };
  });
type Moments = 'plain' | 'any';

/**
 * `plain`: in the usual notation. A value in another notation makes its whole column travel as
 * text.
 */
const spelled = (digits: number, kind: Moments) => {
  const usual = moment.map(({ date, clock, fraction, zone }) => {
    const tail = fraction === '' || digits === 0 ? '' : `.${fraction.slice(0, digits)}`;
    return `${date}T${clock}${tail}${kind === 'plain' ? 'Z' : zone}`;
  });
  return kind === 'plain' ? usual : fc.oneof(usual, fc.constantFrom('infinity', '-infinity', '2024-01-01', '0044-03-15T00:00:00 BC'));
};
const text = (most: number) =>
  fc
    .oneof(fc.string({ unit: 'grapheme', maxLength: most }), fc.constantFrom('', 'NULL', '{}', '"', '\\', 'a,b', '💧'.repeat(2)))
    .map((given) => {
      const kept = Array.from(given.replaceAll('\0', '')).slice(0, most).join('');
      return kept.toWellFormed();
    });
/** All lengths are equally likely, which is not so for random bits. */
const whole = (bits: number) => {
  const [min, max] = [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n];
  const ofLength = fc.tuple(fc.bigInt({ min: 0n, max }), fc.nat(bits - 1), fc.boolean());
  return fc.oneof(
    ofLength.map(([value, shift, isNegative]) => (isNegative ? -1n : 1n) * (value >> BigInt(shift))),
    fc.constantFrom(min, max, 0n, -1n),
  );
};
/** Prints numbers exactly: JavaScript's own notation would round them. */
const spelledNumber = (value: bigint | number): string => String(value);
const spelledText = (value: string): string => JSON.stringify(value);

const orNull = (cell: fc.Arbitrary<string>) => fc.oneof({ weight: 9, arbitrary: cell }, { weight: 1, arbitrary: fc.constant('null') });
const rowWith = (kind: Moments) =>
  fc.record({
    t: orNull(text(30).map(spelledText)),
    v: orNull(text(20).map(spelledText)),
    c: orNull(text(5).map(spelledText)),
    i2: orNull(whole(16).map(spelledNumber)),
    i4: orNull(whole(32).map(spelledNumber)),
    i8: orNull(
      fc.oneof(
        whole(64).map(spelledNumber),
        whole(64).map((value) => spelledText(String(value))),
      ),
    ),
    ts: orNull(spelled(6, kind).map(spelledText)),
    tsz: orNull(spelled(6, kind).map(spelledText)),
    ts3: orNull(spelled(3, kind).map(spelledText)),
    b: orNull(fc.uint8Array({ maxLength: 40 }).map((bytes) => spelledText(Buffer.from(bytes).toString('base64')))),
    d: orNull(fc.integer({ min: 1, max: 99 }).map(spelledNumber)),
    e: orNull(fc.constantFrom('"sad"', '"glad"')),
    f: orNull(fc.double({ noNaN: true, noDefaultInfinity: true }).map(spelledNumber)),
  });

const body = (rows: readonly Record<string, string>[]): string =>
  `[${rows
    .map(
      (one, n) =>
        `{"n":${n},${Object.entries(one)
          .map(([key, value]) => `"${key}":${value}`)
          .join(',')}}`,
    )
    .join(',')}]`;

const JSON_BODY = { headers: { 'content-type': 'application/json' } };

/** Returns the stored values in the server's notation. */
async function stored(table: string): Promise<unknown> {
  const found = await database.run(`SELECT row_to_json(x)::text AS row FROM ${table} AS x ORDER BY n`);
  await database.run(`TRUNCATE ${table}`);
  return found;
}

async function insertBothWays(rows: readonly Record<string, string>[]): Promise<void> {
  const batch = await many.send('POST', '', { ...JSON_BODY, body: body(rows) });
  expect([batch.status, batch.text]).toEqual([201, expect.anything()]);
  for (const [n, one] of rows.entries()) {
    const alone = body([one]).replace('"n":0', `"n":${n}`);
    expect((await single.send('POST', '', { ...JSON_BODY, body: alone })).status).toBe(201);
  }
  expect(await stored('many')).toEqual(await stored('single'));
}

describe('many rows are stored as each of them alone', () => {
  test.each(['plain', 'any'] as const)('with every type that is sent in binary and with other types; timestamps: %s', async (kind) => {
    await fc.assert(fc.asyncProperty(fc.array(rowWith(kind), { minLength: 2, maxLength: 12 }), insertBothWays), { numRuns: 60 });
  });

  test('with columns that need more than a cast', async () => {
    const lists = fc.array(fc.integer(), { maxLength: 3 }).map((list) => JSON.stringify(list));
    const listed = fc.record({
      list: orNull(lists),
      t: orNull(text(10).map(spelledText)),
      tsz: orNull(spelled(6, 'plain').map(spelledText)),
    });
    await fc.assert(fc.asyncProperty(fc.array(listed, { minLength: 2, maxLength: 8 }), insertBothWays), { numRuns: 15 });
  });
});

test('a binary batch rejects and locates a value that does not fit', async () => {
  const keyed = new TableClient(service, await setUpProject(service, [database.entry()]), database, 'keyed');
  const rows = (...words: string[]) => words.map((word, id) => ({ id, word, at: '2024-05-06T07:08:09Z' }));
  expect((await keyed.post(rows('a', 'b', 'c'))).status).toBe(201);
  const again = await keyed.post([{ id: 7, word: 'new', at: null }, ...rows('x')]);
  expect([again.status, again.text]).toEqual([409, expect.stringMatching(/Row 1,/)]);
  expect(
    (
      await keyed.post([
        { id: 8, word: 'x'.repeat(11) },
        { id: 9, word: 'y' },
      ])
    ).status,
  ).toBe(422);
  expect((await keyed.post(rows('A', 'B', 'C', 'D'), '$upsert=true')).status).toBe(201);
  expect((await keyed.rows<{ word: string }>()).map(({ word }) => word)).toEqual(['A', 'B', 'C', 'D']);
});
