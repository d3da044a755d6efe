// Tables whose columns change their types several times a second under readers and writers. Every
// response shows the old or the new table, byte for byte and in every format, no filter matches a
// row that it does not name, and no request fails.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Bench } from '../custom/definitions.ts';
import { TableClient } from '../spec/users-table.ts';
import { createDatabase, ENGINE_NAMES, type EngineName, type TestDatabase } from '../support/engines.ts';
import { type Response, type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';

/** Minimum numbers of requests and changes per table. Statements on ClickHouse take longer. */
const ENOUGH: Readonly<Record<EngineName, { readonly asked: number; readonly shifts: number }>> = {
  postgres: { asked: 90, shifts: 10 },
  mysql: { asked: 90, shifts: 10 },
  mariadb: { asked: 90, shifts: 10 },
  clickhouse: { asked: 15, shifts: 3 },
};
const FORMATS = ['json', 'xml', 'yaml', 'csv', 'bson'] as const;

/** Strings that would change the document if they were written in place of a number. */
const TEXTS = ['abc', '0,"role":"admin"', '5', 'Infinity'];

interface Pair {
  /** The type beside text, on each engine. */
  readonly types: Readonly<Record<EngineName, string>>;
  readonly other: Readonly<Record<EngineName, string>>;
  /** Values of the first type as SQL spells them. */
  readonly values: Readonly<Partial<Record<EngineName, readonly string[]>>> & { readonly sql: readonly string[] };
  readonly others: readonly string[];
  /** MariaDB's JSON is a text, and may be shown as the one or the other. */
  readonly alike?: readonly EngineName[];
}

const quoted = (texts: readonly string[]): readonly string[] => texts.map((text) => `'${text}'`);
const TEXT: Pair['other'] = { postgres: 'varchar(60)', mysql: 'varchar(60)', mariadb: 'varchar(60)', clickhouse: 'String' };

const PAIRS: Readonly<Record<string, Pair>> = {
  int: {
    types: { postgres: 'int', mysql: 'int', mariadb: 'int', clickhouse: 'Int32' },
    other: TEXT,
    values: { sql: ['0', '0', '5', '-7'] },
    others: quoted(TEXTS),
  },
  decimal: {
    types: { postgres: 'numeric', mysql: 'decimal(10,2)', mariadb: 'decimal(10,2)', clickhouse: 'Decimal(10, 2)' },
    other: TEXT,
    values: { sql: ['0', '0.10', '5', '-7.25'], postgres: ['0', '0.10', "'NaN'", '5'] },
    others: quoted(TEXTS),
  },
  moment: {
    types: { postgres: 'timestamp', mysql: 'datetime', mariadb: 'datetime', clickhouse: 'DateTime' },
    other: TEXT,
    values: { sql: quoted(['2024-01-01 10:00:00', '2024-01-02 10:00:00', '2024-01-03 10:00:00', '2024-01-04 10:00:00']) },
    others: quoted(TEXTS),
  },
  json: {
    types: { postgres: 'jsonb', mysql: 'json', mariadb: 'json', clickhouse: 'Array(Int32)' },
    other: TEXT,
    values: { sql: quoted(['{"a": 1}', '[]', '5', '"x"']), clickhouse: ['[1]', '[]', '[5, 6]', '[0]'] },
    others: quoted(TEXTS),
    alike: ['mariadb'],
  },
  float: {
    types: { postgres: 'float8', mysql: 'double', mariadb: 'double', clickhouse: 'Float64' },
    other: { postgres: 'int', mysql: 'int', mariadb: 'int', clickhouse: 'Int32' },
    values: {
      sql: ['1.5', '0', '2.5e20', '-0.25'],
      postgres: ["'Infinity'", "'NaN'", '1.5', "'-Infinity'"],
      clickhouse: ['inf', 'nan', '1.5', '-inf'],
    },
    others: ['0', '1', '2', '3'],
  },
};

/** A table with a column of each type, which exchange their names; on ClickHouse two tables do. */
class Shifting {
  readonly #database: TestDatabase;
  readonly name: string;
  readonly #pair: Pair;

  constructor(database: TestDatabase, name: string, pair: Pair) {
    this.#database = database;
    this.name = name;
    this.#pair = pair;
  }

  async create(): Promise<void> {
    const { engine } = this.#database;
    const { types, other, values, others } = this.#pair;
    const rows = (values[engine] ?? values.sql).map((value, id) => `(${id}, ${value}, ${others[id]}, 0)`);
    const swapped = (values[engine] ?? values.sql).map((value, id) => `(${id}, ${others[id]}, ${value}, 0)`);
    if (engine !== 'clickhouse') {
      await this.#database.run(`CREATE TABLE ${this.name} (id int PRIMARY KEY, c ${types[engine]}, d ${other[engine]}, mark int)`);
      await this.#database.run(`INSERT INTO ${this.name} VALUES ${rows.join(', ')}`);
      return;
    }
    const create = (table: string, c: string, d: string) =>
      this.#database.run(`CREATE TABLE ${table} (id Int32, c ${c}, d ${d}, mark Int32) ENGINE = MergeTree ORDER BY id`);
    await create(this.name, types.clickhouse, other.clickhouse);
    await create(`${this.name}_b`, other.clickhouse, types.clickhouse);
    await this.#database.run(`INSERT INTO ${this.name} VALUES ${rows.join(', ')}`);
    await this.#database.run(`INSERT INTO ${this.name}_b VALUES ${swapped.join(', ')}`);
  }

  /** The first type becomes the second, and the other way round. */
  async shift(): Promise<void> {
    const { name } = this;
    const SHIFTS: Readonly<Record<EngineName, string>> = {
      postgres: `BEGIN; ALTER TABLE ${name} RENAME c TO e; ALTER TABLE ${name} RENAME d TO c; ALTER TABLE ${name} RENAME e TO d; COMMIT`,
      mysql: `ALTER TABLE ${name} RENAME COLUMN c TO d, RENAME COLUMN d TO c`,
      mariadb: `ALTER TABLE ${name} RENAME COLUMN c TO d, RENAME COLUMN d TO c`,
      clickhouse: `EXCHANGE TABLES ${name} AND ${name}_b`,
    };
    await this.#database.run(SHIFTS[this.#database.engine]);
  }
}

interface Probe {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  readonly query: string;
  /** Undefined when the answer is one that may be. */
  wrong(response: Response): string | undefined;
}

const describeAnswer = ({ status, text }: Response): string => `${status} ${text.slice(0, 300)}`;

/**
 * Either state of the table is correct. A filter that is invalid in one of them is a bad request.
 */
function oneOf(method: Probe['method'], query: string, allowed: readonly string[], statuses: readonly number[] = [200]): Probe {
  return {
    method,
    query,
    wrong(response) {
      const isRight = statuses.includes(response.status) && (response.status !== 200 || allowed.includes(response.body.toString('latin1')));
      return isRight ? undefined : `${method} ${query}: ${describeAnswer(response)}`;
    },
  };
}

/**
 * Minimum number of responses between two changes, which shows that requests are served in between.
 */
const ANSWERS_A_SHIFT = 6;

/** Sends three requests at a time while the table changes. Returns the problems. */
async function storm(engine: EngineName, table: Shifting, client: TableClient, probes: readonly Probe[]): Promise<string[]> {
  const enough = ENOUGH[engine];
  const wrong: string[] = [];
  let asked = 0;
  let shifts = 0;
  let answered = (): void => {};
  const isOver = (): boolean => asked >= enough.asked && shifts >= enough.shifts;
  const shifting = async (): Promise<void> => {
    for (; !isOver(); shifts++) {
      await table.shift();
      const next = asked + (engine === 'clickhouse' ? 1 : ANSWERS_A_SHIFT);
      while (asked < next && !isOver()) await new Promise<void>((resolve) => (answered = resolve));
    }
  };
  const ask = async (first: number): Promise<void> => {
    for (let i = first; !isOver(); i++) {
      const probe = probes[i % probes.length];
      if (probe === undefined) return;
      const response = await client.send(probe.method, probe.query).catch((error: unknown) => error as Error);
      const problem = response instanceof Error ? `${probe.method} ${probe.query}: ${response.message}` : probe.wrong(response);
      if (problem !== undefined) wrong.push(problem);
      asked++;
      answered();
    }
  };
  await Promise.all([shifting(), ...[0, 1, 2].map((n) => ask(Math.floor((n * probes.length) / 3)))]);
  return wrong;
}

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
    // ClickHouse over HTTP, where results describe themselves. `altered-filters` uses the native
    // port.
    const { host, port } = database.address;
    project = await setUpProject(service, [database.entry({ host_details: [{ host, port: String(port) }] })]);
  });
  afterAll(() => database?.drop());

  /** The table in each format, before and after a change. */
  async function looks(table: Shifting, client: TableClient): Promise<ReadonlyMap<string, readonly string[]>> {
    const found = new Map<string, string[]>(FORMATS.map((format) => [format, []]));
    for (let turn = 0; turn < 2; turn++) {
      for (const format of FORMATS) found.get(format)?.push((await client.get(`pg=0&ps=10&format=${format}`)).body.toString('latin1'));
      await table.shift();
    }
    return found;
  }

  it('is read as it was or as it is, and no filter hits what it does not name', async () => {
    const tables = await Promise.all(
      Object.entries(PAIRS).map(async ([name, pair]) => {
        const table = new Shifting(database, `t_${name}`, pair);
        await table.create();
        const client = new TableClient(service, project, database, table.name);
        return { name, pair, table, client, looks: await looks(table, client) };
      }),
    );
    const storms = await Promise.all(
      tables.map(async ({ name, pair, table, client, looks: seen }) => {
        const isAlike = pair.alike?.includes(engine) === true;
        const whole = FORMATS.map((format) =>
          isAlike ? parsedOnly(`pg=0&ps=10&format=${format}`) : oneOf('GET', `pg=0&ps=10&format=${format}`, seen.get(format) ?? []),
        );
        const ids = (list: readonly number[]): string => JSON.stringify(list.map((id) => ({ id })));
        const few = (rows: number): string => `{"rows_affected":${rows}}`;
        const texts = pair.others.includes("'abc'");
        // No row has the value `zzz`; one row has `abc` while the column is a string.
        const filters = texts
          ? [
              oneOf('GET', '$select=id&pg=0&ps=10&c=eq.abc', [ids([0]), ids([])], [200, 400]),
              oneOf('GET', '$select=id&pg=0&ps=10&c=eq.zzz', [ids([])], [200, 400]),
              oneOf('DELETE', 'c=eq.zzz', [few(0)], [200, 400]),
              oneOf('DELETE', 'c=in.zzz,yyy', [few(0)], [200, 400]),
              oneOf('PUT', 'c=eq.zzz&set=mark.1', [few(0)], [200, 400]),
            ]
          : [];
        const zero = name === 'int' ? [oneOf('DELETE', 'c=eq.99', [few(0)]), oneOf('PUT', 'c=eq.99&set=mark.1', [few(0)])] : [];
        return (await storm(engine, table, client, [...whole, ...filters, ...zero])).map((problem) => `${name}: ${problem}`);
      }),
    );
    expect(storms.flat()).toEqual([]);
    for (const { table } of tables) {
      expect((await database.run(`SELECT id FROM ${table.name} WHERE mark = 0`)).length).toBe(4);
    }
  });
});

describe('plans of PostgreSQL that are older than their table', () => {
  const CALLERS = 12;
  let database: TestDatabase;
  let bench: Bench;
  let client: TableClient;
  beforeAll(async () => {
    database = await createDatabase('postgres');
    const project = await setUpProject(service, [database.entry()]);
    bench = new Bench(service, project, database);
    client = new TableClient(service, project, database, 'retyped');
    await database.run('CREATE TABLE retyped (id int PRIMARY KEY, c int)');
    await database.run('INSERT INTO retyped VALUES (1, 10), (2, 20)');
    await database.run('CREATE TABLE log (v int)');
  });
  afterAll(() => database?.drop());

  const NUMBERS = '[{"id":1,"c":10},{"id":2,"c":20}]';
  const LETTERS = '[{"id":1,"c":"10"},{"id":2,"c":"20"}]';

  /**
   * Changes types back and forth until `calls` responses arrived. Returns the responses that match
   * neither state, and the number of responses.
   */
  async function retyped(calls: number, call: () => Promise<Response>): Promise<string[]> {
    const wrong: string[] = [];
    let left = calls;
    const ask = async (): Promise<void> => {
      while (left-- > 0) {
        const response = await call();
        if (response.status !== 200 || (response.text !== NUMBERS && response.text !== LETTERS)) wrong.push(describeAnswer(response));
      }
    };
    const retype = async (): Promise<void> => {
      while (left > 0) {
        await database.run('ALTER TABLE retyped ALTER c TYPE text');
        await database.run('ALTER TABLE retyped ALTER c TYPE int USING c::int');
      }
    };
    await Promise.all([retype(), ...Array.from({ length: CALLERS }, ask)]);
    return wrong;
  }

  it('reach no reader of the table', async () => {
    expect(await retyped(300, () => client.get('pg=0&ps=10'))).toEqual([]);
  });

  it('reach no caller of a definition, also behind a write in its transaction, which happens once', async () => {
    await bench.deploy({
      uri: 'retyped',
      method: 'post',
      logic: [{ sql: 'INSERT INTO log VALUES (1)' }, { sql: 'SELECT * FROM retyped ORDER BY id' }],
    });
    expect(await retyped(150, () => bench.call('POST', 'retyped', { body: {} }))).toEqual([]);
    expect(await database.run('SELECT count(*)::int AS n FROM log')).toEqual([{ n: 150 }]);
  });
});

/** Where a text and a JSON value look alike, the answer must be whole, and of its format. */
function parsedOnly(query: string): Probe {
  return {
    method: 'GET',
    query,
    wrong(response) {
      try {
        if (query.endsWith('json')) expect(response.json<{ id: number }[]>().map(({ id }) => id)).toEqual([0, 1, 2, 3]);
        expect(response.status).toBe(200);
        return undefined;
      } catch {
        return `GET ${query}: ${describeAnswer(response)}`;
      }
    },
  };
}
