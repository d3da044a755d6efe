// A connection of the load generator: raw HTTP/1.1 with at most one request in flight.
import { connect } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

const numbers = { any: ({ most }) => 1 + Math.floor(Math.random() * most), next: (_, turn) => turn };

/** Returns a function that produces the next request of {variants, inTurn?}. */
export function requestTexts({ variants, inTurn }) {
  let turn = 0;
  return () => {
    const { pieces, numbers: wanted } = variants[inTurn ? turn % variants.length : Math.floor(Math.random() * variants.length)];
    turn++;
    let text = pieces[0];
    for (let i = 0; i < wanted.length; i++) text += numbers[wanted[i].kind](wanted[i], turn) + pieces[i + 1];
    return text;
  };
}

/**
 * Calls `onAnswer(connection, isRight, bytes)` after each response, and `onLost` when the
 * connection closes unexpectedly.
 */
export class Connection {
  #socket;
  #isEnded = false;
  #head = Buffer.alloc(0);
  /** Remaining bytes of the body; -1 while the head is read, -2 for chunks until the last one. */
  #left = -1;
  #tail = Buffer.alloc(0);
  #isRight = true;
  #bytes = 0;
  #onAnswer;

  constructor(port, onAnswer, onLost) {
    this.#onAnswer = onAnswer;
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true });
    this.#socket.on('data', (chunk) => this.#read(chunk));
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => this.#isEnded || onLost());
  }

  send(text) {
    this.#socket.write(text);
  }

  end() {
    this.#isEnded = true;
    this.#socket.destroy();
  }

  #read(chunk) {
    this.#bytes += chunk.length;
    let body = chunk;
    if (this.#left === -1) {
      const all = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
      const end = all.indexOf(HEAD_END);
      if (end < 0) {
        this.#head = all;
        return;
      }
      const head = all.toString('latin1', 0, end);
      this.#isRight = head.charCodeAt(9) === 0x32;
      const length = /\r\ncontent-length: *(\d+)/i.exec(head);
      this.#left = length ? Number(length[1]) : -2;
      this.#head = Buffer.alloc(0);
      body = all.subarray(end + 4);
    }
    if (this.#left >= 0) {
      this.#left -= body.length;
      if (this.#left <= 0) this.#done();
      return;
    }
    this.#tail = Buffer.concat([this.#tail, body]).subarray(-LAST_CHUNK.length);
    if (this.#tail.equals(LAST_CHUNK)) this.#done();
  }

  #done() {
    const bytes = this.#bytes;
    this.#left = -1;
    this.#tail = Buffer.alloc(0);
    this.#bytes = 0;
    this.#onAnswer(this, this.#isRight, bytes);
  }
}
