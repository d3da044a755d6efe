/**
 * The PostgreSQL driver: records in the schema `millrace` of a database that all instances share.
 */
import pg from 'pg';
import { type Driver, type Sql, type SqlTypes, type SqlValue, unavailable } from '../sql-driver.ts';

const SCHEMA = 'millrace';

/** Channel on which instances are notified of changes. */
export const CHANNEL = `${SCHEMA}_changes`;

/** Key of the advisory lock that serialises writers. */
const WRITE_LOCK = '7021448023317531';

const MAX_CONNECTIONS = 8;
const CONNECT_MS = 5_000;
const STATEMENT_MS = 10_000;

/**
 * SQLSTATE classes and codes of an unavailable server: connection, resources, operator
 * intervention, lock timeouts.
 */
const UNAVAILABLE = /^(08|28|53|57|58|25006|25P03|55P03|3D000)/;

const INT8 = 20;

/** Sequence numbers and counts arrive as text by default. Here they stay far below 2^53. */
const TYPES = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)),
} as pg.CustomTypesConfig;

/**
 * Options of every connection: commits are durable whatever the server's default, and a session
 * that lost its client releases the write lock soon.
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

/** Errors of the statement itself pass; all others mean that the store is unavailable. */
function translate(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (!(error instanceof pg.DatabaseError)) return 'status' in error ? error : unavailable(error);
  return UNAVAILABLE.test(error.code ?? '') ? unavailable(error) : error;
}

const numbered = new Map<string, string>();

/** Turns `?` into `$1`, `$2` …. No statement of the store contains another question mark. */
function number(text: string): string {
  let result = numbered.get(text);
  if (result === undefined) {
    let count = 0;
    result = text.replace(/\?/g, () => `$${++count}`);
    numbered.set(text, result);
  }
  return result;
}

/** Runs the store's statements on any connection of the library. */
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
    this.#pool = new pg.Pool({ ...connectionOptions(url), max: MAX_CONNECTIONS, idleTimeoutMillis: 30_000, allowExitOnIdle: true });
    // An idle connection that breaks is replaced on demand. Without a listener it would end the
    // process.
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
    // A connection that breaks between two statements emits an event, and the next statement fails.
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

  /** A server needs no check of files. */
  verify(): void {}

  async close(): Promise<void> {
    await this.#pool.end();
  }
}
