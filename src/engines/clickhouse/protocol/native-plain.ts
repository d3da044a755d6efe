/**
 * Reads small results that no outer SELECT can format (SHOW, DESCRIBE, EXPLAIN …) as text, limited
 * like a message. Rejects types other than the simple ones that such statements return. Reads
 * incrementally, so that a block that arrives byte by byte costs no more than a whole one.
 */
import { DbFailure } from '../../contract/engine.ts';
import { LIMITS, malformed } from '../../contract/limits.ts';
import { wholeRange } from '../types/kinds.ts';
import { type BlockHead, type Cursor, readBlockHead, readColumnHead } from './native-packets.ts';

/** Approximate size of a value besides its text. */
const VALUE_BYTES = 24;
const MAX_SHOWN = 60;

type ValueReader = (cursor: Cursor) => string;

interface BlockColumn {
  readonly name: string;
  readonly type: string;
  /** `undefined` if there is nothing to read. */
  readonly read: ValueReader | undefined;
  readonly values: string[];
}

export class PlainResult {
  names: readonly string[] = [];
  types: readonly string[] = [];
  readonly rows: (readonly string[])[] = [];
  #bytes = 0;
  #head: BlockHead | undefined;
  #columns: BlockColumn[] = [];

  /** Continues reading a block, to its end unless the cursor runs short. */
  readBlock(cursor: Cursor): void {
    this.#head ??= readBlockHead(cursor);
    cursor.commit();
    const { columns, rows } = this.#head;
    for (;;) {
      const last = this.#columns.at(-1);
      if (last !== undefined) this.#readValues(cursor, last, rows);
      if (this.#columns.length === columns) break;
      this.#readColumn(cursor, rows);
    }
    this.#finish(columns === 0 ? 0 : rows);
  }

  #readColumn(cursor: Cursor, rows: number): void {
    const { name, type, special } = readColumnHead(cursor);
    this.#count(name.length + type.length);
    const read = special ? undefined : valueReader(type);
    if (rows > 0 && read === undefined) {
      throw new DbFailure('unsupported', `a result of the type ${shown(type)} cannot be read here: use SELECT, or the HTTP port`);
    }
    this.#columns.push({ name, type, read, values: [] });
    cursor.commit();
  }

  #readValues(cursor: Cursor, { read, values }: BlockColumn, rows: number): void {
    if (read === undefined) return;
    while (values.length < rows) {
      const value = read(cursor);
      this.#count(value.length);
      values.push(value);
      cursor.commit();
    }
  }

  /** Ignores blocks without columns; all others have the same columns. */
  #finish(rows: number): void {
    const columns = this.#columns;
    this.#head = undefined;
    this.#columns = [];
    if (columns.length === 0) return;
    if (this.names.length !== 0 && this.names.length !== columns.length) throw malformed('blocks of different columns');
    this.names = columns.map(({ name }) => name);
    this.types = columns.map(({ type }) => type);
    for (let i = 0; i < rows; i++) this.rows.push(columns.map(({ values }) => values[i] ?? ''));
  }

  #count(size: number): void {
    this.#bytes += VALUE_BYTES + size;
    if (this.#bytes > LIMITS.messageBytes)
      throw malformed(`a result of more than ${LIMITS.messageBytes} bytes from a statement other than SELECT`);
  }
}

function shown(type: string): string {
  return type.length > MAX_SHOWN ? `${type.slice(0, MAX_SHOWN)}…` : type;
}

function valueReader(type: string): ValueReader | undefined {
  if (type === 'String') return (cursor) => cursor.text(LIMITS.messageBytes);
  const range = wholeRange(type);
  if (range === undefined || range.bytes > 8) return undefined;
  return (cursor) => cursor.digits(range);
}
