/**
 * One client connection. Requests are read one at a time; the next one is read when the system has taken the answer to the last. Early bytes
 * wait; slow or malformed requests are refused; a client that leaves is noticed while its request runs, and one that stops reading is reset.
 */
import type { Socket } from 'node:net';
import type { Lease } from '../util/bytes/buffer-pool.ts';
import { Arrival } from './body-progress.ts';
import { Beginning, blankLines } from './early-validator.ts';
import { HEAD_END, HeadReader, headEnd, type RequestHead, UNREADABLE } from './head.ts';
import type { Listener } from './listener.ts';
import { PendingBytes } from './pending-bytes.ts';
import { type Refusal, Refused } from './refusal.ts';
import { HttpReply, REST_SECS, reset } from './reply.ts';
import type { SystemSocket } from './system-sockets.ts';
import { Sending } from './write-stall.ts';

/** Pipelined requests wait in memory up to this size, then in the client. */
const MOST_AHEAD = 64 * 1024;

/** After this many bytes of one body, others come first. The runtime itself would read on. */
const BODY_TURN_BYTES = 128 * 1024;
const DROP_TURN_BYTES = 32 * 1024;

/** The interval of sweeps. Times are counted in sweeps, which costs nothing. */
export const SWEEP_MS = 1000;
const HEAD_SWEEPS = 15;
/** For connections over the limit, which are only told so. */
const SURPLUS_HEAD_SWEEPS = 2;
const REST_SWEEPS = (REST_SECS * 1000) / SWEEP_MS;
/** How long the rest of a refused body may take to arrive: a client that is still sending would not see the answer. */
const DROP_SWEEPS = 10;
/** How long pipelined bytes that exceed the memory limit wait behind one answer. */
const DEAF_SWEEPS = 5;

const NOTHING: Buffer = Buffer.alloc(0);
const CR = 0x0d;
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

/**
 * `rest`: between requests. `head`, `body`: a request arrives. `screen`: it is being decided whether its body may come. `answer`: it runs.
 * `flush`: the answer is complete, but the client has not taken it. `turn`: others come first. `drop`: input is discarded.
 */
type State = 'rest' | 'head' | 'body' | 'screen' | 'answer' | 'flush' | 'turn' | 'drop';

/** Is input read at once in this state? */
const readsIn = (state: State): boolean => state === 'rest' || state === 'head' || state === 'body';

export class HttpConnection {
  readonly socket: Socket;
  readonly opened = performance.now();
  /** Has any request come? */
  used = false;
  /** Why it is over the limit. It is told so, unless it asks for the service's health. */
  readonly surplus: string | undefined;
  readonly #listener: Listener;
  readonly #heads = new HeadReader();
  readonly #beginning = new Beginning();
  readonly #sending: Sending;
  #state: State = 'rest';
  /** How often the connection was swept in this state. */
  #sweeps = 0;
  /** Received bytes that have not been parsed, and the early ones behind them. */
  #ahead = NOTHING;
  readonly #waiting = new PendingBytes();
  #head: RequestHead | undefined;
  #arrival: Arrival | undefined;
  #reply: HttpReply | undefined;
  #closes = false;
  #refused = false;
  /** More was pipelined than may wait: it is discarded, and the connection closes after the current answer. */
  #overrun = false;
  /** The bytes read since others had their turn. */
  #turn = 0;
  /** The client has closed its side. */
  #ended = false;

  constructor(socket: Socket, listener: Listener, surplus?: string) {
    this.socket = socket;
    this.#listener = listener;
    this.surplus = surplus;
    this.#sending = new Sending(socket);
    socket.on('data', (bytes: Buffer) => this.#data(bytes));
    socket.on('drain', () => this.#reply?.onDrain?.());
    socket.on('end', () => this.#end());
    // The cause does not matter: the connection closes.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#forgetBody();
      this.#reply?.leave();
      listener.closed(this);
    });
  }

  /** No request and no answer is under way. */
  get idle(): boolean {
    return this.#state === 'rest' && this.socket.writableLength === 0;
  }

  /** For how many sweeps it has been idle. */
  get rested(): number {
    return this.idle ? this.#sweeps : 0;
  }

  /** For how many sweeps little of a body has come; 0 when none is expected. */
  get slow(): number {
    return this.#state === 'body' ? (this.#arrival?.slow ?? 0) : 0;
  }

  /** Does only the system know whether a silent client still reads, or has left while we do not read? */
  get wantsSystem(): boolean {
    return this.#isDeaf || (this.socket.writableLength > 0 && this.#sending.stuck >= this.#listener.stallSweeps / 4);
  }

  /** So much was pipelined that we read no more for now, and would not notice the client leaving. */
  get #isDeaf(): boolean {
    return this.#state === 'answer' && this.socket.isPaused();
  }

  /** Ends a connection that, by what the system knows, has stalled or gone. */
  learn(known: SystemSocket | undefined): void {
    if (known?.open === false && this.#isDeaf) reset(this.socket);
    else if (this.#sending.hasStalled(known?.unsent, this.#listener.stallSweeps)) this.#stall();
  }

  /** Called every SWEEP_MS: ends what takes too long. */
  sweep(): void {
    const age = this.#sweeps++;
    if (age > DEAF_SWEEPS && this.#isDeaf) this.#listen();
    if (this.socket.writableLength > 0) {
      // As long as something is unsent, the connection is not idle.
      if (this.#state === 'drop') this.#sweeps = 0;
      this.#sending.sweep();
      return;
    }
    this.#sending.rest();
    if (this.#state === 'head' && age > (this.surplus === undefined ? HEAD_SWEEPS : SURPLUS_HEAD_SWEEPS)) this.#refuse('too_slow');
    else if (this.#state === 'body' && this.#arrival?.isLate(age, this.#listener.stallSweeps) === true) this.#refuse('too_slow');
    else if (this.#state === 'rest' && age > (this.surplus === undefined ? REST_SWEEPS : SURPLUS_HEAD_SWEEPS)) this.socket.destroy();
    else if (this.#state === 'drop' && age > DROP_SWEEPS) this.socket.destroy();
  }

  /** A client that leaves behind unread input is noticed only by reading it. It may repeat what was not answered. */
  #listen(): void {
    this.#overrun = true;
    this.#ahead = NOTHING;
    this.#waiting.clear();
    this.#reply?.closeAfter();
    this.socket.resume();
  }

  /** Ends a stalled body, so that others have room. */
  giveWay(): void {
    this.#refuse('too_slow');
  }

  /** Resets the connection while a request runs. */
  breakOff(): void {
    if (this.#state === 'answer' || this.#state === 'flush') reset(this.socket);
    else this.socket.destroy();
  }

  /** The answer is complete. It is over when the system has taken all of it. */
  answered(closes: boolean): void {
    this.#closes = closes;
    if (this.socket.writableLength === 0) {
      this.#sent();
      return;
    }
    this.#enter('flush');
    this.socket.write(NOTHING, (error) => {
      if (!error) this.#sent();
    });
  }

  get isLeaving(): boolean {
    return this.#listener.isLeaving;
  }

  bodyDone(bytes: number): void {
    this.#listener.bodies.release(bytes);
  }

  #sent(): void {
    const reply = this.#reply;
    this.#reply = undefined;
    reply?.sent();
    if (this.#closes) {
      this.#close();
    } else if (this.#ahead.length > 0 || this.#waiting.size > 0) {
      // One request per turn: a client that pipelines must not hold up the others.
      this.#enter('turn');
      setImmediate(() => this.#goOn());
    } else {
      this.#enter('rest');
      this.#awaitMore();
    }
  }

  #goOn(): void {
    if (this.#state !== 'turn' || this.socket.destroyed) return;
    this.#enter('rest');
    this.#read();
  }

  /** Closing while the client still sends would reset the connection, and the answer could be lost. */
  #close(): void {
    const isSending = this.#refused || this.#overrun || this.#ahead.length > 0 || this.#waiting.size > 0;
    this.#enter('drop');
    this.#ahead = NOTHING;
    this.#waiting.clear();
    if (this.socket.isPaused()) this.socket.resume();
    if (isSending) this.socket.end();
    else this.socket.destroySoon();
  }

  #stall(): void {
    if (this.#reply !== undefined) this.#reply.stalled = true;
    reset(this.socket);
  }

  #enter(state: State): void {
    this.#state = state;
    this.#sweeps = 0;
    this.#turn = 0;
  }

  #data(bytes: Buffer): void {
    this.#turn += bytes.length;
    this.#take(bytes);
    if (this.#state === 'body' ? this.#turn > BODY_TURN_BYTES : this.#turn > DROP_TURN_BYTES && this.#forgets) this.#breathe();
  }

  #breathe(): void {
    this.socket.pause();
    const goOn = (): void => {
      this.#turn = 0;
      if (this.#state === 'body' || this.#forgets) this.socket.resume();
    };
    if (this.#forgets) this.#listener.forgetting.queue(goOn);
    else setImmediate(goOn);
  }

  get #forgets(): boolean {
    return this.#state === 'drop' || this.#overrun;
  }

  #take(bytes: Buffer): void {
    if (this.#forgets) return;
    if (readsIn(this.#state)) {
      this.#ahead = this.#ahead.length === 0 ? bytes : Buffer.concat([this.#ahead, bytes]);
      this.#read();
    } else {
      this.#waiting.add(bytes);
      if (this.#ahead.length + this.#waiting.size > MOST_AHEAD) this.socket.pause();
    }
  }

  /** A client that closes its side counts as gone, as with most servers. It may still read what was sent. */
  #end(): void {
    this.#ended = true;
    if (this.#state === 'answer' || this.#state === 'screen') reset(this.socket);
    else if (this.#state !== 'flush' && this.#state !== 'turn') this.socket.destroySoon();
  }

  #awaitMore(): void {
    if (this.#ended) this.socket.destroySoon();
    else if (this.socket.isPaused()) this.socket.resume();
  }

  /** Reads requests until one is incomplete. */
  #read(): void {
    try {
      do while (this.#ahead.length > 0 && this.#step());
      while (this.#takeWaiting());
      if (readsIn(this.#state)) this.#awaitMore();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.#refuse(error.refusal);
    }
  }

  #takeWaiting(): boolean {
    if (this.#waiting.size === 0 || !readsIn(this.#state)) return false;
    this.#ahead = this.#waiting.take(this.#ahead);
    return true;
  }

  /** Returns whether there is more to do with the bytes at hand. */
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

  #skipBlank(): boolean {
    const at = blankLines(this.#ahead);
    if (at > 0) this.#ahead = this.#ahead.subarray(at);
    const { length } = this.#ahead;
    if (length === 0 || (length === 1 && this.#ahead[0] === CR)) return false;
    this.#enter('head');
    this.#beginning.reset();
    return true;
  }

  #readHead(): boolean {
    const bytes = this.#ahead;
    const end = headEnd(bytes);
    if (end < 0) {
      this.#beginning.check(bytes);
      return false;
    }
    const head = this.#heads.read(bytes, end);
    const { length } = head.section;
    this.#head = head;
    this.used = true;
    this.#ahead = end + HEAD_END.length === bytes.length ? NOTHING : bytes.subarray(end + HEAD_END.length);
    if (this.surplus !== undefined && (length !== 0 || !this.#listener.isVital(head))) throw new Refused('overloaded');
    if (length === 0) {
      this.#answer(head, NOTHING, 0);
      return true;
    }
    const most = this.#listener.maxBodyBytes;
    if (length > most) throw new Refused('body_too_large');
    this.#arrival = new Arrival(length, most);
    this.#enter('body');
    return this.#readBody();
  }

  #readBody(): boolean {
    const arrival = this.#arrival;
    const head = this.#head;
    if (arrival === undefined || head === undefined) return false;
    const { reader } = arrival;
    const bytes = this.#ahead;
    const at = reader.take(bytes, 0);
    this.#ahead = at === bytes.length ? NOTHING : bytes.subarray(at);
    const { bodies } = this.#listener;
    if (!arrival.count(bodies) && !(this.#listener.makeRoom(this) && arrival.count(bodies))) throw new Refused('bodies_full');
    if (reader.done) {
      this.#arrival = undefined;
      this.#answer(head, reader.body(), arrival.takeCounted());
      return true;
    }
    // A body that comes with its head is checked with it. Any other is checked before more of it is read.
    if (arrival.screened) return false;
    arrival.screened = true;
    return this.#screen(head);
  }

  #forgetBody(): void {
    if (this.#arrival === undefined) return;
    this.#listener.bodies.release(this.#arrival.takeCounted());
    this.#arrival = undefined;
  }

  #screen(head: RequestHead): boolean {
    const reply = new HttpReply(this, head, 0);
    const verdict = this.#listener.screen(head, reply);
    if (!(verdict instanceof Promise)) return this.#admit(head, reply, verdict);
    this.#enter('screen');
    void verdict.then((found) => {
      if (this.#state !== 'screen' || this.socket.destroyed) return;
      this.#enter('body');
      if (this.#admit(head, reply, found)) this.#read();
    });
    return false;
  }

  /** Returns whether the body may come; otherwise the request is answered without it. */
  #admit(head: RequestHead, reply: HttpReply, refuse: (() => void) | undefined): boolean {
    if (refuse !== undefined) {
      this.#turnAway(reply, refuse);
      return false;
    }
    if (head.section.expectsContinue && this.#arrival?.reader.size === 0) this.socket.write(CONTINUE, 'latin1');
    return true;
  }

  #answer(head: RequestHead, body: Buffer | Lease, counted: number): void {
    this.#enter('answer');
    this.#head = undefined;
    const reply = new HttpReply(this, head, counted);
    if (this.surplus !== undefined) reply.closeAfter();
    this.#reply = reply;
    this.#listener.request(head, body, reply);
  }

  #refuse(refusal: Refusal): void {
    const head = this.#head ?? UNREADABLE;
    const reply = new HttpReply(this, head, 0);
    this.#turnAway(reply, () => this.#listener.refused(head, refusal, reply));
  }

  /** Sends the reason and closes. Input is discarded for a while, so that the client sees the answer. */
  #turnAway(reply: HttpReply, say: () => void): void {
    this.#head = undefined;
    this.#forgetBody();
    this.#ahead = NOTHING;
    this.#waiting.clear();
    this.#refused = true;
    this.#enter('answer');
    reply.closeAfter();
    this.#reply = reply;
    say();
  }
}
