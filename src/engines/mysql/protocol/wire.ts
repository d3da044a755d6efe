/**
 * Packets over a socket: joins and splits them, checks their order, and passes each one to its
 * reply. The receive buffer has spare space for formatted numbers. It is acquired when a response
 * begins and released when none is outstanding, so that an idle connection holds none.
 */
import type { Socket } from 'node:net';
import { acquireBuffer, type PooledBuffer, SMALL_BUFFER } from '../../../util/bytes/buffer-pool.ts';
import { DbFailure, effectOfSocketError } from '../../contract/engine.ts';
import { LargeRowBudget, malformed } from '../../contract/limits.ts';
import type { SocketReader } from '../../driver-kit/socket-reader.ts';
import { WriteProgress } from '../../driver-kit/write-progress.ts';
import { lostFailure } from '../dialect/failures.ts';

const HEADER = 4;
const MAX_PACKET = 0xffffff;
const NOTHING = Buffer.alloc(0);
const BROKE = 'The connection to the database broke';

/** Handles the packets of one response. */
export interface Reply {
  /**
   * Handles the packet at `bytes[from..to)`; the reserved number of bytes from `spare` on is free.
   * Returns `true` when the response is complete. An exception ends the connection, because the
   * start of the next response is unknown.
   */
  packet(bytes: Buffer, from: number, to: number, spare: number): boolean;
}

interface Waiting {
  readonly reply: Reply;
  /** Expected number of the next packet, which continues after those of the command. */
  sequence: number;
  /** Number of the write that contains its last byte. */
  readonly write: number;
  readonly resolve: () => void;
  readonly reject: (failure: unknown) => void;
}

export class Wire {
  /** When the server sent something last. */
  heardAt = 0;
  readonly #socket: Socket;
  readonly #waiting: Waiting[] = [];
  readonly #closed: (() => void)[] = [];
  readonly #share: LargeRowBudget;
  readonly #progress = new WriteProgress();
  #buffer: PooledBuffer | undefined;
  /** Content of the buffer. */
  #bytes: Buffer = NOTHING;
  #start = 0;
  #end = 0;
  #spare = 0;
  /** End of the bytes that were ever written. */
  #written = 0;
  #last: Promise<void> | undefined;
  #failure: DbFailure | undefined;
  /** Commands that are sent in one write. */
  #held: Buffer[] | undefined;

  constructor({ socket, reader }: { readonly socket: Socket; readonly reader: SocketReader }, maxRowBytes: number | undefined) {
    this.#socket = socket;
    this.#share = new LargeRowBudget(maxRowBytes);
    reader.read(socket, (bytes, length) => this.#receive(bytes, length));
    socket.on('error', (error) => this.#broke(error));
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
   * Sends a command, whose first HEADER bytes are reserved, and waits for its response. Several
   * commands may be in flight; responses arrive in the same order.
   */
  send(command: Buffer, reply: Reply): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.withEffect('unsent'));
    const sequence = this.#write(command) & 0xff;
    const write = this.#progress.last + (this.isHeld ? 1 : 0);
    const done = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ reply, sequence, write, resolve, reject });
    });
    this.#last = done;
    return done;
  }

  /** Buffers copies of commands until `release` sends them in one write. */
  hold(): void {
    this.#held ??= [];
  }

  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  /** Sends the buffered commands in one write, which is much faster than several. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    const [only] = held;
    if (only !== undefined && this.#failure === undefined)
      this.#progress.write(this.#socket, held.length === 1 ? only : Buffer.concat(held));
  }

  /** Resolves when no response is outstanding. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.#last]);
  }

  /** Sends a command that has no response. */
  tell(command: Buffer): void {
    if (this.#failure === undefined) this.#write(command);
  }

  /** Reserves this many free bytes behind the received ones for every packet. */
  reserve(spare: number): void {
    this.#spare = spare;
    this.#room(0);
  }

  /** Rejects the commands that the system had not taken completely as unsent. */
  #broke(error: Error): void {
    const effect = effectOfSocketError(error);
    for (const { write, reject } of this.#waiting.splice(0)) reject(lostFailure(BROKE, error, this.#progress.effectOf(write, effect)));
    this.fail(lostFailure(BROKE, error, effect));
  }

  /** Ends the connection and rejects all waiting commands. */
  fail(failure: DbFailure): void {
    if (this.#failure !== undefined) return;
    this.#failure = failure;
    this.#socket.destroy();
    // The current handler may still read this buffer, so it is not returned to the pool.
    this.#buffer = undefined;
    this.#letGo();
    for (const { reject } of this.#waiting.splice(0)) reject(failure);
    for (const listener of this.#closed.splice(0)) listener();
  }

  /** Returns the number of packets. */
  #write(command: Buffer): number {
    const size = command.length - HEADER;
    if (size < MAX_PACKET) {
      command.writeUIntLE(size, 0, 3);
      command[3] = 0;
      this.#put(command);
      return 1;
    }
    let sequence = 0;
    for (let at = HEADER; ; at += MAX_PACKET) {
      const part = command.subarray(at, at + MAX_PACKET);
      const header = Buffer.alloc(HEADER);
      header.writeUIntLE(part.length, 0, 3);
      header[3] = sequence++ & 0xff;
      this.#put(header);
      this.#put(part);
      // A last packet of maximum length is followed by an empty one, or the server would wait for
      // more.
      if (part.length < MAX_PACKET) return sequence;
    }
  }

  #put(bytes: Buffer): void {
    if (this.#held === undefined) this.#progress.write(this.#socket, bytes);
    else this.#held.push(Buffer.from(bytes));
  }

  #receive(chunk: Buffer, length: number): void {
    this.heardAt = performance.now();
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

  /** Wipes the bytes, so that a faulty reader cannot see those of another connection. */
  #release(): void {
    this.#buffer?.releaseWiped(this.#written);
    this.#buffer = undefined;
    this.#written = 0;
  }

  /** Makes space for n more received bytes and the spare ones. */
  #room(n: number): void {
    if (this.#bytes.length - this.#end < n + this.#spare) this.#moveUp(n + this.#spare);
    this.#share.hold(this.#end + n + this.#spare);
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
    const size = Math.max(SMALL_BUFFER, this.#share.roomFor(wanted));
    this.#share.hold(wanted);
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
      if (size === MAX_PACKET) {
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

  /**
   * Passes on a payload of several packets, joined without their headers, once all have arrived.
   */
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
      if (size < MAX_PACKET) break;
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
    // A packet without a pending command: a server that closes an idle connection reports so.
    const waiting = this.#waiting[0];
    if (waiting === undefined) throw lostFailure('The database closed the connection');
    if (sequence !== waiting.sequence) {
      // The server may also close while a command is in flight, which it will not read.
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
