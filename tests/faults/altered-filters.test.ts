// A column changes its type behind the service's back, and the next write still compares it with a
// value of the old type. MySQL and MariaDB would convert either to a number and match rows that the
// filter does not name. No write may do that, whatever the two types are.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TableClient } from '../spec/users-table.ts';
import { createDatabase, ENGINE_NAMES, type EngineName, type TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';

/** Old type of the column, and filters that match none of the rows below. */
const WAS: Readonly<Record<string, readonly string[]>> = {
  'varchar(40)': ['eq.abc', 'in.0abc,xyz', 'eq.', 'eq.2024-13'],
  "enum('abc','0abc')": ['eq.0abc'],
  'varbinary(40)': ['eq.YWJj'],
  int: ['eq.0', 'bw.0.0'],
  'decimal(10,2)': ['in.0,99.5'],
  double: ['eq.0'],
  'bit(8)': ['eq.0'],
  date: ['eq.2024-01-01'],
  datetime: ['eq.2024-01-01T10:00:00'],
  time: ['eq.10:00:00'],
};

/**
 * New type of the column, and values that the servers would consider equal to those filters after
 * converting both to numbers.
 */
const IS: Readonly<Record<string, readonly string[]>> = {
  'varchar(40)': ["'def'", "'x0'", "'10th'", "'2024th'"],
  'varbinary(40)': ["'def'", "'x0'", "'10th'", "'2024th'"],
  "enum('def','x')": ["'def'", "'x'"],
  int: ['7', '2024', '10'],
  'decimal(10,2)': ['7', '2024', '10'],
  double: ['7.5', '2024', '10'],
  'bit(16)': ['7', '2024', '10'],
  year: ['2024', '2010'],
  date: ["'2024-01-02'", "'2010-01-01'"],
  datetime: ["'2024-01-01 00:00:01'", "'2010-01-01 10:00:00'"],
  time: ["'10:00:01'", "'20:24:00'", "'00:00:07'"],
  json: ['\'"def"\'', "'[]'"],
};

/** The servers convert every string to zero, so zero is a value only if the filter is a string. */
const ZERO: Readonly<Record<string, string>> = { int: '0', 'decimal(10,2)': '0', double: '0', 'bit(16)': '0', date: "'0000-00-00'" };
const TEXTS = new Set(['varchar(40)', "enum('abc','0abc')", 'varbinary(40)']);

const POSTGRES: Readonly<Record<string, string>> = {
  'varchar(40)': 'varchar(40)',
  int: 'int',
  'decimal(10,2)': 'numeric',
  double: 'float8',
  date: 'date',
  datetime: 'timestamp',
  time: 'time',
};
const CLICKHOUSE: Readonly<Record<string, string>> = { 'varchar(40)': 'String', int: 'Int32', datetime: 'DateTime' };
const SAME: Readonly<Record<string, string>> = Object.fromEntries([...Object.keys(WAS), ...Object.keys(IS)].map((type) => [type, type]));
const TYPES: Readonly<Record<EngineName, Readonly<Record<string, string>>>> = {
  mysql: SAME,
  mariadb: SAME,
  postgres: POSTGRES,
  clickhouse: CLICKHOUSE,
};

const AT_A_TIME = 6;

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service?.stop());

describe.each(ENGINE_NAMES)('%s', (engine) => {
  let database: TestDatabase;
  let project: TestProject;
  beforeAll(async () => {
    database = await createDatabase(engine);
    project = await setUpProject(service, [database.entry()]);
  });
  afterAll(() => database?.drop());

  /** A table with the column as it was, seen by the service; then with the column as it is. */
  async function altered(name: string, was: string, is: string): Promise<{ client: TableClient; rows: number }> {
    const zero = TEXTS.has(was) && engine !== 'clickhouse' && !(engine === 'postgres' && is === 'date') ? ZERO[is] : undefined;
    const values = [...(IS[is] ?? []), ...(zero === undefined ? [] : [zero])];
    const types = TYPES[engine];
    const filled = values.map((value, id) => `(${id}, ${value})`).join(', ');
    const isClickhouse = engine === 'clickhouse';
    const end = isClickhouse ? ' ENGINE = MergeTree ORDER BY id' : '';
    const id = isClickhouse ? 'id Int32' : 'id int PRIMARY KEY';
    await database.run(`CREATE TABLE ${name} (${id}, c ${types[was]})${end}`);
    const client = new TableClient(service, project, database, name);
    expect((await client.get('pg=0&ps=1')).status).toBe(200);
    await database.run(`DROP TABLE ${name}${isClickhouse ? ' SYNC' : ''}`);
    await database.run(`CREATE TABLE ${name} (${id}, c ${types[is]})${end}`);
    const lenient = engine === 'mysql' || engine === 'mariadb' ? "SET SESSION sql_mode = ''; " : '';
    await database.run(`${lenient}INSERT INTO ${name} VALUES ${filled}`);
    return { client, rows: values.length };
  }

  const pairs = Object.keys(WAS)
    .filter((was) => TYPES[engine][was] !== undefined)
    .flatMap((was) =>
      Object.keys(IS)
        .filter((is) => is !== was && TYPES[engine][is] !== undefined)
        .map((is) => ({ was, is })),
    );

  it(`writes hit nothing that they do not name, for ${pairs.length} changes of a type`, async () => {
    const wrong: string[] = [];
    // Each filter is the first to meet a change.
    const attempts = pairs.flatMap(({ was, is }) => (WAS[was] ?? []).map((filter) => ({ was, is, filter })));
    const attempt = async (n: number): Promise<void> => {
      const { was, is, filter } = attempts[n] ?? attempts[0] ?? { was: '', is: '', filter: '' };
      const name = `f${n}`;
      const { client, rows } = await altered(name, was, is);
      const method = n % 2 === 0 ? 'DELETE' : 'PUT';
      const response = await client.send(method, `c=${encodeURIComponent(filter)}${method === 'PUT' ? '&set=id.99' : ''}`);
      const left = (await database.run(`SELECT id FROM ${name} WHERE id < 99`)).length;
      const isRight = left === rows && (response.status === 200 ? response.text === '{"rows_affected":0}' : response.status < 500);
      if (!isRight) wrong.push(`${was} → ${is}, ${method} c=${filter}: ${response.status} ${response.text}, ${left} of ${rows} rows left`);
      await database.run(`DROP TABLE ${name}`);
    };
    let next = 0;
    const take = async (): Promise<void> => {
      while (next < attempts.length) await attempt(next++);
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, take));
    expect(wrong).toEqual([]);
  });
});
