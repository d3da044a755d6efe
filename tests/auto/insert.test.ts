// Values of a batch stay in the bytes of the body where possible. Both ways of binding give the
// same result.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UNRESTRICTED } from '../../src/auto/plan/access.ts';
import { fromJson } from '../../src/auto/plan/values.ts';
import { type Batch, planRows, readBatch } from '../../src/auto/rows/insert-body.ts';
import { clickhouseDialect } from '../../src/engines/clickhouse/dialect/dialect.ts';
import type { ClickhouseStatement } from '../../src/engines/clickhouse/statement.ts';
import { mysqlDialect } from '../../src/engines/mysql/dialect/dialect.ts';
import { ParameterWriter } from '../../src/engines/mysql/protocol/parameters.ts';
import { postgresDialect } from '../../src/engines/postgres/dialect/dialect.ts';
import { binaryArray } from '../../src/engines/postgres/types/array-binary.ts';
import { type Column, type Kind, makeTable } from '../../src/model/table.ts';
import { paramType } from '../../src/sql/compile/compile.ts';
import type { Dialect } from '../../src/sql/dialect.ts';
import { RowValues } from '../../src/sql/rows.ts';
import { bytesOf } from '../../src/util/bytes/buffer-pool.ts';
import { parseRows } from '../../src/util/json/json.ts';

type Writer = ParameterWriter;

const column = (name: string, kind: Kind, type: string, facts: Partial<Column> = {}): Column => ({
  name,
  type,
  kind,
  cast: type,
  nullable: true,
  primaryKey: false,
  default: null,
  required: false,
  readOnly: false,
  sortable: true,
  ...facts,
});

const COLUMNS: readonly Column[] = [
  column('t', 'text', 'Nullable(String)', { maxLength: 12 }),
  column('long', 'text', 'Nullable(String)'),
  column('i', 'int', 'Nullable(Int64)', { min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  column('small', 'int', 'Nullable(Int8)', { min: -128n, max: 127n }),
  column('m', 'timestamp', 'Nullable(DateTime)'),
  column('z', 'timestamptz', "Nullable(DateTime64(3, 'UTC'))", { fraction: 3 }),
];
const table = makeTable({ schema: 's', name: 't', kind: 'table', storage: '', transactional: true, columns: COLUMNS, key: [] });

const moment = fc
  .tuple(
    fc.date({ min: new Date('1970-01-02T00:00:00Z'), max: new Date('2100-01-01T00:00:00Z'), noInvalidDate: true }),
    fc.nat(3),
    fc.constantFrom('Z', 'Z', '', 'z', '+02:00', ' '),
  )
  .map(([date, digits, zone]) => `${date.toISOString().slice(0, digits === 0 ? 19 : 20 + digits)}${zone}`);
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 14 }),
  fc.string({ unit: 'binary', maxLength: 14 }),
  fc.constantFrom('', '"', '\\', 'a"b', 'NULL', 'line\nbreak', '💧', 'ééééééééééé', 'x'.repeat(200)),
  moment,
);
const number = fc.oneof(
  fc.integer().map(String),
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String),
  fc.constantFrom('0', '-0', '7', '127', '128', '1.5', '1e3', '123456789', '1234567890'),
);
const cell = fc.oneof(
  text.map((value) => JSON.stringify(value)),
  text.map((value) => `"${[...value].map((c) => (c.length === 1 ? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}` : c)).join('')}"`),
  moment.map((value) => JSON.stringify(value)),
  number,
  number.map((value) => JSON.stringify(value)),
  fc.constantFrom('null', 'true', '[1]'),
);
const row = fc.record(Object.fromEntries(COLUMNS.map(({ name }) => [name, cell])), { requiredKeys: [] });

const spelled = (rows: readonly Record<string, string | undefined>[]): Buffer =>
  Buffer.from(`[${rows.map((given) => `{${Object.entries(given).map(([key, value]) => `"${key}": ${value}`)}}`).join(' , ')}]`);

/** Result or error of the full check. */
function looked(body: Buffer): unknown {
  const rows: unknown[] = [];
  try {
    parseRows(body, { maxDepth: 64 }, (_, keys, found) => {
      rows.push(keys.map((key, i) => [key, fromJson(table.byName.get(key) as Column, found.cell(i))]));
    });
  } catch (error) {
    return (error as Error).message;
  }
  return rows;
}

/** Result for a small body, which is read at once. */
function batchOf(body: Buffer): Batch {
  const batch = readBatch(body, table, 'owner');
  if (batch instanceof Promise) throw new Error('the body is large');
  return batch;
}

function glanced(body: Buffer): unknown {
  const rows: unknown[] = [];
  for (const { columns, rows: values, places } of batchOf(body).groups) {
    places.forEach((place, i) => {
      rows[place] = columns.map(({ name }, k) => [name, values.row(i)[k]]);
    });
  }
  return rows;
}

test('the quick check binds the same value as the full check', () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), (rows) => {
      const body = spelled(rows);
      const expected = looked(body);
      if (typeof expected === 'string') expect(() => glanced(body)).toThrow(expected);
      else expect(glanced(body)).toEqual(expected);
    }),
    { numRuns: 3000 },
  );
});

describe('a range of the body is sent like a separate value', () => {
  const value: Readonly<Record<string, fc.Arbitrary<string>>> = {
    t: fc.string({ unit: 'grapheme-ascii', maxLength: 12 }).map((given) => JSON.stringify(given)),
    long: text.map((given) => JSON.stringify(given)),
    i: fc.integer().map(String),
    small: fc.integer({ min: -128, max: 127 }).map(String),
    m: moment.filter((text) => /[Z9]$/.test(text)).map((text) => JSON.stringify(text)),
    z: moment.filter((text) => /[Z9]$/.test(text)).map((text) => JSON.stringify(text)),
  };
  const rows = fc.array(fc.record(value), { minLength: 2, maxLength: 6 });
  const dialects: readonly (readonly [string, Dialect])[] = [
    ['PostgreSQL', postgresDialect],
    ['MySQL', mysqlDialect],
    ['ClickHouse', clickhouseDialect],
  ];

  const bothWays = (given: readonly Record<string, string>[]): readonly [RowValues, RowValues] => {
    const [plan] = planRows(batchOf(spelled(given)), { table, upsert: undefined, access: UNRESTRICTED }, true);
    const ranges = plan?.rows as RowValues;
    const values = given.map((_, i) => ranges.row(i));
    return [ranges, RowValues.of(COLUMNS.length, values)];
  };

  test('to MySQL, as parameters', () => {
    fc.assert(
      fc.property(rows, (given) => {
        const [ranges, apart] = bothWays(given);
        const types = given.flatMap(() => COLUMNS.map(paramType));
        const [one, other, flat] = [0, 1, 2].map(() => new ParameterWriter(Buffer.alloc(8), 0)) as [Writer, Writer, Writer];
        one.rows(types, ranges);
        other.rows(types, apart);
        flat.parameters(
          types,
          given.flatMap((_, i) => ranges.row(i)),
        );
        expect(one.take()).toEqual(flat.take());
        expect(other.take()).toEqual(flat.take());
      }),
      { numRuns: 500 },
    );
  });

  test('to PostgreSQL, in binary', () => {
    const pairs = fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.nat(63)));
    fc.assert(
      fc.property(pairs, (given) => {
        const values = given.map(([word, n, shift]) => [word, String(n >> BigInt(shift))]);
        const ranges = new RowValues(2, Buffer.from(values.flat().join('')));
        let at = 0;
        for (const row of values) {
          for (const value of row) ranges.addRange(at, (at += Buffer.byteLength(value)));
          ranges.count++;
        }
        const apart = RowValues.of(2, values);
        for (const [column, cast] of ['"pg_catalog"."text"', '"pg_catalog"."int8"'].entries()) {
          const sent = binaryArray(ranges, column, cast);
          expect(sent).toBeDefined();
          expect(sent).toEqual(binaryArray(apart, column, cast));
        }
      }),
    );
  });

  test.each(dialects)('to %s', (_, dialect) => {
    const sent = (given: RowValues) => {
      // A separate column list, because MySQL reuses statements by list and row count.
      const plan = { table, columns: [...COLUMNS], rows: given, upsert: undefined };
      return dialect.insert(plan).map(({ statement, params }) => ({
        text: statement.text,
        params: params.map((param) => (typeof param === 'string' || param === null ? param : Buffer.from(bytesOf(param)).toString())),
        block: (statement as ClickhouseStatement).block,
      }));
    };
    fc.assert(
      fc.property(rows, (given) => {
        const [ranges, apart] = bothWays(given);
        expect(sent(ranges)).toEqual(sent(apart));
      }),
      { numRuns: 500 },
    );
  });
});
