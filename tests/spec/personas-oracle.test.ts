// Random personas, callers and requests on every engine: the results match the oracle.
// MILLRACE_TEST_SEED repeats a run; MILLRACE_TEST_REQUESTS sets the number of requests.
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Dice, IDS, NOTES } from '../personas/dice.ts';
import { documentOf } from '../personas/oracle.ts';
import { type Ask, type Expected, Requests, sorted, type World } from '../personas/requests.ts';
import { createDatabase, ENGINE_NAMES, type EngineName, type TestDatabase } from '../support/engines.ts';
import { type Response, type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';
import { times } from '../support/times.ts';
import { Random } from '../torture/random.ts';

const SEED = Number(process.env['MILLRACE_TEST_SEED'] ?? Date.now() % 1_000_000);
/** On each engine, at least. */
const REQUESTS = Number(process.env['MILLRACE_TEST_REQUESTS'] ?? times(40, 5000));

/** How much of what: ClickHouse writes by mutations, and may be emulated. */
interface Amount {
  /** Tables of their own, side by side. */
  readonly worlds: number;
  /** For each caller. */
  readonly reads: number;
  readonly writes: number;
}

const MANY: Amount = { worlds: times(2, 8), reads: 14, writes: 6 };
const AMOUNTS: Record<EngineName, Amount> = {
  postgres: MANY,
  mysql: MANY,
  mariadb: MANY,
  clickhouse: { worlds: times(1, 4), reads: times(8, 40), writes: 1 },
};
const CALLERS = 5;
/** Few, and kept: opening one costs more than most requests do. */
const CONNECTIONS = { max_open_connections: 6, max_idle_connections: 6 };

const PLAIN = [
  'CREATE TABLE facts (id int PRIMARY KEY, a int, b varchar(20), c varchar(20) NOT NULL, d int NOT NULL DEFAULT 5)',
  'CREATE TABLE notes (id int PRIMARY KEY, fact int, t varchar(20) NOT NULL)',
];
const TABLES: Record<EngineName, readonly string[]> = {
  postgres: PLAIN,
  mysql: PLAIN,
  mariadb: PLAIN,
  clickhouse: [
    'CREATE TABLE facts (id Int32, a Nullable(Int32), b Nullable(String), c String, d Int32 DEFAULT 5) ENGINE = MergeTree ORDER BY id',
    'CREATE TABLE notes (id Int32, fact Nullable(Int32), t String) ENGINE = MergeTree ORDER BY id',
  ],
};

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service?.stop());

/** Two tables, a persona that is replaced again and again, and what the tables should hold. */
class Corner implements World {
  facts: readonly Row[] = [];
  readonly notes: readonly Row[];
  readonly names: { readonly facts: string; readonly notes: string };
  readonly #dice: Dice;
  readonly #number: number;
  readonly #at: { readonly database: TestDatabase; readonly project: TestProject };
  readonly #amount: Amount;
  #document = '';

  constructor(number: number, random: Random, at: { database: TestDatabase; project: TestProject }, amount: Amount) {
    this.#dice = new Dice(random);
    this.#number = number;
    this.#at = at;
    this.#amount = amount;
    this.names = { facts: `facts_${number}`, notes: `notes_${number}` };
    this.notes = Array.from({ length: 20 }, (_, id) => this.#dice.note(id));
  }

  async fill(): Promise<void> {
    const { database } = this.#at;
    for (const statement of TABLES[database.engine]) await database.run(statement.replace(/TABLE \w+/, `$&_${this.#number}`));
    const facts = Array.from({ length: IDS - 6 }, (_, id) => this.#dice.fact(id));
    for (const [table, rows] of [
      ['facts', facts],
      ['notes', this.notes],
    ] as const) {
      const filled = await this.#send({ method: 'POST', table, query: [], body: rows }, {});
      if (filled.status !== 201) throw new Error(filled.text);
    }
    this.facts = facts;
  }

  #send({ method, table, key, query, body }: Ask, headers: Record<string, string>): Promise<Response> {
    const { database, project } = this.#at;
    const path = project.autoPath(database.dbType, database.name, this.names[table]);
    const parts = query.filter((part) => part !== '').join('&');
    return service.request(method, `${path}${key === undefined ? '' : `/${key}`}${parts === '' ? '' : `?${parts}`}`, {
      headers: { ...project.headers, ...headers },
      ...(body === undefined ? {} : { body }),
    });
  }

  /** Sends at least `least` requests and returns their number. */
  async run(least: number): Promise<number> {
    const { reads, writes } = this.#amount;
    let sent = 0;
    while (sent < least) {
      const dice = this.#dice;
      const grants = { facts: dice.grants(), notes: dice.chance(0.85) ? { read: dice.read(NOTES) } : {} };
      await this.#put({ facts: documentOf(grants.facts), notes: documentOf(grants.notes) });
      for (let caller = 0; caller < CALLERS; caller++) {
        const claims = dice.claims();
        const headers = { 'x-user-roles': `role-${this.#number}`, 'x-user-claims': JSON.stringify(claims) };
        const requests = new Requests(dice, grants, claims, this, { transactions: this.#at.database.engine !== 'clickhouse' });
        const asked = Array.from({ length: reads }, () => requests.read(this.names));
        await Promise.all(asked.map(([ask, expected]) => this.#check(ask, expected, headers)));
        sent += reads + (await this.#walk(requests, headers));
        for (let i = 0; i < writes; i++) {
          const [ask, expected] = requests.write();
          await this.#check(ask, expected, headers);
          if (expected.problems.length === 0 && expected.after !== undefined) this.facts = sorted(expected.after);
        }
        sent += writes;
        const now = await this.#send({ method: 'GET', table: 'facts', query: ['pg=0&ps=1000'] }, {});
        this.#demand(isDeepStrictEqual(now.json(), this.facts), `the rows after writes as ${JSON.stringify(claims)}`, now);
      }
      sent += await this.#metadata(new Requests(dice, grants, {}, this, { transactions: true }));
    }
    return sent;
  }

  async #put(tables: { readonly facts: object; readonly notes: object }): Promise<void> {
    const { database, project } = this.#at;
    const prefix = `${database.dbType}/${database.name}`;
    const named = { [`${prefix}/${this.names.facts}`]: tables.facts, [`${prefix}/${this.names.notes}`]: tables.notes };
    const others = this.#dice.chance(0.5) ? { [`${prefix}/*`]: { read: true } } : {};
    const body = { persona: `persona-${this.#number}`, roles: [`role-${this.#number}`], tables: { ...named, ...others } };
    this.#document = JSON.stringify(body.tables);
    const stored = await service.request('POST', '/svc/persona/v1', { headers: project.headers, body });
    this.#demand(stored.status === 200 || stored.status === 201, 'the persona is stored', stored);
  }

  async #walk(requests: Requests, headers: Record<string, string>): Promise<number> {
    const walk = requests.facts.isNothing ? undefined : requests.walk();
    let cursor = '';
    for (const [index, page] of (walk?.pages ?? []).entries()) {
      const answer = await this.#send({ method: 'GET', table: 'facts', query: [walk?.query ?? '', `$after=${cursor}`] }, headers);
      const what = `page ${index} of ${walk?.query} as ${headers['x-user-claims']}`;
      this.#demand(answer.status === 200 && isDeepStrictEqual(answer.json(), page), `${what} is ${JSON.stringify(page)}`, answer);
      const next = answer.headers['x-next-cursor'];
      if (next === undefined) this.#demand(index === (walk?.pages.length ?? 0) - 1, `${what} is the last`, answer);
      cursor = String(next);
    }
    return walk?.pages.length ?? 0;
  }

  async #metadata({ facts }: Requests): Promise<number> {
    const { database, project } = this.#at;
    const path = `/svc/rest/meta/v1/table/detail?type=${database.dbType}&schema=${database.name}&table=${this.names.facts}`;
    const headers = { ...project.headers, 'x-user-roles': `role-${this.#number}` };
    const answer = await service.request('GET', path, { headers });
    this.#demand(answer.status === (facts.isNothing ? 404 : 200), 'metadata of the facts', answer);
    if (facts.isNothing) return 1;
    const names = answer.json<{ columns: { name: string }[] }>().columns.map(({ name }) => name);
    this.#demand(isDeepStrictEqual(names, facts.knownColumns), `metadata has ${facts.knownColumns.join()}`, answer);
    return 1;
  }

  async #check(ask: Ask, expected: Expected, headers: Record<string, string>): Promise<void> {
    const answer = await this.#send(ask, headers);
    const { problems, status, body, isBag = false, headers: told = {} } = expected;
    const what = (): string =>
      `${ask.method} ${ask.table}/${ask.key} ${ask.query.join('&')} ${JSON.stringify(ask.body)} as ${headers['x-user-claims']} gives ${JSON.stringify(expected)}`;
    if (problems.length > 0) {
      this.#demand(problems.includes(answer.status), what, answer);
      return;
    }
    this.#demand(answer.status === status, what, answer);
    const found = answer.json();
    this.#demand(isDeepStrictEqual(isBag ? bag(found) : found, isBag ? bag(body) : body), what, answer);
    for (const [name, value] of Object.entries(told)) this.#demand(answer.headers[name] === value, what, answer);
  }

  #demand(isSo: boolean, what: string | (() => string), { status, text }: Response): void {
    if (isSo) return;
    const said = typeof what === 'string' ? what : what();
    const { engine } = this.#at.database;
    expect.fail(
      `seed ${SEED}, ${engine}: ${said}, but it is ${status} ${text}\nunder ${this.#document}\nwith ${JSON.stringify(this.facts)}`,
    );
  }
}

type Row = World['notes'][number];
const bag = (rows: unknown): readonly string[] => (rows as readonly unknown[]).map((row) => JSON.stringify(row)).sort();

test.concurrent.each(ENGINE_NAMES)(
  `random personas on %s: what they see and change is what the rows and the document say (seed ${SEED})`,
  {
    timeout: 900_000,
  },
  async (engine) => {
    const amount = AMOUNTS[engine];
    const database = await createDatabase(engine);
    try {
      const relations = Array.from({ length: amount.worlds }, (_, i) => ({
        table: `notes_${i}`,
        columns: ['fact'],
        references: { table: `facts_${i}`, columns: ['id'] },
      }));
      const project = await setUpProject(service, [{ ...database.entry(), ...CONNECTIONS, relations }]);
      const random = new Random(SEED).fork(engine);
      const corners = relations.map((_, i) => new Corner(i, random.fork(String(i)), { database, project }, amount));
      for (const corner of corners) await corner.fill();
      const least = Math.ceil(REQUESTS / corners.length);
      const sent = await Promise.all(corners.map((corner) => corner.run(least)));
      expect(sent.reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(REQUESTS);
    } finally {
      await database.drop();
    }
  },
);
