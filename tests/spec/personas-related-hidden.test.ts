// A relation to a hidden table, over a hidden junction or over a hidden column responds exactly
// like a relation that does not exist, in REST and in MCP. MILLRACE_TEST_SEED repeats a run.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENGINE_NAMES } from '../support/engines.ts';
import { type Response, type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';
import { times } from '../support/times.ts';
import { Random } from '../torture/random.ts';
import { COLUMNS, createShop, KEYS, type Shop } from './shop-tables.ts';

const SEED = Number(process.env['MILLRACE_TEST_SEED'] ?? Date.now() % 1_000_000);
const PERSONAS = times(6, 60);
const START = 'customer';
const USER = { 'x-user-roles': 'user' };

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service?.stop());

interface Grant {
  readonly columns: readonly string[];
}

type Grants = ReadonlyMap<string, Grant>;

/** The start keeps its key, so that it has relations to the tables that are granted. */
function grantsFrom(random: Random): Grants {
  const tables = Object.keys(COLUMNS).filter((table) => table === START || random.next() < 0.6);
  return new Map(
    tables.map((table) => {
      const all = COLUMNS[table] ?? [];
      const columns = all.filter((column) => (table === START && column === 'id') || random.next() < 0.85);
      return [table, { columns: columns.length === 0 ? all.slice(0, 1) : columns }];
    }),
  );
}

const isReadable = (grants: Grants, table: string, columns: readonly string[]): boolean =>
  columns.every((column) => grants.get(table)?.columns.includes(column) === true);

/** Keys that the persona may know. */
const knownKeys = (grants: Grants): typeof KEYS =>
  KEYS.filter(
    ({ table, columns, references }) => isReadable(grants, table, columns) && isReadable(grants, references.table, references.columns),
  );

/** A made-up name of the same length. */
const madeUp = (name: string): string => 'q'.repeat(name.length);

/** A name that must not be recognizable, and requests that use it. */
interface Hidden {
  readonly name: string;
  readonly requests: readonly ((name: string) => string)[];
}

const EXPANDS = (item: string): readonly string[] => [
  `$expand=${item}`,
  `$expand=x:${item}`,
  `$expand=x:${item}($select=id)`,
  `$expand=${item}($expand=product)`,
  `$expand=y:orders,x:${item}`,
  `$has=${item}`,
  `$hasnot=${item}(id=eq.1)`,
  `$or=(id=eq.1,$has=${item})`,
  `$has=orders($has=${item})`,
];

function hiddenNames(grants: Grants): readonly Hidden[] {
  const known = knownKeys(grants);
  const touches = (key: (typeof KEYS)[number], table: string): boolean => key.table === table || key.references.table === table;
  const tables = Object.keys(COLUMNS).filter((table) => table !== START && !known.some((key) => touches(key, table)));
  const columns = KEYS.filter((key) => !known.includes(key)).flatMap((key) => key.columns.map((column) => ({ key, column })));
  return [
    ...tables.map((name) => ({
      name,
      requests: EXPANDS('NAME').map((query) => (given: string) => query.replaceAll('NAME', given)),
    })),
    // A hint that names a hidden junction.
    ...tables.map((name) => ({
      name,
      requests: [...EXPANDS('place!NAME'), ...EXPANDS('orders!NAME')].map((query) => (given: string) => query.replaceAll('NAME', given)),
    })),
    // A hint that names the column of a hidden key that no known key to that table has.
    ...columns
      .filter(({ key, column }) => !known.some((other) => touches(other, key.table) && other.columns.includes(column)))
      .map(({ key, column }) => ({
        name: column,
        requests: EXPANDS(`${key.table}!NAME`).map((query) => (given: string) => query.replaceAll('NAME', given)),
      })),
  ];
}

describe.each(ENGINE_NAMES)('hidden relations on %s', (engine) => {
  let shop: Shop;
  let project: TestProject;

  beforeAll(async () => {
    shop = await createShop(engine);
    project = await setUpProject(service, [shop.entry]);
  });
  afterAll(() => shop?.database.drop());

  const send = (method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<Response> =>
    service.request(method, path, { headers: { ...project.headers, ...headers }, ...(body === undefined ? {} : { body }) });

  async function grant(grants: Grants): Promise<void> {
    const { dbType, name } = shop.database;
    const tables = Object.fromEntries([...grants].map(([table, read]) => [`${dbType}/${name}/${table}`, { read, update: {} }]));
    const answer = await send('POST', '/svc/persona/v1', {}, { persona: 'tester', roles: ['user'], tables });
    expect([200, 201], answer.text).toContain(answer.status);
  }

  /** The whole response except date and request id. */
  async function shown(sent: Promise<Response>, name: string): Promise<string> {
    const { status, headers, text } = await sent;
    const { date: _, 'x-request-id': __, ...rest } = headers;
    return JSON.stringify([status, rest, text]).replaceAll(name, 'NAME');
  }

  const rest = (method: string, query: string): Promise<Response> => {
    const path = project.autoPath(shop.database.dbType, shop.database.name, START);
    return send(method, `${path}?${method === 'GET' ? 'pg=0&ps=3' : 'set=name.x'}&${query}`, USER);
  };

  const tool = (query: string): Promise<Response> => {
    const table = `${shop.database.dbType}/${shop.database.name}/${START}`;
    const params = { name: 'read_rows', arguments: { table, expand: [query.slice('$expand='.length)] } };
    return send('POST', '/svc/mcp/v1', USER, { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  };

  it(`respond like made-up ones under random personas (seed ${SEED})`, async () => {
    const random = new Random(SEED);
    for (let i = 0; i < PERSONAS; i++) {
      const grants = grantsFrom(random);
      await grant(grants);
      for (const { name, requests } of hiddenNames(grants)) {
        const request = random.pick(requests);
        const isRead = request(name).startsWith('$expand=');
        for (const ask of [(query: string) => rest('GET', query), isRead ? tool : (query: string) => rest('PUT', query)]) {
          const fake = madeUp(name);
          const real = request(name);
          const [one, other] = [await shown(ask(real), name), await shown(ask(real.replaceAll(name, fake)), fake)];
          expect([request('NAME'), [...grants], one]).toEqual([request('NAME'), [...grants], other]);
          expect(one).not.toMatch(/^\[5/);
        }
      }
    }
  });

  it('list the relations that the caller may use, for a hidden name too', async () => {
    await grant(new Map([START, 'orders', 'profile'].map((table) => [table, { columns: COLUMNS[table] ?? [] }])));
    for (const name of ['parcel', 'place', 'xxxxxx'])
      expect((await rest('GET', `$expand=${name}`)).json<{ message: string }>().message).toBe(
        `The table "customer" has no relation to ${name}; it has relations to orders, profile.`,
      );
  });
});
