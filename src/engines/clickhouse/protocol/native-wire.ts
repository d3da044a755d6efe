/**
 * Runs statements over ClickHouse's native protocol. An outer SELECT makes the server format each
 * row as a line of JSON, so one String column is received whatever the types are. Must not use
 * timeouts, except for the greeting.
 */
import type { Socket } from 'node:net';
import type { Entry } from '../../../model/entry.ts';
import { BoundedMap } from '../../../util/bounded-map.ts';
import { type ConnectOptions, DbFailure, effectOfSocketError } from '../../contract/engine.ts';
import { checkRowCount, LargeRowBudget, LIMITS, malformed } from '../../contract/limits.ts';
import { cancelled, exceptionFailure, lostFailure } from '../dialect/failures.ts';
import {
  afterHello,
  Cursor,
  dataPackets,
  encodeSettings,
  helloPacket,
  MAX_NAME_BYTES,
  queryPacket,
  readBlockHead,
  readColumnHead,
  readException,
  readProfileInfo,
  readProgress,
  SERVER,
  SHORT,
} from './native-packets.ts';
import { PlainResult } from './native-plain.ts';
import type { Settings } from './settings.ts';
import { Spool } from './spool.ts';
import type { QueryExchange, Summary, Wire } from './wire.ts';

/** Statements that can be a subquery in FROM. */
const SELECTS = /^(?:\s|\(|--[^\n]*\n|#[^\n]*\n|\/\*[\s\S]*?\*\/)*(?:SELECT|WITH)\b/i;

/** Content of a response: JSON lines, a small result, or the go-ahead of an insert. */
type Mode = 'lines' | 'plain' | 'insert';

interface Pending {
  readonly mode: Mode;
  readonly exchange: QueryExchange;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Cache lifetime of a description: schema changes are visible after five seconds at most. */
const DESCRIPTION_MS = 4_000;
const MAX_DESCRIPTIONS = 200;
/** Descriptions of longer statements are not cached, because of their memory. */
const MAX_CACHED_LENGTH = 64 * 1024;

interface Description {
  readonly names: readonly string[];
  readonly types: readonly string[];
  readonly until: number;
}

export class NativeWire implements Wire {
  readonly #socket: Socket;
  readonly #share: LargeRowBudget;
  readonly #spool: Spool;
  readonly #listeners: (() => void)[] = [];
  #settings: { readonly of: Settings | undefined; readonly bytes: Buffer } = { of: undefined, bytes: Buffer.alloc(0) };
  readonly #descriptions = new BoundedMap<string, Description>(MAX_DESCRIPTIONS);
  #pending: Pending | undefined;
  #rowsLeft = 0;
  #written = 0;
  /** Packets since the last row. */
  #asyncPackets = 0;
  #plain = new PlainResult();
  #insideBlock = false;
  #sentBlock = false;
  #closed = false;

  private constructor(socket: Socket, maxRowBytes: number | undefined) {
    this.#socket = socket;
    this.#share = new LargeRowBudget(maxRowBytes);
    this.#spool = new Spool(this.#share);
    socket.on('data', (bytes: Buffer) => this.#receive(bytes));
    socket.on('error', (error) => this.#end(error));
    socket.on('close', () => this.#end());
  }

  /** Greets and logs in. */
  static async open(socket: Socket, entry: Entry, options: ConnectOptions): Promise<NativeWire> {
    const greeting = await greet(socket, entry, options);
    socket.write(afterHello(greeting));
    return new NativeWire(socket, options.maxRowBytes);
  }

  get usable(): boolean {
    return !this.#closed;
  }

  async execute(exchange: QueryExchange): Promise<Summary> {
    this.#written = 0;
    const { text, columns, reader } = exchange;
    if (exchange.blocks !== undefined) {
      await this.#query(exchange, text, 'insert');
      return { selected: false, written: exchange.blocks.reduce((sum, { rows }) => sum + rows, 0) };
    }
    const bare = text.replace(/[\s;]+$/, '');
    if (columns !== undefined) {
      reader.start(columns);
      await this.#query(exchange, asLines(bare), 'lines');
      return { selected: true, written: 0 };
    }
    if (!SELECTS.test(bare)) return this.#runPlain(exchange, bare);
    const { names, types } = await this.#describe(exchange, bare);
    reader.startWith(names, types);
    await this.#query(exchange, asLines(bare), 'lines');
    return { selected: true, written: 0 };
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  onClosed(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Closing the socket also stops its query, because the server watches it. */
  destroy(): void {
    this.#socket.destroy();
    this.#end();
  }

  /**
   * Returns the columns of a SELECT, cached for a short time. A row that does not match is a
   * failure, never a wrong value.
   */
  async #describe(exchange: QueryExchange, text: string): Promise<Description> {
    const known = this.#descriptions.get(text);
    if (known !== undefined && performance.now() < known.until) return known;
    this.#descriptions.delete(text);
    await this.#query(exchange, `DESCRIBE TABLE (\n${text}\n)`, 'plain', '-describe');
    const { rows } = this.#plain;
    const found: Description = {
      names: rows.map(([name = '']) => name),
      types: rows.map(([, type = '']) => type),
      until: performance.now() + DESCRIPTION_MS,
    };
    if (found.names.join().length + found.types.join().length <= MAX_CACHED_LENGTH) this.#descriptions.set(text, found);
    return found;
  }

  /**
   * Runs statements other than SELECT: writes, and the small results of SHOW, DESCRIBE and the
   * like.
   */
  async #runPlain(exchange: QueryExchange, text: string): Promise<Summary> {
    await this.#query(exchange, text, 'plain');
    const { names, types, rows } = this.#plain;
    if (names.length === 0) return { selected: false, written: this.#written };
    exchange.reader.startWith(names, types);
    for (const row of rows) {
      const line = Buffer.from(`[${row.map((value, index) => (types[index] === 'String' ? JSON.stringify(value) : value)).join()}]`);
      exchange.reader.row(line, 0, line.length);
    }
    return { selected: true, written: 0 };
  }

  #query(exchange: QueryExchange, text: string, mode: Mode, suffix = ''): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#closed || this.#pending !== undefined) {
        reject(lostFailure(undefined, 'unsent'));
        return;
      }
      this.#pending = { mode, exchange, resolve, reject };
      this.#plain = new PlainResult();
      this.#asyncPackets = 0;
      this.#sentBlock = false;
      this.#socket.write(queryPacket(exchange, text, exchange.queryId + suffix, this.#settingsOf(exchange)));
    });
  }

  #settingsOf(exchange: QueryExchange): Buffer {
    if (this.#settings.of !== exchange.settings) this.#settings = { of: exchange.settings, bytes: encodeSettings(exchange.settings) };
    return this.#settings.bytes;
  }

  #receive(bytes: Buffer): void {
    if (this.#closed) return;
    const spool = this.#spool;
    try {
      spool.append(bytes, 0, bytes.length);
      if (spool.waiting < spool.needed) return;
      while (!spool.empty) {
        if (this.#rowsLeft > 0) this.#readRows();
        else if (this.#insideBlock) this.#readBlock();
        else this.#readPacket();
      }
      spool.rewind();
    } catch (error) {
      if (error === SHORT) return;
      // The row sink failed, or the server sent something unknown: this socket is out of sync.
      this.#settle(error as Error);
      this.destroy();
    }
  }

  #readRows(): void {
    const cursor = new Cursor(this.#spool);
    const reader = this.#pending?.exchange.reader;
    while (this.#rowsLeft > 0) {
      const size = cursor.varint();
      this.#share.checkRow(size);
      const at = cursor.skip(size);
      this.#rowsLeft -= 1;
      cursor.commit();
      reader?.row(this.#spool.bytes, at, at + size);
    }
  }

  #readPacket(): void {
    if (this.#pending === undefined) throw malformed('a response before a request');
    if (++this.#asyncPackets > LIMITS.asides) throw malformed('too many packets');
    const cursor = new Cursor(this.#spool);
    const kind = cursor.varint();
    const handle = HANDLERS[kind];
    if (handle === undefined) throw malformed(`a packet of the unknown kind ${kind}`);
    const after = handle(cursor, this.#steps);
    cursor.commit();
    after?.();
  }

  /** Reads the block of a small result, or the one that lists the columns of an insert. */
  #readBlock(): void {
    this.#plain.readBlock(new Cursor(this.#spool));
    this.#insideBlock = false;
    if (this.#pending?.mode === 'insert') this.#sendBlock();
  }

  readonly #steps: Steps = {
    data: (cursor) => {
      if (this.#pending?.mode !== 'lines') {
        this.#insideBlock = true;
        return undefined;
      }
      const head = readBlockHead(cursor);
      if (head.columns > 1) throw malformed('rows in an unknown form');
      if (head.columns === 0) return undefined;
      const column = readColumnHead(cursor);
      if (column.type !== 'String' || column.special) throw malformed('rows in an unknown form');
      return () => {
        this.#rowsLeft = head.rows;
        if (head.rows > 0) this.#asyncPackets = 0;
      };
    },
    exception: (cursor) => {
      const { code, message } = readException(cursor);
      return () => {
        this.#rowsLeft = 0;
        this.#settle(exceptionFailure(code, message));
        // The server may still be reading the block: the connection is not reused.
        if (this.#sentBlock) this.destroy();
      };
    },
    progress: (cursor) => {
      const written = readProgress(cursor);
      return () => {
        this.#written = checkRowCount(this.#written + written);
      };
    },
    endOfStream: () => {
      if (this.#pending?.mode === 'insert' && !this.#sentBlock) throw malformed('the end of an insert before its rows');
      return () => this.#settle();
    },
  };

  /** Sends the rows after the server has listed the columns. */
  #sendBlock(): void {
    const blocks = this.#pending?.exchange.blocks;
    if (blocks === undefined || this.#sentBlock) return;
    this.#sentBlock = true;
    this.#socket.cork();
    for (const piece of dataPackets(blocks)) this.#socket.write(piece);
    this.#socket.uncork();
  }

  #end(error?: Error): void {
    const pending = this.#pending;
    if (pending !== undefined)
      this.#settle(lostFailure(error, pending.exchange.blocks === undefined ? effectOfSocketError(error) : 'unknown'));
    if (this.#closed) return;
    this.#closed = true;
    this.#spool.letGo();
    for (const listener of this.#listeners) listener();
  }

  #settle(error?: Error): void {
    const pending = this.#pending;
    this.#pending = undefined;
    if (error === undefined) pending?.resolve();
    else pending?.reject(error);
  }
}

function asLines(text: string): string {
  return `SELECT formatRowNoNewline('JSONCompactEachRow', *) FROM (\n${text}\n)`;
}

/** Action once a packet is complete. */
type After = (() => void) | undefined;

interface Steps {
  readonly data: (cursor: Cursor) => After;
  readonly exception: (cursor: Cursor) => After;
  readonly progress: (cursor: Cursor) => After;
  readonly endOfStream: () => After;
}

const HANDLERS: Readonly<Record<number, (cursor: Cursor, steps: Steps) => After>> = {
  [SERVER.data]: (cursor, steps) => steps.data(cursor),
  [SERVER.exception]: (cursor, steps) => steps.exception(cursor),
  [SERVER.progress]: (cursor, steps) => steps.progress(cursor),
  [SERVER.endOfStream]: (_, steps) => steps.endOfStream(),
  [SERVER.pong]: () => undefined,
  [SERVER.profileInfo]: (cursor) => void readProfileInfo(cursor),
  [SERVER.tableColumns]: (cursor) => {
    cursor.skipText(MAX_NAME_BYTES);
    cursor.skipText(LIMITS.messageBytes);
    return undefined;
  },
  [SERVER.timezoneUpdate]: (cursor) => void cursor.skipText(MAX_NAME_BYTES),
};

/** Sends the greeting and returns the server's revision. */
function greet(socket: Socket, entry: Entry, { timeoutMs, signal }: ConnectOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    const spool = new Spool(new LargeRowBudget());
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      socket.off('data', receive);
      socket.off('error', fail);
      socket.off('close', close);
    };
    const fail = (error: Error): void => {
      settle();
      socket.on('error', () => undefined);
      socket.destroy();
      reject(error instanceof DbFailure ? error : lostFailure(error));
    };
    const close = (): void => fail(lostFailure());
    const abort = (): void => fail(cancelled());
    const receive = (bytes: Buffer): void => {
      try {
        spool.append(bytes, 0, bytes.length);
        if (spool.waiting > LIMITS.loginBytes) throw malformed('more than a login takes');
        const cursor = new Cursor(spool);
        const revision = readGreeting(cursor);
        if (cursor.at !== spool.end) throw malformed('a response before a request');
        settle();
        resolve(revision);
      } catch (error) {
        if (error !== SHORT) fail(error as Error);
      }
    };
    const timer = setTimeout(() => fail(new DbFailure('unreachable', 'the ClickHouse server does not answer the login')), timeoutMs);
    socket.on('error', fail);
    socket.on('close', close);
    socket.on('data', receive);
    signal?.addEventListener('abort', abort, { once: true });
    socket.write(helloPacket(entry));
  });
}

function readGreeting(cursor: Cursor): number {
  const kind = cursor.varint();
  if (kind === SERVER.exception) {
    const { code, message } = readException(cursor);
    throw exceptionFailure(code, message);
  }
  if (kind !== SERVER.hello) throw new DbFailure('unreachable', 'the port does not speak the native protocol', { code: 'PROTOCOL' });
  cursor.skipText(LIMITS.loginBytes);
  cursor.varint();
  cursor.varint();
  const revision = cursor.varint();
  cursor.skipText(LIMITS.loginBytes);
  cursor.skipText(LIMITS.loginBytes);
  cursor.varint();
  return revision;
}
