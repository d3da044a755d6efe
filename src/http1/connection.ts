/**
 * One client connection: a state machine that reads requests one at a time and sends their replies.
 */
import type { Socket } from 'node:net';
import type { Lease } from '../util/bytes/buffer-pool.ts';
import type { ConnectionContext, ConnectionLimit } from './connection-context.ts';
import { STATES, type State } from './connection-states.ts';
import { type RequestHead, UNREADABLE } from './head/request-head.ts';
import { IncomingBody } from './incoming-body.ts';
import { HttpReply, type ReplyChannel, resetSocket } from './reply.ts';
import { RequestInput } from './request-input.ts';
import { type RejectReason, RequestRejected } from './request-rejected.ts';
import { WriteTimeout } from './write-timeout.ts';

/** Reading pauses when more pipelined bytes are buffered. */
const MAX_BUFFERED_BYTES = 64 * 1024;
/**
 * A client that leaves is noticed only while its input is read. After this time with paused input,
 * reading continues and the input is discarded.
 */
const MAX_PAUSED_MS = 5000;

/** Other connections run after this many bytes of one body, or of discarded input. */
const BODY_SLICE_BYTES = 128 * 1024;
const DISCARD_SLICE_BYTES = 32 * 1024;

const NO_BODY: Buffer = Buffer.alloc(0);
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

export class HttpConnection implements ReplyChannel {
  readonly socket: Socket;
  readonly openedAt = performance.now();
  /** `true` after the first request. */
  isUsed = false;
  /** The limit that this connection exceeds. Only exempt requests are served then. */
  readonly #overLimit: ConnectionLimit | undefined;
  readonly #context: ConnectionContext<HttpConnection>;
  readonly #input: RequestInput;
  readonly #writes: WriteTimeout;
  #state: State = 'idle';
  #stateSince = this.openedAt;
  #head: RequestHead | undefined;
  #body: IncomingBody | undefined;
  #reply: HttpReply | undefined;
  #closesAfterReply = false;
  #isRejected = false;
  /** Too much input was pipelined: it is discarded, and the connection closes after the reply. */
  #discardsInput = false;
  #bytesInSlice = 0;
  #hasClientEnded = false;

  constructor(socket: Socket, context: ConnectionContext<HttpConnection>, overLimit?: ConnectionLimit) {
    this.socket = socket;
    this.#context = context;
    this.#overLimit = overLimit;
    this.#input = new RequestInput(context.names);
    this.#writes = new WriteTimeout(socket, context.stallMs);
    socket.on('data', (bytes: Buffer) => this.#onBytes(bytes));
    socket.on('drain', () => this.#reply?.onDrain?.());
    socket.on('end', () => this.#onEnd());
    socket.on('timeout', () => this.#onStall());
    // Whatever the error is, 'close' follows.
    socket.on('error', () => undefined);
    socket.on('close', () => this.#onClose());
  }

  get isIdle(): boolean {
    return this.#state === 'idle' && this.socket.writableLength === 0;
  }

  /** Milliseconds since the last request, 0 while there is one. */
  idleMs(now: number): number {
    return this.isIdle ? now - this.#stateSince : 0;
  }

  /** Milliseconds during which almost nothing of an expected body has arrived. */
  get slowBodyMs(): number {
    return this.#state === 'body' ? (this.#body?.slowMs ?? 0) : 0;
  }

  get isClosing(): boolean {
    return this.#context.isClosing;
  }

  dateLine(): string {
    return this.#context.date.line();
  }

  /** Called every second. Ends whatever takes too long. */
  tick(now: number): void {
    if (now - this.#stateSince > MAX_PAUSED_MS && this.#state === 'respond' && this.socket.isPaused()) this.#discardInput();
    if (this.#writes.isExceeded(now)) this.#onStall();
    else if (this.socket.writableLength > 0) this.#postponeTimeout(now);
    else if (this.#isTimedOut(now)) this.#onTimeout();
  }

  /** Rejects a slow body, because others need its memory. */
  evictBody(): void {
    this.#reject('too_slow');
  }

  /** Ends the connection now. A reply that is not complete must not look complete to the client. */
  abort(): void {
    if (this.#state === 'respond' || this.#state === 'flush') resetSocket(this.socket);
    else this.socket.destroy();
  }

  /** The reply is complete. It has been delivered when the system has accepted all of its bytes. */
  replied(closesConnection: boolean): void {
    this.#closesAfterReply = closesConnection;
    if (this.socket.writableLength === 0) {
      this.#onFlushed();
      return;
    }
    this.#enter('flush');
    this.socket.write(NO_BODY, (error) => {
      if (!error) this.#onFlushed();
    });
  }

  releaseBody(bytes: number): void {
    this.#context.bodies.release(bytes);
  }

  #enter(state: State): void {
    this.#state = state;
    this.#stateSince = performance.now();
    this.#bytesInSlice = 0;
  }

  // Events

  #onBytes(bytes: Buffer): void {
    this.#bytesInSlice += bytes.length;
    const reaction = this.#discardsInput ? 'discard' : STATES[this.#state].onBytes;
    if (reaction === 'parse') {
      this.#input.append(bytes);
      this.#parse();
    } else if (reaction === 'buffer') {
      this.#input.addPipelined(bytes);
      if (this.#input.size > MAX_BUFFERED_BYTES) this.socket.pause();
    }
    if (this.#isDiscarding) {
      if (this.#bytesInSlice > DISCARD_SLICE_BYTES) this.#yieldReading();
    } else if (this.#state === 'body' && this.#bytesInSlice > BODY_SLICE_BYTES) this.#yieldReading();
  }

  #onEnd(): void {
    this.#hasClientEnded = true;
    const { onEnd } = STATES[this.#state];
    if (onEnd === 'reset') resetSocket(this.socket);
    else if (onEnd === 'close') this.socket.destroySoon();
  }

  #isTimedOut(now: number): boolean {
    if (this.#state === 'body') return this.#body?.isLate(now, this.#context.stallMs) === true;
    const { maxMs, overLimitMs } = STATES[this.#state];
    return now - this.#stateSince > (this.#overLimit === undefined ? maxMs : overLimitMs);
  }

  #onTimeout(): void {
    if (STATES[this.#state].onTimeout === 'reject') this.#reject('too_slow');
    else this.socket.destroy();
  }

  /** While bytes wait to be sent, closing would lose them. */
  #postponeTimeout(now: number): void {
    if (this.#state === 'discard') this.#stateSince = now;
  }

  /** The client does not read its response. */
  #onStall(): void {
    if (this.socket.writableLength === 0) return;
    if (this.#reply !== undefined) this.#reply.isStalled = true;
    resetSocket(this.socket);
  }

  #onClose(): void {
    this.#dropBody();
    this.#reply?.clientLeft();
    this.#context.closed(this);
  }

  #onFlushed(): void {
    const reply = this.#reply;
    this.#reply = undefined;
    reply?.flushed();
    if (this.#closesAfterReply) this.#close();
    else if (this.#input.size > 0) {
      this.#enter('yield');
      setImmediate(() => this.#onYielded());
    } else {
      this.#enter('idle');
      this.#awaitInput();
    }
  }

  #onYielded(): void {
    if (this.#state !== 'yield' || this.socket.destroyed) return;
    this.#enter('idle');
    this.#input.takePipelined();
    this.#parse();
  }

  // Reading

  get #isDiscarding(): boolean {
    return this.#state === 'discard' || this.#discardsInput;
  }

  /** Pauses reading until other connections have run. */
  #yieldReading(): void {
    this.socket.pause();
    const resume = (): void => {
      this.#bytesInSlice = 0;
      if (this.#state === 'body' || this.#isDiscarding) this.socket.resume();
    };
    if (this.#isDiscarding) this.#context.discards.add(resume);
    else setImmediate(resume);
  }

  #awaitInput(): void {
    if (this.#hasClientEnded) this.socket.destroySoon();
    else if (this.socket.isPaused()) this.socket.resume();
  }

  /** The client may repeat the discarded requests on another connection. */
  #discardInput(): void {
    this.#discardsInput = true;
    this.#input.clear();
    this.#reply?.closeAfter();
    this.socket.resume();
  }

  /** Parses the input until a request is complete, or more input is needed. */
  #parse(): void {
    try {
      while (this.#input.size > 0 && this.#parseStep());
      if (STATES[this.#state].onBytes === 'parse') this.#awaitInput();
    } catch (error) {
      if (!(error instanceof RequestRejected)) throw error;
      this.#reject(error.reason);
    }
  }

  /** Returns `true` if parsing can continue with the input at hand. */
  #parseStep(): boolean {
    switch (this.#state) {
      case 'idle':
        if (!this.#input.startHead()) return false;
        this.#enter('head');
        return true;
      case 'head':
        return this.#parseHead();
      case 'body':
        return this.#parseBody();
      default:
        return false;
    }
  }

  #parseHead(): boolean {
    const head = this.#input.readHead();
    if (head === undefined) return false;
    this.#head = head;
    this.isUsed = true;
    const { length } = head.section;
    const { maxBodyBytes } = this.#context;
    if (this.#overLimit !== undefined && (length !== 0 || !this.#context.isExempt(head))) throw new RequestRejected('overloaded');
    if (length === 0) {
      this.#handle(head, NO_BODY, 0);
      return true;
    }
    if (length > maxBodyBytes) throw new RequestRejected('body_too_large');
    this.#enter('body');
    this.#body = new IncomingBody(length, maxBodyBytes, this.#stateSince);
    return this.#parseBody();
  }

  #parseBody(): boolean {
    const head = this.#head;
    const body = this.#body;
    if (head === undefined || body === undefined) return false;
    const { bodies } = this.#context;
    this.#input.readBody(body.reader);
    const hasRoom = body.takeFrom(bodies) || (this.#context.evictSlowBody(this) && body.takeFrom(bodies));
    if (!hasRoom) throw new RequestRejected('bodies_full');
    if (body.reader.done) {
      this.#body = undefined;
      this.#handle(head, body.reader.body(), body.handOverBudget());
      return true;
    }
    // A body that arrives together with its head is checked by the handler itself.
    if (body.isPrechecked) return false;
    body.isPrechecked = true;
    return this.#precheck(head);
  }

  #dropBody(): void {
    if (this.#body !== undefined) this.#context.bodies.release(this.#body.handOverBudget());
    this.#body = undefined;
  }

  // Handling

  #precheck(head: RequestHead): boolean {
    const reply = new HttpReply(this, head, 0);
    const decision = this.#context.precheck(head, reply);
    if (!(decision instanceof Promise)) return this.#applyPrecheck(head, reply, decision);
    this.#enter('precheck');
    void decision.then((answer) => {
      if (this.#state !== 'precheck' || this.socket.destroyed) return;
      this.#enter('body');
      this.#body?.restartClock(this.#stateSince);
      this.#input.takePipelined();
      if (this.#applyPrecheck(head, reply, answer)) this.#parse();
    });
    return false;
  }

  /** Returns `true` if the body is to be read. */
  #applyPrecheck(head: RequestHead, reply: HttpReply, answer: (() => void) | undefined): boolean {
    if (answer !== undefined) {
      this.#answerAndClose(reply, answer);
      return false;
    }
    if (head.section.expectsContinue && this.#body?.reader.size === 0) this.socket.write(CONTINUE, 'latin1');
    return true;
  }

  #handle(head: RequestHead, body: Buffer | Lease, budgeted: number): void {
    this.#enter('respond');
    this.#head = undefined;
    const reply = new HttpReply(this, head, budgeted);
    if (this.#overLimit !== undefined) reply.closeAfter();
    this.#reply = reply;
    this.#context.request(head, body, reply);
  }

  #reject(reason: RejectReason): void {
    const head = this.#head ?? UNREADABLE;
    const reply = new HttpReply(this, head, 0);
    this.#answerAndClose(reply, () => this.#context.rejected(head, reason, reply));
  }

  #answerAndClose(reply: HttpReply, answer: () => void): void {
    this.#head = undefined;
    this.#dropBody();
    this.#input.clear();
    this.#isRejected = true;
    this.#enter('respond');
    reply.closeAfter();
    this.#reply = reply;
    answer();
  }

  /**
   * Input is discarded for a while: closing at once would reset the connection, and the reply could
   * be lost.
   */
  #close(): void {
    const isClientSending = this.#isRejected || this.#discardsInput || this.#input.size > 0;
    this.#enter('discard');
    this.#input.clear();
    if (this.socket.isPaused()) this.socket.resume();
    if (isClientSending) this.socket.end();
    else this.socket.destroySoon();
  }
}
