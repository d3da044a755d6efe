/** Collects an answer in memory, up to a bound. */
import type { Format, RowWriter } from '../../formats/format.ts';
import type { Cells, ResultColumn, RowSink } from '../../model/cells.ts';
import type { Lease } from '../../util/bytes/buffer-pool.ts';
import { ByteWriter } from '../../util/bytes/byte-writer.ts';

const PIECE = 64 * 1024;
const NO_HEAD = Buffer.alloc(0);

export class BufferedBody implements RowSink {
  readonly out: ByteWriter;
  readonly #format: Format;
  readonly #mostBytes: number;
  readonly #tooLarge: (mostBytes: number) => Error;
  readonly #pieces: Lease[] = [];
  #writer: RowWriter | undefined;
  #size = 0;

  /** `tooLarge` makes the error for a body that exceeds the bound. */
  constructor(format: Format, mostBytes: number, tooLarge: (mostBytes: number) => Error) {
    this.#format = format;
    this.#mostBytes = mostBytes;
    this.#tooLarge = tooLarge;
    this.out = new ByteWriter(PIECE, (piece) => this.#add(piece));
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
    if (head === undefined) throw this.#tooLarge(this.#mostBytes);
    const body = Buffer.concat([head, ...this.#pieces.map(({ bytes }) => bytes)]);
    for (const piece of this.#pieces) piece.release();
    return body;
  }

  #add(piece: Lease): void {
    this.#size += piece.length;
    if (this.#size > this.#mostBytes) throw this.#tooLarge(this.#mostBytes);
    this.#pieces.push(piece);
  }
}
