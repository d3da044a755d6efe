/**
 * Encodes rows as one block in ClickHouse's native format, so that a batch is one insert block.
 * Errors name the row and the column of the value.
 */
import type { RowValues } from '../../../sql/rows.ts';
import type { Lease } from '../../../util/bytes/buffer-pool.ts';
import { DbFailure } from '../../contract/engine.ts';
import { encoderOf } from './column-encoders.ts';
import type { ColumnEncoder } from './column-parts.ts';
import { parseType } from './type-text.ts';

export interface ColumnShape {
  readonly name: string;
  readonly type: string;
}

export interface Block {
  readonly rows: number;
  readonly columns: readonly BlockColumn[];
}

export interface BlockColumn {
  readonly name: string;
  readonly type: string;
  readonly data: readonly Lease[];
}

/** The block uses pooled memory until `releaseBlock`. */
export function encodeBlock(shapes: readonly ColumnShape[], rows: RowValues): Block {
  const columns = shapes.map((shape, index): BlockColumn => {
    const type = sentType(shape.type);
    const encoder = encoderOf(parseType(type));
    for (let row = 0; row < rows.count; row++) {
      try {
        addCell(encoder, rows, row * rows.width + index);
      } catch (error) {
        throw atCell(error, row, shape.name);
      }
    }
    return { name: shape.name, type, data: [...encoder.prefix(), ...encoder.data()] };
  });
  return { rows: rows.count, columns };
}

/** Returns the memory of a block that was sent to the pool. */
export function releaseBlock({ columns }: Block): void {
  for (const { data } of columns) for (const piece of data) piece.release();
}

function addCell(encoder: ColumnEncoder, rows: RowValues, index: number): void {
  const from = rows.from[index] as number;
  if (from >= 0 && encoder.range !== undefined) {
    encoder.range(rows.source, from, rows.to[index] as number);
    return;
  }
  const value = rows.value(index);
  if (value === null) encoder.json(null);
  else if (typeof value === 'string') encoder.text(value);
  else encoder.text(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('utf8'));
}

function atCell(error: unknown, row: number, column: string): unknown {
  if (!(error instanceof DbFailure)) return error;
  return new DbFailure(error.kind, `row ${row}: ${error.message}`, { code: error.code, column, cause: error });
}

/**
 * Type of a Dynamic column on the wire: a Variant of everything that JSON has. The server converts
 * it.
 */
const JSON_TYPES =
  'Variant(Array(Nullable(Bool)), Array(Nullable(Float64)), Array(Nullable(Int64)), Array(Nullable(String)), Bool, Float64, Int64, String, UInt64)';

function sentType(type: string): string {
  return type === 'Dynamic' || type.startsWith('Dynamic(') ? JSON_TYPES : type;
}
