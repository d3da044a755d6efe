/**
 * A response format: rows in, bytes out, one row at a time and never as an object; and any plain value (results of lark and expr).
 * A format knows kinds of values, not engines and not HTTP.
 */
import type { Cells, ResultColumn } from '../model/cells.ts';
import type { ByteWriter } from '../util/bytes/byte-writer.ts';
import type { PlainValue } from '../util/text/decimal.ts';

export interface RowWriter {
  /** Appends one row. */
  row(cells: Cells): void;
  /** Appends what closes the document. */
  end(): void;
}

export interface Format {
  readonly name: string;
  readonly contentType: string;
  /** Begins a document of rows; appends what opens it. */
  rows(columns: readonly ResultColumn[], out: ByteWriter): RowWriter;
  /** The same for a document that is the only row itself, where the format has another form for it than a list of one. */
  onlyRow?(columns: readonly ResultColumn[], out: ByteWriter): RowWriter;
  /** Writes a whole document for a value: JSON and YAML as it is, the others as rows (contract: object = one row, scalars in a column `value`). */
  value(value: PlainValue, out: ByteWriter): void;
  /**
   * Only for formats whose document begins with its length (BSON): what rows(), row() and end(), or value(), have appended is the body, and this
   * makes the head for a body of that many bytes. Undefined when the body is too large for the format.
   */
  readonly head?: (bodyBytes: number) => Buffer | undefined;
}
