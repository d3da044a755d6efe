// A PostgreSQL database whose queries take as long as the test requires, with counts of the
// service's sessions and statements.
import { createDatabase, type DatabaseEntry, type EngineAddress, type TestDatabase } from '../support/engines.ts';
import { type Response, type Service, setUpProject, type TestProject } from '../support/service.ts';

export interface SlowDatabase extends TestDatabase {
  /** Statements of the service that run now, other than its reading of the catalogue. */
  running(): Promise<number>;
  /** Connections of the service, idle ones too. */
  sessions(): Promise<number>;
}

/**
 * `sleepy?id=eq.700` takes 700 ms, for every multiple of 50 up to ten minutes. The table `words`
 * has a thousand rows of 300 characters.
 */
export async function slowDatabase(address?: EngineAddress): Promise<SlowDatabase> {
  const database = await createDatabase('postgres', address);
  await database.run(`
    CREATE TABLE naps (id int PRIMARY KEY);
    INSERT INTO naps SELECT n * 50 FROM generate_series(0, 12000) n;
    CREATE VIEW sleepy AS SELECT id, pg_sleep(id / 1000.0)::text AS done FROM naps;
    CREATE TABLE words (id int PRIMARY KEY, word text);
    INSERT INTO words SELECT n, repeat('x', 300) FROM generate_series(1, 1000) n`);
  const count = async (condition: string): Promise<number> => {
    const sql = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'millrace' AND ${condition}`;
    return Number((await database.run(sql))[0]?.['n']);
  };
  return {
    ...database,
    running: () => count("state = 'active' AND query !~ 'pg_catalog|pg_class|pg_stat_activity'"),
    sessions: () => count('true'),
  };
}

export type Limits = Partial<DatabaseEntry> & { readonly timeout_secs?: number };

/** A project with this one database, and requests to it. */
export interface SlowProject {
  readonly project: TestProject;
  get(path: string, signal?: AbortSignal): Promise<Response>;
  send(method: string, path: string, body?: unknown): Promise<Response>;
  /** Sleeps in the database. Returns the status and the duration in ms. */
  nap(ms: number, signal?: AbortSignal): Promise<{ readonly status: number; readonly ms: number; readonly response: Response }>;
}

export async function slowProject(service: Service, database: TestDatabase, limits: Limits = {}): Promise<SlowProject> {
  const project = await setUpProject(service, [database.entry(limits)]);
  const { headers } = project;
  const url = (path: string): string => `/svc/api/rest/auto/v1/pg/${database.name}/${path}`;
  const get = (path: string, signal?: AbortSignal) => service.request('GET', url(path), { headers, ...(signal && { signal }) });
  return {
    project,
    get,
    send: (method, path, body) => service.request(method, url(path), { headers, ...(body === undefined ? {} : { body }) }),
    async nap(ms, signal) {
      const began = performance.now();
      const response = await get(`sleepy?pg=0&ps=1&id=eq.${ms}`, signal);
      return { status: response.status, ms: performance.now() - began, response };
    },
  };
}

/** The fields of an entry that lead through a proxy (or several, in order). */
export const through = (...proxies: readonly { readonly host: string; readonly port: number }[]) => ({
  host_details: proxies.map(({ host, port }) => ({ host, port: String(port) })),
});
