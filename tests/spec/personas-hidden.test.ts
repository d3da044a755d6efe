// Hidden tables, columns and rows are indistinguishable from missing ones, byte by byte (body and
// headers) and in time. If two requests do the same, which one is slower is random; that is what is
// tested.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ENGINE_NAMES, type EngineName } from '../support/engines.ts';
import { type Response, type Service, sharedService } from '../support/service.ts';
import { ITEMS, PersonaSpace, user } from './persona-space.ts';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service?.stop());

interface Ask {
  readonly method: string;
  /** Behind the path of the database; or the whole path when it begins with a slash. */
  readonly path: string;
  readonly body?: unknown;
  /** The body is a query. */
  readonly form?: boolean;
}

/** The same request, about what is hidden and about what is missing. */
type Pair = (name: string) => Ask;

const TABLES: readonly Pair[] = [
  (name) => ({ method: 'GET', path: `${name}?pg=0&ps=1` }),
  (name) => ({ method: 'GET', path: `${name}?pg=0&ps=1&id=eq.1&$order=id&$count=exact` }),
  (name) => ({ method: 'GET', path: `${name}?pg=0&ps=1&$agg=count` }),
  (name) => ({ method: 'GET', path: `${name}?pg=0` }),
  (name) => ({ method: 'GET', path: `${name}?pg=0&ps=1&$after=` }),
  (name) => ({ method: 'QUERY', path: name, body: 'pg=0&ps=1', form: true }),
  (name) => ({ method: 'GET', path: `${name}/1` }),
  (name) => ({ method: 'POST', path: name, body: [{ id: 1 }] }),
  (name) => ({ method: 'POST', path: `${name}?$return=rows`, body: 'nonsense' }),
  (name) => ({ method: 'PUT', path: `${name}?id=eq.1&set=id.2` }),
  (name) => ({ method: 'PATCH', path: `${name}/1`, body: { id: 2 } }),
  (name) => ({ method: 'PATCH', path: name, body: [{ id: 2, a: 1 }] }),
  (name) => ({ method: 'DELETE', path: `${name}?id=eq.1&$dry_run=true` }),
  (name) => ({ method: 'GET', path: `items?pg=0&ps=1&$expand=${name}` }),
  (name) => ({ method: 'GET', path: `items/1?$expand=x:${name}($select=id)` }),
  (name) => ({ method: 'GET', path: `items?pg=0&ps=1&$has=${name}(id=eq.1)` }),
  (name) => ({ method: 'GET', path: `items?pg=0&ps=1&$agg=count&$hasnot=${name}` }),
  (name) => ({ method: 'PUT', path: `items?$has=${name}&set=note.x` }),
  (name) => ({ method: 'POST', path: `${name}?$upsert=true`, body: [{ id: 1 }] }),
  (name) => ({ method: 'GET', path: `/svc/rest/meta/v1/table/detail?table=${name}&type=TYPE&schema=SCHEMA` }),
  (name) => ({ method: 'GET', path: `/svc/rest/openapi/v1?db=TYPE/SCHEMA&table=${name}` }),
];

const COLUMNS: readonly Pair[] = [
  (name) => ({ method: 'GET', path: `items?pg=0&ps=1&${name}=eq.1` }),
  (name) => ({ method: 'GET', path: `items?pg=0&ps=1&$or=(id=eq.1,$not=(${name}=in.1,2))` }),
  (name) => ({ method: 'GET', path: `items?pg=0&ps=1&$null=${name}` }),
  (name) => ({ method: 'GET', path: `items?pg=0&ps=1&$order=${name}.desc` }),
  (name) => ({ method: 'GET', path: `items?pg=0&ps=1&$after=&$order=${name}` }),
  (name) => ({ method: 'GET', path: `items?pg=0&ps=1&$select=id,${name}` }),
  (name) => ({ method: 'GET', path: `items?pg=0&ps=1&$agg=count,m:min.${name}` }),
  (name) => ({ method: 'GET', path: `items?pg=0&ps=1&$group=${name}` }),
  (name) => ({ method: 'GET', path: `items?pg=0&ps=1&$group=status&$agg=count&$having=(${name}=gt.1)` }),
  (name) => ({ method: 'GET', path: `items/1?$select=${name}` }),
  (name) => ({ method: 'PUT', path: `items?${name}=eq.1&set=note.x` }),
  (name) => ({ method: 'PUT', path: `items?id=eq.1&set=${name}.x` }),
  (name) => ({ method: 'PATCH', path: 'items?id=eq.1', body: { [name]: 'x' } }),
  (name) => ({ method: 'PATCH', path: 'items/1', body: { note: 'x', [name]: 'x' } }),
  (name) => ({ method: 'POST', path: 'items', body: [{ id: 9, status: 'x', [name]: 'x' }] }),
  (name) => ({ method: 'POST', path: 'items', body: [{ id: 9, status: 'x', [name]: { not: 'a text' } }] }),
  (name) => ({ method: 'PATCH', path: 'items', body: [{ id: 1, [name]: 'x' }] }),
  (name) => ({ method: 'POST', path: 'items?$upsert=true', body: [{ id: 9, status: 'x', [name]: 'x' }] }),
  (name) => ({ method: 'POST', path: `items?$upsert=${name}`, body: [{ id: 9, status: 'x' }] }),
  (name) => ({ method: 'POST', path: `items?$return=rows&$select=${name}`, body: [{ id: 9, status: 'x' }] }),
  (name) => ({ method: 'DELETE', path: `items?$notnull=${name}` }),
];

/**
 * The highest id is far above the others, so that a missing key is inside the range of keys;
 * engines skip keys outside it.
 */
const THERE = [...ITEMS, { id: 20, status: 'new', region: 'eu', owner: 'ann', note: 'n20', secret: 's20', amount: 20 }];

/** The rows 2 and 9: one of another region, and none. */
const ROWS: readonly Pair[] = [
  (id) => ({ method: 'GET', path: `items/${id}` }),
  (id) => ({ method: 'GET', path: `items/${id}?$select=status&format=xml` }),
  (id) => ({ method: 'GET', path: `items?pg=0&ps=5&id=eq.${id}&$count=exact` }),
  (id) => ({ method: 'GET', path: `items?pg=0&ps=5&id=eq.${id}&$count=estimated` }),
  (id) => ({ method: 'GET', path: `items?pg=0&ps=5&id=eq.${id}&$after=` }),
  (id) => ({ method: 'GET', path: `items?pg=0&ps=5&id=eq.${id}&$agg=count,m:max.amount` }),
  (id) => ({ method: 'PUT', path: `items?id=eq.${id}&set=note.x` }),
  (id) => ({ method: 'PUT', path: `items/${id}?set=note.x` }),
  (id) => ({ method: 'PATCH', path: `items/${id}`, body: { note: 'x' } }),
  (id) => ({ method: 'PATCH', path: 'items', body: [{ id: Number(id), note: 'x' }] }),
  (id) => ({ method: 'DELETE', path: `items/${id}` }),
  (id) => ({ method: 'DELETE', path: `items?id=eq.${id}` }),
];

const READABLE = { read: { except: ['secret'], rows: ['region=eq.eu'] } };
const WRITABLE = {
  insert: { except: ['secret'] },
  update: { columns: ['note'], rows: ['region=eq.eu'] },
  delete: { rows: ['region=eq.eu'] },
};

class Comparison {
  readonly #space: PersonaSpace;

  constructor(space: PersonaSpace) {
    this.#space = space;
  }

  #send({ method, path, body, form }: Ask): Promise<Response> {
    const { database, project } = this.#space;
    const own = path.replace('TYPE', database.dbType).replace('SCHEMA', database.name);
    const whole = own.startsWith('/') ? own : project.autoPath(database.dbType, database.name, '') + own;
    return this.#space.send(method, whole, { ...user(), ...(form && { 'content-type': 'application/x-www-form-urlencoded' }) }, body);
  }

  /**
   * The whole response except date and request id. Names are normalized; keys do not occur in
   * responses.
   */
  async #seen(pair: Pair, name: string): Promise<string> {
    const { status, headers, text } = await this.#send(pair(name));
    const { date: _, 'x-request-id': __, ...rest } = headers;
    const all = JSON.stringify([status, Object.entries(rest), text]);
    return name.length === 1 ? all : all.replaceAll(name, 'NAME');
  }

  async told(ask: Ask): Promise<string> {
    const { status, text } = await this.#send(ask);
    expect([ask, status]).toEqual([ask, 200]);
    return text;
  }

  async same(pairs: readonly Pair[], hidden: string, missing: string): Promise<void> {
    for (const pair of pairs) {
      const [one, other] = await Promise.all([this.#seen(pair, hidden), this.#seen(pair, missing)]);
      expect([pair('NAME'), one]).toEqual([pair('NAME'), other]);
    }
  }

  async #took(ask: Ask): Promise<number> {
    const began = performance.now();
    await this.#send(ask);
    return performance.now() - began;
  }

  /** Number of rounds, out of `of`, in which the hidden name took longer. */
  async slower(pair: Pair, hidden: string, missing: string, of: number): Promise<number> {
    let count = 0;
    for (let i = 0; i < of; i++) {
      const isFirst = i % 2 === 0;
      const first = await this.#took(pair(isFirst ? hidden : missing));
      const second = await this.#took(pair(isFirst ? missing : hidden));
      if (isFirst ? first > second : second > first) count++;
    }
    return count;
  }
}

/** All that describes the database to a caller. */
const DESCRIPTIONS: readonly Ask[] = [
  { method: 'GET', path: '/svc/rest/meta/v1/table/list?type=TYPE&schema=SCHEMA' },
  { method: 'GET', path: '/svc/rest/meta/v1/table/detail?type=TYPE&schema=SCHEMA&table=items' },
  { method: 'GET', path: '/svc/rest/openapi/v1?db=TYPE/SCHEMA' },
  { method: 'GET', path: '/svc/rest/llms.txt' },
];

/** `hidden` is referred to, so that what reaches it would find it. */
const RELATIONS = [{ table: 'items', columns: ['amount'], references: { table: 'hidden', columns: ['id'] } }];

/**
 * Fewer than 25 or more than 75 heads in 100 fair tosses occur once in millions. ClickHouse has
 * fewer rounds because it may run in an emulator.
 */
const TOSSES: Record<EngineName, { readonly of: number; readonly least: number }> = {
  postgres: { of: 100, least: 25 },
  mysql: { of: 100, least: 25 },
  mariadb: { of: 100, least: 25 },
  clickhouse: { of: 40, least: 6 },
};

test.concurrent.each(ENGINE_NAMES)('hidden names and rows on %s are indistinguishable from missing ones', async (engine) => {
  const space = await PersonaSpace.make(engine, service, { relations: RELATIONS });
  try {
    await space.fill(THERE);
    const reached = await space.auto('GET', 'items', 'pg=0&ps=1&$expand=hidden', {});
    expect([reached.status, reached.json()]).toEqual([200, [expect.objectContaining({ hidden: null })]]);
    const comparison = new Comparison(space);
    const others = { read: true, insert: true, update: true, delete: true };
    for (const star of [{}, { '*': others }]) {
      await space.only({ items: { ...READABLE, ...WRITABLE }, hidden: {}, ...star });
      await comparison.same(TABLES, 'hidden', 'nothin');
      for (const ask of DESCRIPTIONS) expect(await comparison.told(ask)).not.toMatch(/hidden|secret/);
    }
    await comparison.same(COLUMNS, 'secret', 'absent');
    await comparison.same(ROWS, '2', '9');
    const { of, least } = TOSSES[engine];
    for (const [what, pair, hidden, missing] of [
      ['table', TABLES[0], 'hidden', 'nothin'],
      ['metadata', TABLES.at(-2), 'hidden', 'nothin'],
      ['column', COLUMNS[0], 'secret', 'absent'],
      ['row', ROWS[0], '2', '9'],
    ] as const) {
      const slower = pair === undefined ? 0 : await comparison.slower(pair, hidden, missing, of);
      expect(slower, `the hidden ${what} was slower ${slower} times of ${of}`).toBeGreaterThanOrEqual(least);
      expect(slower, `the hidden ${what} was slower ${slower} times of ${of}`).toBeLessThanOrEqual(of - least);
    }
    expect(await space.items()).toEqual(THERE);
  } finally {
    await space.drop();
  }
});
