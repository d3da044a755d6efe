/**
 * One client's connection: requests in, one at a time, each answered before the next is read. What comes too early waits, what comes too
 * slowly or in a wrong form is refused, and a client that leaves is noticed while its request runs.
 */
import type { Socket } from 'node:net';
import { type BodyReader, ChunkedBody, sizedBody } from './body.ts';
import { HeadReader, type RequestHead } from './head.ts';
import { CHUNKED } from './header-section.ts';
import { type Refusal, Refused } from './refusal.ts';
import { REST_SECS, Reply } from './reply.ts';

/** Of the request line and the headers together. */
const MAX_HEAD_BYTES = 32 * 1024;
/** A request line that takes more than half of that is what made the whole too large. */
const LONG_LINE = MAX_HEAD_BYTES / 2;
/** Requests that were sent ahead wait in memory up to this size, then in the client. */
const MOST_AHEAD = 64 * 1024;

/** Connections are looked at so often; times are counted in looks, which cost nothing. */
export const LOOK_MS = 1000;
const HEAD_LOOKS = 15;
const REQUEST_LOOKS = 120;
const REST_LOOKS = (REST_SECS * 1000) / LOOK_MS;
/** How long the rest of a refused body may take to arrive: a client that is still sending would not see the answer. */
const DROP_LOOKS = 10;

const HEAD_END = Buffer.from('\r\n\r\n');
const NOTHING: Buffer = Buffer.alloc(0);
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
/** Stands for a request whose head could not be read. */
const UNREADABLE: RequestHead = {
  method: 'UNKNOWN',
  target: '/',
  section: { minor: 1, lines: [], keepAlive: false, length: 0, expectsContinue: false, reading: undefined },
};

export interface Listener {
  readonly maxBodyBytes: number;
  request(head: RequestHead, body: Buffer, reply: Reply): void;
  refused(head: RequestHead, refusal: Refusal, reply: Reply): void;
  closed(connection: Connection): void;
}

/** `rest`: between requests. `head`, `body`: a request arrives. `answer`: it runs. `drop`: no more is read but to be forgotten. */
type State = 'rest' | 'head' | 'body' | 'answer' | 'drop';

export class Connection {
  readonly socket: Socket;
  readonly opened = performance.now();
  /** Has any request come? */
  used = false;
  readonly #listener: Listener;
  readonly #heads = new HeadReader();
  #state: State = 'rest';
  /** How often the connection was looked at since it entered this state. */
  #looks = 0;
  /** Bytes that were received and not looked at yet. */
  #ahead = NOTHING;
  #head: RequestHead | undefined;
  #reader: BodyReader | undefined;
  #reply: Reply | undefined;
  #reading = false;
  #refused = false;

  constructor(socket: Socket, listener: Listener) {
    this.socket = socket;
    this.#listener = listener;
    socket.on('data', (bytes: Buffer) => this.#data(bytes));
    socket.on('drain', () => this.#reply?.onDrain?.());
    socket.on('end', () => this.#end());
    // What went wrong matters to nobody: the connection closes.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#reply?.leave();
      listener.closed(this);
    });
  }

  /** Neither a request nor an answer is under way. */
  get idle(): boolean {
    return this.#state === 'rest' && this.socket.writableLength === 0;
  }

  /** Called every LOOK_MS: ends what has taken too long. */
  look(): void {
    const age = this.#looks++;
    if (this.#state === 'head' && age > HEAD_LOOKS) this.#refuse('too_slow');
    else if (this.#state === 'body' && age > REQUEST_LOOKS) this.#refuse('too_slow');
    else if ((this.#state === 'rest' && age > REST_LOOKS) || (this.#state === 'drop' && age > DROP_LOOKS)) this.socket.destroy();
  }

  /** The answer is complete. */
  answered(closes: boolean): void {
    this.#reply = undefined;
    if (closes) {
      this.#close();
      return;
    }
    this.#enter('rest');
    if (this.socket.isPaused()) this.socket.resume();
    // Called from within the reading of an earlier request, that goes on by itself.
    if (!this.#reading && this.#ahead.length > 0) this.#read();
  }

  /** A connection that closes while the client is still sending is reset, and the answer may be lost with it. */
  #close(): void {
    this.#enter('drop');
    this.#ahead = NOTHING;
    if (this.#refused) this.socket.end();
    else this.socket.destroySoon();
  }

  #enter(state: State): void {
    this.#state = state;
    this.#looks = 0;
  }

  #data(bytes: Buffer): void {
    if (this.#state === 'drop') return;
    this.#ahead = this.#ahead.length === 0 ? bytes : Buffer.concat([this.#ahead, bytes]);
    if (this.#state !== 'answer') this.#read();
    else if (this.#ahead.length > MOST_AHEAD) this.socket.pause();
  }

  /** A client that says no more is taken for one that has gone, as by most servers. */
  #end(): void {
    if (this.#state === 'answer') this.socket.destroy();
    else this.socket.destroySoon();
  }

  /** Reads requests until one has to be waited for. */
  #read(): void {
    this.#reading = true;
    try {
      while (this.#ahead.length > 0 && this.#step());
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.#refuse(error.refusal);
    } finally {
      this.#reading = false;
    }
  }

  /** Returns whether there is more to do with what is there. */
  #step(): boolean {
    switch (this.#state) {
      case 'rest':
        return this.#skipBlank();
      case 'head':
        return this.#readHead();
      case 'body':
        return this.#readBody();
      default:
        return false;
    }
  }

  /** Some clients end a body with an empty line that is not part of it. */
  #skipBlank(): boolean {
    let at = 0;
    while (this.#ahead[at] === 0x0d || this.#ahead[at] === 0x0a) at++;
    if (at > 0) this.#ahead = this.#ahead.subarray(at);
    if (this.#ahead.length === 0) return false;
    this.#enter('head');
    return true;
  }

  #readHead(): boolean {
    const bytes = this.#ahead;
    const end = bytes.indexOf(HEAD_END);
    if (end > MAX_HEAD_BYTES || (end < 0 && bytes.length > MAX_HEAD_BYTES)) {
      const line = bytes.indexOf('\r\n');
      throw new Refused(line < 0 || line > LONG_LINE ? 'target_too_long' : 'head_too_large');
    }
    if (end < 0) return false;
    const head = this.#heads.read(bytes, end);
    const { length, expectsContinue } = head.section;
    this.#head = head;
    this.used = true;
    this.#ahead = end + HEAD_END.length === bytes.length ? NOTHING : bytes.subarray(end + HEAD_END.length);
    if (length === 0) {
      this.#answer(head, NOTHING);
      return true;
    }
    const most = this.#listener.maxBodyBytes;
    if (length > most) throw new Refused('body_too_large');
    this.#reader = length === CHUNKED ? new ChunkedBody(most) : sizedBody(length);
    this.#enter('body');
    if (expectsContinue && this.#ahead.length === 0) this.socket.write(CONTINUE, 'latin1');
    return true;
  }

  #readBody(): boolean {
    const reader = this.#reader;
    const head = this.#head;
    if (reader === undefined || head === undefined) return false;
    const bytes = this.#ahead;
    const at = reader.take(bytes, 0);
    this.#ahead = at === bytes.length ? NOTHING : bytes.subarray(at);
    if (!reader.done) return false;
    this.#reader = undefined;
    this.#answer(head, reader.body());
    return true;
  }

  #answer(head: RequestHead, body: Buffer): void {
    this.#enter('answer');
    this.#head = undefined;
    const reply = new Reply(this, head);
    this.#reply = reply;
    this.#listener.request(head, body, reply);
  }

  /** Says why and closes; what still comes is read and forgotten for a while, so that the client sees the answer. */
  #refuse(refusal: Refusal): void {
    const head = this.#head ?? UNREADABLE;
    this.#head = undefined;
    this.#reader = undefined;
    this.#ahead = NOTHING;
    this.#refused = true;
    this.#enter('answer');
    const reply = new Reply(this, head);
    reply.closeAfter();
    this.#reply = reply;
    this.#listener.refused(head, refusal, reply);
  }
}
