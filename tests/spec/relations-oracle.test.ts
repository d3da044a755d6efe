// Random requests with `$expand`, `$has` and `$hasnot` on each engine, compared with an oracle that
// uses only the rows and the relations of the metadata.
import { deserialize } from 'bson';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ENGINE_NAMES, type EngineName } from '../support/engines.ts';
import { type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';
import { COLUMNS, createShop, KEYS, type Shop } from './shop-tables.ts';
import { TableClient } from './users-table.ts';

type Row = Record<string, unknown>;

interface Relation {
  readonly name: string;
  readonly kind: 'one' | 'many';
  readonly table: string;
  readonly columns: readonly string[];
  readonly references: readonly string[];
  readonly through?: string;
}

/** A table with values that formats and engines treat apart, which belongs to customers. */
const KINDS: Readonly<Record<EngineName, readonly string[]>> = {
  postgres: [
    "CREATE TYPE mood AS ENUM ('sad', 'glad')",
    'CREATE TABLE kinds (id int PRIMARY KEY, customer_id int REFERENCES customer, big bigint, f float8, b bool, j jsonb, m mood, u uuid, d date, t timestamptz, x bytea, a int[])',
    `INSERT INTO kinds VALUES (1, 1, 9007199254740993, 'NaN', true, '{"a":[1,null]}', 'glad', '00000000-0000-0000-0000-0000000000aa', '2024-02-29', '2024-01-01T00:00:00.123456Z', '\\x00ff', '{1,2}'),
      (2, 1, NULL, 0.1, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`,
  ],
  mysql: [
    "CREATE TABLE kinds (id int PRIMARY KEY, customer_id int, big bigint unsigned, f double, b tinyint(1), j json, m enum('sad','glad'), s set('x','y'), d date, t datetime(6), y year, x varbinary(10), z bit(3), FOREIGN KEY (customer_id) REFERENCES customer (id))",
    `INSERT INTO kinds VALUES (1, 1, 18446744073709551615, 0.1, 1, '{"a":[1,null]}', 'glad', 'x,y', '2024-02-29', '2024-01-01 00:00:00.123456', 2024, x'00ff', b'101'),
      (2, 1, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`,
  ],
  mariadb: [
    "CREATE TABLE kinds (id int PRIMARY KEY, customer_id int, big bigint unsigned, f double, b tinyint(1), j json, m enum('sad','glad'), s set('x','y'), d date, t datetime(6), y year, u uuid, x varbinary(10), z bit(3), FOREIGN KEY (customer_id) REFERENCES customer (id))",
    `INSERT INTO kinds VALUES (1, 1, 18446744073709551615, 0.1, 1, '{"a":[1,null]}', 'glad', 'x,y', '2024-02-29', '2024-01-01 00:00:00.123456', 2024, '00000000-0000-0000-0000-0000000000aa', x'00ff', b'101'),
      (2, 1, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`,
  ],
  clickhouse: [
    "CREATE TABLE kinds (id Int32, customer_id Nullable(Int32), big UInt64, f Float64, b Bool, m Enum8('sad' = 1, 'glad' = 2), u UUID, d Date, t DateTime64(6, 'UTC'), a Array(Nullable(Int32)), fx FixedString(4)) ENGINE = MergeTree ORDER BY id",
    "INSERT INTO kinds VALUES (1, 1, 18446744073709551615, nan, true, 'glad', '00000000-0000-0000-0000-0000000000aa', '2024-02-29', '2024-01-01 00:00:00.123456', [1, NULL], 'ab'), (2, 1, 0, 0.1, false, 'sad', '00000000-0000-0000-0000-000000000000', '2024-01-01', '2024-01-01 00:00:00', [], '')",
  ],
};

const PRIMARY: Readonly<Record<string, readonly string[]>> = {
  product_tag: ['product_id', 'tag_id'],
  item: ['order_id', 'line'],
  place: ['country', 'city'],
  trip: ['customer_id', 'country', 'city'],
};
const keyOf = (table: string): readonly string[] => PRIMARY[table] ?? ['id'];

class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A whole number from 0 to below n. */
  roll(n: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * n);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.roll(list.length)] as T;
  }
}

const compare = (a: unknown, b: unknown): number => ((a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0);

class Oracle {
  readonly tables = new Map<string, readonly Row[]>();
  readonly relations = new Map<string, readonly Relation[]>();

  related(table: string, row: Row, relation: Relation): readonly Row[] {
    const reached = this.tables.get(relation.table) ?? [];
    if (row[relation.columns[0] ?? ''] === null) return [];
    const same = (one: Row, mine: readonly string[], other: Row, theirs: readonly string[]): boolean =>
      mine.every((column, i) => one[column] !== null && one[column] === other[theirs[i] ?? '']);
    if (relation.through === undefined) return reached.filter((other) => same(row, relation.columns, other, relation.references));
    const junction = this.tables.get(relation.through) ?? [];
    const keys = KEYS.filter((key) => key.table === relation.through);
    const rest = relation.name.split('.')[1];
    const there = keys.find((key) => key.references.table === relation.table && (rest === undefined || key.columns.includes(rest)));
    const here = keys.find((key) => key !== there && key.references.table === table);
    if (here === undefined || there === undefined) throw new Error(`no way over ${relation.name}`);
    const pairs = junction.filter((pair) => same(row, relation.columns, pair, here.columns));
    return reached.filter((other) => pairs.some((pair) => same(other, relation.references, pair, there.columns)));
  }
}

interface Filter {
  readonly text: string;
  readonly holds: (row: Row) => boolean;
}

class Requests {
  readonly #dice: Dice;
  readonly #oracle: Oracle;
  readonly truncated = new Set<string>();

  constructor(dice: Dice, oracle: Oracle) {
    this.#dice = dice;
    this.#oracle = oracle;
  }

  relation(table: string): Relation {
    return this.#dice.pick(this.#oracle.relations.get(table) ?? []);
  }

  filter(table: string, depth: number): Filter {
    const key = keyOf(table)[0] ?? '';
    const choice = this.#dice.roll(depth > 0 ? 5 : 3);
    if (choice < 3) {
      const value = this.#dice.pick(this.#oracle.tables.get(table) ?? [{}])[key];
      const op = this.#dice.pick(['eq', 'ne', 'ge', 'le'] as const);
      const texts = { eq: 0, ne: 1, ge: 2, le: 3 } as const;
      const test = [(n: number) => n === 0, (n: number) => n !== 0, (n: number) => n >= 0, (n: number) => n <= 0][texts[op]];
      return { text: `${key}=${op}.${value}`, holds: (row) => test?.(compare(row[key], value)) === true };
    }
    const relation = this.relation(table);
    const inner = this.#dice.roll(2) === 0 ? undefined : this.filter(relation.table, depth - 1);
    const negated = choice === 4;
    return {
      text: `${negated ? '$hasnot' : '$has'}=${relation.name}${inner === undefined ? '' : `(${inner.text})`}`,
      holds: (row) => this.#oracle.related(table, row, relation).some((other) => inner?.holds(other) ?? true) !== negated,
    };
  }

  /** An item and what it puts into a row. */
  item(table: string, alias: string, path: string, depth: number): { readonly text: string; readonly of: (row: Row) => unknown } {
    const relation = this.relation(table);
    const place = `${path}${alias}`;
    const options: string[] = [];
    const filter = this.#dice.roll(3) === 0 ? this.filter(relation.table, 1) : undefined;
    if (filter !== undefined) options.push(filter.text);
    const size = relation.kind === 'many' && this.#dice.roll(3) === 0 ? 1 + this.#dice.roll(2) : undefined;
    if (size !== undefined) options.push(`$ps=${size}`);
    const key = keyOf(relation.table);
    const isDescending = this.#dice.roll(3) === 0;
    if (isDescending) options.push(`$order=${key.map((column) => `${column}.desc`).join()}`);
    const nested = depth > 1 && this.#dice.roll(2) === 0 ? this.item(relation.table, 'n', `${place}.`, depth - 1) : undefined;
    if (nested !== undefined) options.push(`$expand=${nested.text}`);
    const order = (a: Row, b: Row): number => {
      for (const column of key) {
        const sign = compare(a[column], b[column]);
        if (sign !== 0) return isDescending ? -sign : sign;
      }
      return 0;
    };
    return {
      text: `${alias}:${relation.name}${options.length === 0 ? '' : `(${options.join(';')})`}`,
      of: (row) => {
        const all = this.#oracle.related(table, row, relation).filter((other) => filter?.holds(other) ?? true);
        const shown = all.toSorted(order).slice(0, relation.kind === 'one' ? 1 : (size ?? 100));
        if (relation.kind === 'many' && shown.length < all.length) this.truncated.add(place);
        const rows = shown.map((other) => (nested === undefined ? other : { ...other, n: nested.of(other) }));
        return relation.kind === 'one' ? (rows[0] ?? null) : rows;
      },
    };
  }
}

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service?.stop());

const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);

describe.each(ENGINE_NAMES)('random requests on %s', (engine) => {
  let shop: Shop;
  let project: TestProject;
  const oracle = new Oracle();
  const table = (name: string): TableClient => new TableClient(service, project, shop.database, name);

  beforeAll(async () => {
    shop = await createShop(engine);
    for (const statement of KINDS[engine]) await shop.database.run(statement);
    const own = { table: 'kinds', columns: ['customer_id'], references: { table: 'customer', columns: ['id'] } };
    project = await setUpProject(service, [engine === 'clickhouse' ? { ...shop.entry, relations: [...KEYS, own] } : shop.entry]);
    for (const name of [...Object.keys(COLUMNS), 'kinds']) {
      oracle.tables.set(name, await table(name).rows<Row>());
      const { dbType, name: schema } = shop.database;
      const path = `/svc/rest/meta/v1/table/detail?type=${dbType}&schema=${schema}&table=${name}`;
      const detail = await service.request('GET', path, { headers: project.headers });
      oracle.relations.set(name, detail.json<{ relations: Relation[] }>().relations);
    }
  });
  afterAll(() => shop?.database.drop());

  it('return every type of value as the table itself does, in every format', async () => {
    const kinds = oracle.tables.get('kinds');
    const [ada] = await table('customer').rows<Row>('$expand=kinds&id=eq.1');
    expect(ada?.['kinds']).toEqual(kinds);
    const rows = async (name: string, query: string, format: string): Promise<Row[]> => {
      const { body } = await table(name).get(`pg=0&ps=10&${query}&format=${format}`);
      if (format === 'bson') return deserialize(body, { promoteValues: false })['rows'] as Row[];
      return parse(body.toString('utf8'), { intAsBigInt: true }) as Row[];
    };
    for (const format of ['bson', 'yaml']) {
      const [nested] = await rows('customer', '$expand=kinds&id=eq.1', format);
      expect(nested?.['kinds']).toEqual(await rows('kinds', 'id=gt.0', format));
    }
  });

  it(`agree with the rows of the tables (seed ${SEED})`, async () => {
    const dice = new Dice(SEED);
    for (let i = 0; i < (engine === 'clickhouse' ? 12 : 60); i++) {
      const start = dice.pick([...oracle.relations.keys()]);
      const requests = new Requests(dice, oracle);
      const filter = requests.filter(start, 2);
      const other = requests.filter(start, 1);
      const isGroup = dice.roll(3) === 0;
      const items = ['p', 'q'].slice(0, dice.roll(3)).map((alias) => requests.item(start, alias, '', 3));
      const query = [
        isGroup ? `$or=(${filter.text},${other.text})` : filter.text,
        ...(items.length === 0 ? [] : [`$expand=${items.map(({ text }) => text).join()}`]),
      ].join('&');
      const wanted = (oracle.tables.get(start) ?? [])
        .filter((row) => filter.holds(row) || (isGroup && other.holds(row)))
        .map((row) => ({ ...row, ...Object.fromEntries(items.map(({ of }, at) => [['p', 'q'][at], of(row)])) }));
      const answer = await table(start).get(`pg=0&ps=1000&${query}`);
      const asked = `${start}?${query} (seed ${SEED}, request ${i})`;
      expect([asked, answer.status, answer.status === 200 ? answer.json() : answer.text]).toEqual([asked, 200, wanted]);
      const cut = String(answer.headers['x-expand-truncated'] ?? '')
        .split(', ')
        .filter((place) => place !== '');
      expect([asked, cut.sort()]).toEqual([asked, [...requests.truncated].sort()]);
    }
  });
});
