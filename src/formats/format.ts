/**
 * Interface of a response format: writes rows one at a time, or one plain value, as bytes.
 * Independent of engines and HTTP.
 */
import type { Cells, ResultColumn } from '../model/cells.ts';
import type { ByteWriter } from '../util/bytes/byte-writer.ts';
import type { PlainValue } from '../util/text/decimal.ts';

export interface RowWriter {
  /** Appends one row. */
  row(cells: Cells): void;
  /** Appends the end of the document. */
  end(): void;
}

export interface Format {
  readonly name: string;
  readonly contentType: string;
  /** Begins a document of rows and appends its start. */
  rows(columns: readonly ResultColumn[], out: ByteWriter): RowWriter;
  /** Begins a document that is a single row, if the format does not write it as a list. */
  onlyRow?(columns: readonly ResultColumn[], out: ByteWriter): RowWriter;
  /** Writes a value as a whole document: JSON and YAML directly, other formats as rows. */
  value(value: PlainValue, out: ByteWriter): void;
  /**
   * For formats whose document begins with its length (BSON): makes the head for a body of
   * `bodyBytes`. `undefined` if the body is too large for the format.
   */
  readonly head?: (bodyBytes: number) => Buffer | undefined;
}
