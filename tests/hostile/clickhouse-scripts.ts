// Statements that our driver runs against a ClickHouse server, over either protocol, and the tables
// for them.

import type { ClickhouseStatement } from '../../src/engines/clickhouse/statement.ts';
import { encodeBlock } from '../../src/engines/clickhouse/types/block.ts';
import { RowValues } from '../../src/sql/rows.ts';
import type { ParamType, Statement } from '../../src/sql/statement.ts';
import type { Script, Step } from './frame/protocol.ts';

const TEXT: ParamType = { kind: 'text', cast: 'String' };

const run = (text: string, ...params: string[]): Step => ({ do: 'run', statement: { text, types: params.map(() => TEXT) }, params });
const fail = (text: string): Step => ({ do: 'fail', statement: { text, types: [] }, params: [] });

const COLUMNS = [
  { name: 'id', type: 'Int32' },
  { name: 'word', type: 'String' },
];
const ROWS = RowValues.of(2, [
  ['7', 'seven'],
  ['8', 'eight'],
]);

const INSERT: ClickhouseStatement = {
  text: 'INSERT INTO scratch (id, word) FORMAT Native',
  types: [],
  // Running a statement consumes its block, so every run needs a new one.
  get block() {
    return encodeBlock(COLUMNS, ROWS);
  },
};

const KNOWN: Statement = {
  text: 'SELECT id, word FROM many',
  types: [],
  columns: [
    { name: 'id', kind: 'int' },
    { name: 'word', kind: 'text' },
  ],
};

export const SCRIPTS: readonly Script[] = [
  { name: 'all types', steps: [run('SELECT * FROM every ORDER BY id'), run('SELECT num, doc FROM every WHERE word = {p1:String}', '')] },
  { name: 'many rows', steps: [{ do: 'run', statement: KNOWN, params: [] }, run('SELECT 1 WHERE 0')] },
  { name: 'large rows', steps: [run("SELECT id, repeat('y', 90000) AS y FROM every")] },
  { name: 'refusals', steps: [fail('SELECT nothing FROM every'), fail('SELEC 1'), run('SELECT 1'), fail("SELECT throwIf(1, 'no')")] },
  { name: 'small results', steps: [run('SHOW TABLES'), run('SHOW CREATE TABLE every'), run('EXPLAIN SELECT 1')] },
  {
    name: 'insert',
    steps: [{ do: 'run', statement: INSERT, params: [] }, run('SELECT count() FROM scratch')],
  },
  { name: 'catalogue', steps: [{ do: 'describe', table: 'every' }] },
];

export const SET_UP: readonly string[] = [
  `CREATE TABLE every (id Int32, big UInt64, num Decimal(20, 4), real8 Float64, flag Bool, word String, fixed FixedString(4), day Date, moment DateTime64(3, 'UTC'),
     uid UUID, one Enum8('a' = 1, 'b' = 2), list Array(Nullable(Int64)), pairs Map(String, Int32), doc Tuple(a Int32, b String), low LowCardinality(Nullable(String)))
     ENGINE = Memory`,
  `INSERT INTO every VALUES (1, 18446744073709551615, -12.5, nan, true, 'wörter "quoted"', 'abcd', '2024-02-29', '2024-02-29 10:00:00.123',
     'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'b', [1, NULL], {'k': 1}, (1, 'x'), NULL)`,
  'INSERT INTO every (id, real8) VALUES (2, inf)',
  'CREATE TABLE many (id Int32, word String) ENGINE = Memory',
  "INSERT INTO many SELECT number, repeat('x', number % 50) FROM numbers(100)",
  'CREATE TABLE scratch (id Int32, word String) ENGINE = Null',
];

export const canary = (text: string): Statement => ({
  text: `SELECT repeat('${text} ', 40) AS a, '${text}' AS b FROM numbers(600)`,
  types: [],
});
