/** An answer in memory, bounded. */
import { AnswerTooLarge } from '../custom/answer.ts';
import type { Format, RowWriter } from '../formats/format.ts';
import type { Cells, ResultColumn, RowSink } from '../model/cells.ts';
import { ByteWriter } from '../util/byte-writer.ts';

const PIECE = 64 * 1024;

export class KeptBody implements RowSink {
  readonly out: ByteWriter;
  readonly #format: Format;
  readonly #mostBytes: number;
  readonly #pieces: Buffer[] = [];
  #writer: RowWriter | undefined;
  #size = 0;

  constructor(format: Format, mostBytes: number) {
    this.#format = format;
    this.#mostBytes = mostBytes;
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
    if (this.#format.head === undefined) return Buffer.concat(this.#pieces);
    const head = this.#format.head(this.#size);
    if (head === undefined) throw new AnswerTooLarge(this.#mostBytes);
    return Buffer.concat([head, ...this.#pieces]);
  }

  #add(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size > this.#mostBytes) throw new AnswerTooLarge(this.#mostBytes);
    this.#pieces.push(piece);
  }
}
