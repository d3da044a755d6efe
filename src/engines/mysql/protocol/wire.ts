/**
 * Packets over a socket: joins and splits them, checks their order, and hands each one to whoever waits for it.
 * Received bytes are kept in one buffer with spare room behind them, so that a row's formatted numbers can lie beside its texts. It is acquired when an
 * answer begins to come and released when nothing is outstanding: a connection at rest holds none. Knows nothing of what the packets say.
 */
import type { Socket } from 'node:net';
import { acquireBuffer, type PooledBuffer, SMALL_BUFFER } from '../../../util/bytes/buffer-pool.ts';
import { DbFailure, effectOfSocketError } from '../../contract/engine.ts';
import { LargeRowBudget, malformed } from '../../contract/limits.ts';
import type { SocketReader } from '../../driver-kit/socket-reader.ts';
import { lostFailure } from '../dialect/failures.ts';

const HEADER = 4;
const PACKET_MOST = 0xffffff;
const NOTHING = Buffer.alloc(0);

/** Handles the packets of one answer. */
export interface Reply {
  /**
   * A packet is at bytes[from..to); bytes[spare..] is free for as many bytes as were reserved. Returns true when the answer is complete.
   * If it throws, the connection ends, since nobody knows where the next answer begins.
   */
  packet(bytes: Buffer, from: number, to: number, spare: number): boolean;
}

interface Waiting {
  readonly reply: Reply;
  /** The number that the next packet of the answer must have: it goes on where the command's packets ended. */
  sequence: number;
  readonly resolve: () => void;
  readonly reject: (failure: unknown) => void;
}

export class Wire {
  readonly #socket: Socket;
  readonly #waiting: Waiting[] = [];
  readonly #closed: (() => void)[] = [];
  readonly #share: LargeRowBudget;
  #buffer: PooledBuffer | undefined;
  /** Those of the buffer. */
  #bytes: Buffer = NOTHING;
  #start = 0;
  #end = 0;
  #spare = 0;
  /** How far the buffer has been written. */
  #written = 0;
  #last: Promise<void> | undefined;
  #failure: DbFailure | undefined;
  /** What is to leave together. */
  #held: Buffer[] | undefined;

  constructor({ socket, reader }: { readonly socket: Socket; readonly reader: SocketReader }, maxRowBytes: number | undefined) {
    this.#socket = socket;
    this.#share = new LargeRowBudget(maxRowBytes);
    reader.read(socket, (bytes, length) => this.#receive(bytes, length));
    socket.on('error', (error) => this.fail(lostFailure('The connection to the database broke', error, effectOfSocketError(error))));
    socket.on('end', () => this.fail(lostFailure('The database closed the connection')));
    socket.on('close', () => this.fail(lostFailure('The connection to the database closed')));
    socket.resume();
  }

  get open(): boolean {
    return this.#failure === undefined;
  }

  onClosed(listener: () => void): void {
    this.#closed.push(listener);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /**
   * Sends a command (its first HEADER bytes are left free for the packet header) and waits for its answer. Several may be sent
   * one after the other: the answers come in the same order.
   */
  send(command: Buffer, reply: Reply): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.withEffect('unsent'));
    const sequence = this.#write(command) & 0xff;
    const done = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ reply, sequence, resolve, reject });
    });
    this.#last = done;
    return done;
  }

  /** Until `release`, commands wait for each other and then leave together. They are copied: their buffers may serve again. */
  hold(): void {
    this.#held ??= [];
  }

  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  /** As one piece: the runtime takes much longer to write several. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    const [only] = held;
    if (only !== undefined && this.#failure === undefined) this.#socket.write(held.length === 1 ? only : Buffer.concat(held));
  }

  /** Resolves when no answer is outstanding, for whatever reason. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.#last]);
  }

  /** Sends a command without an answer. */
  tell(command: Buffer): void {
    if (this.#failure === undefined) this.#write(command);
  }

  /** Reserves this many free bytes behind the received ones, whenever a packet is handed out. */
  reserve(spare: number): void {
    this.#spare = spare;
    this.#room(0);
  }

  /** Ends the connection and tells those who wait why. */
  fail(failure: DbFailure): void {
    if (this.#failure !== undefined) return;
    this.#failure = failure;
    this.#socket.destroy();
    // Whoever is just being handed a packet may still read it: nobody else gets this buffer.
    this.#buffer = undefined;
    this.#letGo();
    for (const { reject } of this.#waiting.splice(0)) reject(failure);
    for (const listener of this.#closed.splice(0)) listener();
  }

  /** Returns how many packets it took. */
  #write(command: Buffer): number {
    const size = command.length - HEADER;
    if (size < PACKET_MOST) {
      command.writeUIntLE(size, 0, 3);
      command[3] = 0;
      this.#put(command);
      return 1;
    }
    let sequence = 0;
    for (let at = HEADER; ; at += PACKET_MOST) {
      const part = command.subarray(at, at + PACKET_MOST);
      const header = Buffer.alloc(HEADER);
      header.writeUIntLE(part.length, 0, 3);
      header[3] = sequence++ & 0xff;
      this.#put(header);
      this.#put(part);
      // A last part of full length is followed by an empty one, or the server would go on waiting.
      if (part.length < PACKET_MOST) return sequence;
    }
  }

  #put(bytes: Buffer): void {
    if (this.#held === undefined) this.#socket.write(bytes);
    else this.#held.push(Buffer.from(bytes));
  }

  #receive(chunk: Buffer, length: number): void {
    if (this.#failure !== undefined) return;
    if (this.#start === this.#end) this.#start = this.#end = 0;
    try {
      this.#room(length);
      chunk.copy(this.#bytes, this.#end, 0, length);
      this.#end += length;
      this.#handOut();
    } catch (error) {
      this.fail(error instanceof DbFailure ? error : lostFailure('The answer of the database could not be read', error));
    }
    if (this.#start === this.#end && this.#waiting.length === 0) this.#letGo();
  }

  #letGo(): void {
    this.#release();
    this.#bytes = NOTHING;
    this.#start = this.#end = 0;
    this.#share.hold(0);
  }

  /** A faulty reader can never show bytes of another connection. */
  #release(): void {
    this.#buffer?.releaseWiped(this.#written);
    this.#buffer = undefined;
    this.#written = 0;
  }

  /** Makes room for n more received bytes plus the spare ones. */
  #room(n: number): void {
    if (this.#bytes.length - this.#end < n + this.#spare) this.#moveUp(n + this.#spare);
    this.#written = Math.max(this.#written, this.#end + n + this.#spare);
  }

  #moveUp(room: number): void {
    const held = this.#end - this.#start;
    if (held + room > this.#bytes.length) this.#grow(held + room);
    else this.#bytes.copy(this.#bytes, 0, this.#start, this.#end);
    this.#start = 0;
    this.#end = held;
  }

  #grow(wanted: number): void {
    const size = Math.max(SMALL_BUFFER, this.#bytes.length * 2, wanted);
    this.#share.hold(size);
    const larger = acquireBuffer(size);
    this.#bytes.copy(larger.bytes, 0, this.#start, this.#end);
    this.#release();
    this.#buffer = larger;
    this.#bytes = larger.bytes;
  }

  #handOut(): void {
    while (this.#end - this.#start >= HEADER && this.#failure === undefined) {
      const bytes = this.#bytes;
      const from = this.#start + HEADER;
      const size = this.#size(this.#start);
      if (size === PACKET_MOST) {
        if (!this.#handOutJoined()) return;
        continue;
      }
      if (this.#end - from < size) {
        this.#share.checkRow(size);
        return;
      }
      if (size === 0) throw malformed('an empty packet');
      this.#inOrder(bytes[from - 1]);
      this.#start = from + size;
      this.#deliver(from, from + size);
    }
  }

  #size(at: number): number {
    const bytes = this.#bytes;
    return (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16);
  }

  /** A payload in several packets: once all of them are here, the headers between are closed up. */
  #handOutJoined(): boolean {
    let at = this.#start;
    let all = 0;
    const starts: number[] = [];
    for (;;) {
      if (this.#end - at < HEADER) return false;
      const size = this.#size(at);
      all += size;
      this.#share.checkRow(all);
      if (this.#end - at - HEADER < size) return false;
      starts.push(at);
      at += HEADER + size;
      if (size < PACKET_MOST) break;
    }
    const from = this.#start + HEADER;
    let to = from;
    for (const start of starts) {
      this.#inOrder(this.#bytes[start + 3]);
      const size = this.#size(start);
      this.#bytes.copyWithin(to, start + HEADER, start + HEADER + size);
      to += size;
    }
    this.#start = at;
    this.#deliver(from, to);
    return true;
  }

  #inOrder(sequence: number | undefined): void {
    // A server that closes an idle connection says so in a packet of its own, which nobody waits for. Nor for any other one.
    const waiting = this.#waiting[0];
    if (waiting === undefined) throw lostFailure('The database closed the connection');
    if (sequence !== waiting.sequence) {
      // Or it does so while a command is on its way, which it will not read any more.
      if (sequence === 0 && waiting.sequence === 1) throw lostFailure('The database closed the connection', undefined, 'unsent');
      throw malformed('packets out of order');
    }
    waiting.sequence = (sequence + 1) & 0xff;
  }

  #deliver(from: number, to: number): void {
    const waiting = this.#waiting[0];
    if (waiting === undefined || !waiting.reply.packet(this.#bytes, from, to, this.#end)) return;
    this.#spare = 0;
    this.#waiting.shift();
    waiting.resolve();
  }
}
