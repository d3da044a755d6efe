/**
 * The PostgreSQL driver: the records live in the schema `millrace` of a database that any number of instances share.
 * Knows nothing of the tables, nor how instances tell each other of writes.
 */
import pg from 'pg';
import { type Driver, type Sql, type SqlTypes, type SqlValue, unavailable } from '../sql-driver.ts';

const SCHEMA = 'millrace';

/** Where instances hear of changes. */
export const CHANNEL = `${SCHEMA}_changes`;

/** The advisory lock that serialises writers: any number that no other program in that database uses. */
const WRITE_LOCK = '7021448023317531';

const MOST_CONNECTIONS = 8;
const CONNECT_MS = 5_000;
const STATEMENT_MS = 10_000;

/** SQLSTATE classes and codes that say nothing about the statement: connection, resources, operator intervention, waits given up. */
const UNAVAILABLE = /^(08|28|53|57|58|25006|25P03|55P03|3D000)/;

const INT8 = 20;

/** Sequence numbers and counts arrive as text by default; they are far below 2^53 here. */
const TYPES = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)),
} as pg.CustomTypesConfig;

/**
 * The options of every connection: a commit is durable whatever the server's default, and a session that lost its client does not keep the
 * write lock for long.
 */
export function connectionOptions(url: string): pg.ClientConfig {
  const settings = [
    `search_path=${SCHEMA}`,
    'synchronous_commit=on',
    `statement_timeout=${STATEMENT_MS}`,
    `lock_timeout=${STATEMENT_MS}`,
    `idle_in_transaction_session_timeout=${STATEMENT_MS}`,
  ];
  return {
    connectionString: url,
    application_name: 'millrace',
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: STATEMENT_MS + 1_000,
    keepAlive: true,
    types: TYPES,
    options: settings.map((setting) => `-c ${setting}`).join(' '),
  };
}

/** Errors of the statement itself pass; everything else means that the store is out of reach. */
function translate(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (!(error instanceof pg.DatabaseError)) return 'status' in error ? error : unavailable(error);
  return UNAVAILABLE.test(error.code ?? '') ? unavailable(error) : error;
}

const numbered = new Map<string, string>();

/** `?` becomes `$1`, `$2` …; none of the store's statements has a question mark elsewhere. */
function number(text: string): string {
  let result = numbered.get(text);
  if (result === undefined) {
    let count = 0;
    result = text.replace(/\?/g, () => `$${++count}`);
    numbered.set(text, result);
  }
  return result;
}

/** The same statements on any connection of the library. */
export function sqlOn(client: pg.Pool | pg.ClientBase): Sql {
  return {
    all: async <R>(text: string, values: readonly SqlValue[] = []) => {
      try {
        return (await client.query(number(text), [...values])).rows as R[];
      } catch (error) {
        throw translate(error);
      }
    },
  };
}

export class PostgresDriver implements Driver {
  readonly name = 'postgres';
  readonly types: SqlTypes = { text: 'TEXT COLLATE "C"', integer: 'INTEGER', bigint: 'BIGINT', tableEnd: '' };
  readonly #pool: pg.Pool;
  readonly #sql: Sql;

  constructor(url: string) {
    this.#pool = new pg.Pool({ ...connectionOptions(url), max: MOST_CONNECTIONS, idleTimeoutMillis: 30_000, allowExitOnIdle: true });
    // An idle connection that breaks is replaced on demand. Without a listener it would end the process.
    this.#pool.on('error', () => undefined);
    this.#sql = sqlOn(this.#pool);
  }

  all<R>(text: string, values?: readonly SqlValue[]): Promise<readonly R[]> {
    return this.#sql.all<R>(text, values);
  }

  async write<T>(work: (tx: Sql) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw translate(error);
    });
    // A connection that breaks between two statements emits an event. The next statement fails by itself.
    const ignore = () => undefined;
    client.on('error', ignore);
    let broken = false;
    try {
      await client.query('BEGIN');
      await client.query(`SELECT pg_advisory_xact_lock(${WRITE_LOCK})`);
      const value = await work(sqlOn(client));
      await client.query('COMMIT');
      return value;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {
        broken = true;
      });
      throw translate(error);
    } finally {
      client.off('error', ignore);
      client.release(broken);
    }
  }

  async prepare(tx: Sql): Promise<void> {
    await tx.all(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
  }

  async announce(tx: Sql): Promise<void> {
    await tx.all(`SELECT pg_notify('${CHANNEL}', '')`);
  }

  /** A server is what its address leads to. */
  verify(): void {}

  async close(): Promise<void> {
    await this.#pool.end();
  }
}
