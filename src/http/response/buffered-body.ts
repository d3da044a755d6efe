/** Collects a response body in memory, up to a limit. */
import type { Format, RowWriter } from '../../formats/format.ts';
import type { Cells, ResultColumn, RowSink } from '../../model/cells.ts';
import type { Lease } from '../../util/bytes/buffer-pool.ts';
import { ByteWriter } from '../../util/bytes/byte-writer.ts';

const PIECE_BYTES = 64 * 1024;
const NO_HEAD = Buffer.alloc(0);

export class BufferedBody implements RowSink {
  readonly out: ByteWriter;
  readonly #format: Format;
  readonly #maxBytes: number;
  readonly #tooLarge: (maxBytes: number) => Error;
  readonly #pieces: Lease[] = [];
  #writer: RowWriter | undefined;
  #size = 0;

  /** `tooLarge` makes the error for a body that exceeds the limit. */
  constructor(format: Format, maxBytes: number, tooLarge: (maxBytes: number) => Error) {
    this.#format = format;
    this.#maxBytes = maxBytes;
    this.#tooLarge = tooLarge;
    this.out = new ByteWriter(PIECE_BYTES, (piece) => this.#add(piece));
  }

  start(columns: readonly ResultColumn[]): void {
    this.#writer = this.#format.rows(columns, this.out);
  }

  row(cells: Cells): void {
    this.#writer?.row(cells);
    this.out.flushIfFull();
  }

  take(): Buffer {
    this.#writer?.end();
    this.#add(this.out.take());
    const head = this.#format.head === undefined ? NO_HEAD : this.#format.head(this.#size);
    if (head === undefined) throw this.#tooLarge(this.#maxBytes);
    const body = Buffer.concat([head, ...this.#pieces.map(({ bytes }) => bytes)]);
    for (const piece of this.#pieces) piece.release();
    return body;
  }

  #add(piece: Lease): void {
    this.#size += piece.length;
    if (this.#size > this.#maxBytes) throw this.#tooLarge(this.#maxBytes);
    this.#pieces.push(piece);
  }
}
