// The example table of the specification on each engine, with five rows, and a client for it.
import type { EngineName, TestDatabase } from '../support/engines.ts';
import type { RequestOptions, Response, Service, TestProject } from '../support/service.ts';

export const TABLE: Record<EngineName, string> = {
  postgres:
    'CREATE TABLE users (id int PRIMARY KEY, name varchar(100) NOT NULL, email varchar(100) NOT NULL UNIQUE, note text, created_at timestamptz DEFAULT now())',
  mysql:
    'CREATE TABLE users (id int PRIMARY KEY, name varchar(100) NOT NULL, email varchar(100) NOT NULL UNIQUE, note text, created_at timestamp NULL DEFAULT current_timestamp)',
  mariadb:
    'CREATE TABLE users (id int PRIMARY KEY, name varchar(100) NOT NULL, email varchar(100) NOT NULL UNIQUE, note text, created_at timestamp NULL DEFAULT current_timestamp)',
  clickhouse:
    'CREATE TABLE users (id Int32, name String, email String, note Nullable(String), created_at DateTime DEFAULT now()) ENGINE = MergeTree ORDER BY id',
};

export interface User {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly note: string | null;
  readonly created_at: string;
}

const at = (day: number): string => `2024-01-0${day}T10:00:00Z`;

export const USERS: readonly User[] = [
  { id: 1, name: 'Ada', email: 'ada@example.org', note: 'first', created_at: at(1) },
  { id: 2, name: 'Bob 50%', email: 'bob@example.org', note: null, created_at: at(2) },
  { id: 3, name: 'Cy_d', email: 'cyd@example.org', note: '', created_at: at(3) },
  { id: 4, name: 'Dé\'ja"\\', email: 'deja@example.org', note: 'x,y.z', created_at: at(4) },
  { id: 5, name: 'ada two', email: 'ada2@example.org', note: null, created_at: at(5) },
];

/** Requests to one table of a project. */
export class TableClient {
  readonly #service: Service;
  readonly #project: TestProject;
  readonly path: string;

  constructor(service: Service, project: TestProject, database: TestDatabase, table: string) {
    this.#service = service;
    this.#project = project;
    this.path = project.autoPath(database.dbType, database.name, table);
  }

  send(method: string, query: string, options: RequestOptions = {}): Promise<Response> {
    return this.#service.request(method, `${this.path}${query === '' ? '' : `?${query}`}`, {
      ...options,
      headers: { ...this.#project.headers, ...options.headers },
    });
  }

  get(query: string): Promise<Response> {
    return this.send('GET', query);
  }

  post(rows: unknown, query = ''): Promise<Response> {
    return this.send('POST', query, { body: rows });
  }

  /** Rows of the first page; the answer must be 200. */
  async rows<T = User>(query = ''): Promise<T[]> {
    const response = await this.get(`pg=0&ps=1000${query === '' ? '' : `&${query}`}`);
    if (response.status !== 200) throw new Error(`expected 200, got ${response.status}: ${response.text}`);
    return response.json<T[]>();
  }

  async ids(query: string): Promise<number[]> {
    return (await this.rows(query)).map((user) => user.id);
  }
}

export interface ErrorBody {
  readonly code: number;
  readonly status: string;
  readonly message: string;
}
