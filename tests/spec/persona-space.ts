// A space with personas on one engine: a table of items, one of secrets, and requests as any user.
import { createDatabase, type DatabaseEntry, type EngineName, type TestDatabase } from '../support/engines.ts';
import { type Response, type Service, setUpProject, type TestProject } from '../support/service.ts';

const PLAIN = (text: string, tail: string): string =>
  `CREATE TABLE items (id int PRIMARY KEY, status ${text} NOT NULL, region ${text} NULL, owner ${text} NULL, note ${text} NULL, secret ${text} NULL, amount int NOT NULL DEFAULT 7)${tail}`;

const TABLES: Record<EngineName, readonly string[]> = {
  postgres: [PLAIN('varchar(50)', ''), 'CREATE TABLE hidden (id int PRIMARY KEY)', 'CREATE TABLE other (id int PRIMARY KEY, a int)'],
  mysql: [PLAIN('varchar(50)', ''), 'CREATE TABLE hidden (id int PRIMARY KEY)', 'CREATE TABLE other (id int PRIMARY KEY, a int)'],
  mariadb: [PLAIN('varchar(50)', ''), 'CREATE TABLE hidden (id int PRIMARY KEY)', 'CREATE TABLE other (id int PRIMARY KEY, a int)'],
  clickhouse: [
    'CREATE TABLE items (id Int32, status String, region Nullable(String), owner Nullable(String), note Nullable(String), secret Nullable(String), amount Int32 DEFAULT 7) ENGINE = MergeTree ORDER BY id',
    'CREATE TABLE hidden (id Int32) ENGINE = MergeTree ORDER BY id',
    'CREATE TABLE other (id Int32, a Nullable(Int32)) ENGINE = MergeTree ORDER BY id',
  ],
};

export interface Item {
  readonly id: number;
  readonly status: string;
  readonly region: string | null;
  readonly owner: string | null;
  readonly note: string | null;
  readonly secret: string | null;
  readonly amount: number;
}

export class PersonaSpace {
  readonly database: TestDatabase;
  readonly service: Service;
  readonly project: TestProject;

  private constructor(database: TestDatabase, service: Service, project: TestProject) {
    this.database = database;
    this.service = service;
    this.project = project;
  }

  static async make(engine: EngineName, service: Service, entry: Partial<DatabaseEntry> = {}): Promise<PersonaSpace> {
    const database = await createDatabase(engine);
    for (const statement of TABLES[engine]) await database.run(statement);
    return new PersonaSpace(database, service, await setUpProject(service, [database.entry(entry)]));
  }

  /** The name of a table in a document. */
  key(table: string): string {
    return `${this.database.dbType}/${this.database.name}/${table}`;
  }

  /** Sends a request with the given headers; as the administrator if `headers` has no roles. */
  send(method: string, path: string, headers: Record<string, string> = {}, body?: unknown): Promise<Response> {
    return this.service.request(method, path, {
      headers: { ...this.project.headers, ...headers },
      ...(body === undefined ? {} : { body }),
    });
  }

  auto(method: string, table: string, query: string, headers: Record<string, string>, body?: unknown): Promise<Response> {
    const path = this.project.autoPath(this.database.dbType, this.database.name, table);
    return this.send(method, `${path}${query === '' ? '' : `?${query}`}`, headers, body);
  }

  /** Replaces all personas by one, which everyone with the role `user` has. */
  async only(tables: Readonly<Record<string, unknown>>): Promise<void> {
    await this.put('tester', ['user'], tables);
  }

  async put(persona: string, roles: readonly string[], tables: Readonly<Record<string, unknown>>, more: object = {}): Promise<void> {
    const named = Object.fromEntries(Object.entries(tables).map(([name, grants]) => [this.key(name), grants]));
    const answer = await this.send('POST', '/svc/persona/v1', {}, { persona, roles, tables: named, ...more });
    if (answer.status !== 201 && answer.status !== 200) throw new Error(`the persona was refused: ${answer.text}`);
  }

  async remove(persona: string): Promise<void> {
    await this.send('DELETE', `/svc/persona/v1?persona=${persona}`);
  }

  /** All items, read as the administrator. */
  async items(): Promise<Item[]> {
    const answer = await this.auto('GET', 'items', 'pg=0&ps=1000', {});
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.json<Item[]>();
  }

  /** These items and no others. */
  async fill(items: readonly Partial<Item>[]): Promise<void> {
    const cleared = await this.auto('DELETE', 'items', 'id=ge.0', {});
    const filled = await this.auto('POST', 'items', '', {}, items);
    if (cleared.status !== 200 || filled.status !== 201) throw new Error(`${cleared.text} ${filled.text}`);
  }

  async drop(): Promise<void> {
    await this.database.drop();
  }
}

export const user = (claims?: unknown, more: Record<string, string> = {}): Record<string, string> => ({
  'x-user-roles': 'user',
  ...(claims === undefined ? {} : { 'x-user-claims': JSON.stringify(claims) }),
  ...more,
});

export const ITEMS: readonly Item[] = [
  { id: 1, status: 'new', region: 'eu', owner: 'ann', note: 'n1', secret: 's1', amount: 10 },
  { id: 2, status: 'new', region: 'us', owner: 'bob', note: 'n2', secret: 's2', amount: 20 },
  { id: 3, status: 'old', region: 'eu', owner: 'bob', note: null, secret: 's3', amount: 30 },
  { id: 4, status: 'deleted', region: 'eu', owner: 'ann', note: 'n4', secret: 's4', amount: 40 },
  { id: 5, status: 'new', region: null, owner: null, note: 'n5', secret: null, amount: 50 },
  { id: 6, status: 'old', region: 'a,b', owner: 'x.y"', note: '', secret: 's6', amount: 60 },
];

export const message = (answer: Response): string => answer.json<{ message: string }>().message;
export const said = (answer: Response): [number, string] => [answer.status, message(answer)];
