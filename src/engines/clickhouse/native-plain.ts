/**
 * Small results of the native protocol that cannot be formatted by an outer SELECT (SHOW, DESCRIBE, EXPLAIN …), read whole and as
 * text. Knows the few simple types that such statements answer with; refuses others instead of guessing at their bytes.
 */
import { DbFailure } from '../engine.ts';
import { wholeRange } from './kinds.ts';
import { type Cursor, readBlockHead, readColumnHead } from './native-packets.ts';

export interface PlainBlock {
  readonly names: readonly string[];
  readonly types: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export function readPlainBlock(cursor: Cursor): PlainBlock {
  const head = readBlockHead(cursor);
  const names: string[] = [];
  const types: string[] = [];
  const rows: string[][] = Array.from({ length: head.rows }, () => []);
  for (let index = 0; index < head.columns; index++) {
    const { name, type, special } = readColumnHead(cursor);
    names.push(name);
    types.push(type);
    if (head.rows === 0) continue;
    const read = special ? undefined : valueReader(type);
    if (read === undefined) {
      throw new DbFailure('unsupported', `a result of the type ${type} cannot be read here: use SELECT, or the HTTP port`);
    }
    for (const row of rows) row.push(read(cursor));
  }
  return { names, types, rows };
}

function valueReader(type: string): ((cursor: Cursor) => string) | undefined {
  if (type === 'String') return (cursor) => cursor.text();
  const range = wholeRange(type);
  if (range === undefined || range.bytes > 8) return undefined;
  return (cursor) => cursor.digits(range);
}
