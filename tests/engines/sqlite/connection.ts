// A connection to one file. Statements are synchronous, so there is nothing to await, cancel or
// pipeline.
import Database from 'libsql';
import {
  type Connection,
  DbFailure,
  type FailureKind,
  type Outcome,
  type RunOptions,
  type Undone,
} from '../../../src/engines/contract/engine.ts';
import type { RowSink } from '../../../src/model/cells.ts';
import type { ParamType, ParamValue, Statement } from '../../../src/sql/statement.ts';
import { kindOf } from './kinds.ts';

type Value = bigint | number | string | Uint8Array | null;

export class SqliteConnection implements Connection {
  readonly #database: Database.Database;
  usable = true;

  constructor(file: string) {
    this.#database = new Database(file);
  }

  async run(statement: Statement, params: readonly ParamValue[], { signal }: RunOptions, sink?: RowSink): Promise<Outcome> {
    if (signal?.aborted === true) throw new DbFailure('cancelled', 'nobody waits for the statement any more');
    try {
      const prepared = this.#database.prepare(statement.text);
      const values = params.map((value, i) => boundValue(statement.types[i], value));
      if (!prepared.reader) return { rows: prepared.run(...values).changes, selected: false };
      const columns = statement.columns ?? prepared.columns().map(({ name, type }) => ({ name, kind: kindOf(type ?? '') }));
      sink?.start(columns, { pause: () => undefined, resume: () => undefined });
      const rows = prepared
        .raw()
        .safeIntegers(true)
        .all(...values) as Value[][];
      for (const row of rows) sink?.row(cellsOf(row));
      return { rows: rows.length, selected: true };
    } catch (error) {
      throw failureOf(error);
    }
  }

  async begin(): Promise<void> {
    this.#database.exec('BEGIN');
  }

  async commit(): Promise<void> {
    this.#database.exec('COMMIT');
  }

  async rollback(): Promise<Undone> {
    this.#database.exec('ROLLBACK');
    return 'all';
  }

  async reset(): Promise<boolean> {
    return true;
  }

  onClosed(): void {
    // The connection to a file cannot be lost.
  }

  close(): void {
    this.usable = false;
    this.#database.close();
  }
}

function boundValue(type: ParamType | undefined, value: ParamValue): Value {
  if (typeof value !== 'string') return value;
  if (type?.kind === 'int') return BigInt(value);
  return type?.kind === 'float' ? Number(value) : value;
}

/** Converts a row: all bytes in one buffer, with the start and end of each value. */
function cellsOf(row: readonly Value[]) {
  const from = new Int32Array(row.length);
  const to = new Int32Array(row.length);
  const pieces: Buffer[] = [];
  let at = 0;
  row.forEach((value, i) => {
    const bytes = value === null ? undefined : value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value));
    from[i] = bytes === undefined ? -1 : at;
    at += bytes?.length ?? 0;
    to[i] = bytes === undefined ? -1 : at;
    if (bytes !== undefined) pieces.push(bytes);
  });
  return { bytes: Buffer.concat(pieces), from, to };
}

const KINDS: readonly (readonly [RegExp, FailureKind])[] = [
  [/^SQLITE_CONSTRAINT_(?:PRIMARYKEY|UNIQUE)$/, 'duplicate'],
  [/^SQLITE_CONSTRAINT/, 'constraint'],
  [/^SQLITE_(?:BUSY|LOCKED)/, 'busy'],
  [/^SQLITE_ERROR$/, 'syntax'],
];

function failureOf(error: unknown): unknown {
  const { code, message } = error as { code?: string; message: string };
  if (typeof code !== 'string' || !code.startsWith('SQLITE_')) return error;
  return new DbFailure(KINDS.find(([pattern]) => pattern.test(code))?.[1] ?? 'other', message, { code, cause: error });
}
