/**
 * Statements over ClickHouse's native protocol on the registered port itself. The server formats each row as a line of JSON in an
 * outer SELECT, so one String column arrives whatever the types are, and rows are read off the socket as they come, like over HTTP.
 * Knows no timeouts but the greeting's.
 */
import type { Socket } from 'node:net';
import type { Entry } from '../../model/entry.ts';
import { DbFailure, leftBy } from '../engine.ts';
import { exceptionFailure, lostFailure } from './failures.ts';
import {
  afterHello,
  Cursor,
  dataPacket,
  encodeSettings,
  helloPacket,
  queryPacket,
  readBlockHead,
  readColumnHead,
  readException,
  readProfileInfo,
  readProgress,
  SERVER,
  SHORT,
} from './native-packets.ts';
import { readPlainBlock } from './native-plain.ts';
import type { Settings } from './settings.ts';
import { Spool } from './spool.ts';
import type { Exchange, Summary, Wire } from './wire.ts';

/** Statements that can stand in parentheses after FROM. */
const SELECTS = /^(?:\s|\(|--[^\n]*\n|#[^\n]*\n|\/\*[\s\S]*?\*\/)*(?:SELECT|WITH)\b/i;

/** What arrives: rows as lines of JSON, a small result read whole, or the go-ahead of an insert. */
type Mode = 'lines' | 'plain' | 'insert';

interface Pending {
  readonly mode: Mode;
  readonly exchange: Exchange;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Changes of a schema show after five seconds at the latest. */
const DESCRIPTION_MS = 4_000;
const MOST_DESCRIPTIONS = 200;

interface Description {
  readonly names: readonly string[];
  readonly types: readonly string[];
  readonly until: number;
}

interface PlainResult {
  names: readonly string[];
  types: readonly string[];
  rows: (readonly string[])[];
}

export class NativeWire implements Wire {
  readonly #socket: Socket;
  readonly #spool = new Spool();
  readonly #listeners: (() => void)[] = [];
  #settings: { readonly of: Settings | undefined; readonly bytes: Buffer } = { of: undefined, bytes: Buffer.alloc(0) };
  readonly #descriptions = new Map<string, Description>();
  #pending: Pending | undefined;
  #rowsLeft = 0;
  #written = 0;
  #plain: PlainResult = { names: [], types: [], rows: [] };
  #sentBlock = false;
  #closed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (bytes: Buffer) => this.#receive(bytes));
    socket.on('error', (error) => this.#end(error));
    socket.on('close', () => this.#end());
  }

  /** Greets and logs in. */
  static async open(socket: Socket, entry: Entry, timeoutMs: number): Promise<NativeWire> {
    const greeting = await greet(socket, entry, timeoutMs);
    socket.write(afterHello(greeting));
    return new NativeWire(socket);
  }

  get usable(): boolean {
    return !this.#closed;
  }

  async execute(exchange: Exchange): Promise<Summary> {
    this.#written = 0;
    const { text, columns, reader } = exchange;
    if (exchange.block !== undefined) {
      await this.#query(exchange, text, 'insert');
      return { selected: false, written: exchange.block.rows };
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

  /** The server watches the socket of a running query and stops it when the socket closes. */
  destroy(): void {
    this.#socket.destroy();
    this.#end();
  }

  /** What a SELECT yields. Kept for a moment, since statements repeat; a row that does not fit it is a failure, never a wrong value. */
  async #describe(exchange: Exchange, text: string): Promise<Description> {
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
    if (this.#descriptions.size >= MOST_DESCRIPTIONS) this.#descriptions.clear();
    this.#descriptions.set(text, found);
    return found;
  }

  /** Statements that are no SELECT: writes, and the small results of SHOW, DESCRIBE and the like. */
  async #runPlain(exchange: Exchange, text: string): Promise<Summary> {
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

  #query(exchange: Exchange, text: string, mode: Mode, suffix = ''): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#closed || this.#pending !== undefined) {
        reject(lostFailure(undefined, 'unsent'));
        return;
      }
      this.#pending = { mode, exchange, resolve, reject };
      this.#plain = { names: [], types: [], rows: [] };
      this.#sentBlock = false;
      this.#socket.write(queryPacket(exchange, text, exchange.queryId + suffix, this.#settingsOf(exchange)));
    });
  }

  #settingsOf(exchange: Exchange): Buffer {
    if (this.#settings.of !== exchange.settings) this.#settings = { of: exchange.settings, bytes: encodeSettings(exchange.settings) };
    return this.#settings.bytes;
  }

  #receive(bytes: Buffer): void {
    this.#spool.append(bytes, 0, bytes.length);
    try {
      while (!this.#spool.empty) {
        if (this.#rowsLeft > 0) this.#readRows();
        else this.#readPacket();
      }
      this.#spool.rewind();
    } catch (error) {
      if (error === SHORT) return;
      // The reader of the rows failed, or the server said something unknown: this socket is out of step.
      this.#settle(error as Error);
      this.destroy();
    }
  }

  #readRows(): void {
    const cursor = new Cursor(this.#spool);
    const reader = this.#pending?.exchange.reader;
    while (this.#rowsLeft > 0) {
      const size = cursor.varint();
      const at = cursor.skip(size);
      this.#rowsLeft -= 1;
      cursor.commit();
      reader?.row(this.#spool.bytes, at, at + size);
    }
  }

  #readPacket(): void {
    const cursor = new Cursor(this.#spool);
    const kind = cursor.varint();
    const handle = HANDLERS[kind];
    if (handle === undefined) throw new DbFailure('lost', `the server sent a packet of unknown kind ${kind}`);
    const after = handle(cursor, this.#steps);
    cursor.commit();
    after?.();
  }

  readonly #steps: Steps = {
    data: (cursor) => {
      const mode = this.#pending?.mode;
      if (mode === 'plain') return this.#readPlain(cursor);
      const head = readBlockHead(cursor);
      const columns = Array.from({ length: head.columns }, () => {
        const column = readColumnHead(cursor);
        if (mode === 'lines' && (column.type !== 'String' || column.special))
          throw new DbFailure('lost', 'the rows came in an unknown form');
        return column;
      });
      if (mode === 'insert') return () => this.#sendBlock();
      this.#rowsLeft = columns.length === 0 ? 0 : head.rows;
      return undefined;
    },
    exception: (cursor) => {
      const { code, message } = readException(cursor);
      return () => {
        this.#rowsLeft = 0;
        this.#settle(exceptionFailure(code, message));
        // The server may still be reading what was sent to it: such a connection is not used again.
        if (this.#sentBlock) this.destroy();
      };
    },
    progress: (cursor) => {
      const written = readProgress(cursor);
      return () => {
        this.#written += written;
      };
    },
    endOfStream: () => () => this.#settle(),
  };

  #readPlain(cursor: Cursor): undefined {
    const block = readPlainBlock(cursor);
    if (block.names.length === 0) return undefined;
    this.#plain.names = block.names;
    this.#plain.types = block.types;
    this.#plain.rows.push(...block.rows);
    return undefined;
  }

  /** The server has said which columns it takes; now the rows may follow. */
  #sendBlock(): void {
    const block = this.#pending?.exchange.block;
    if (block === undefined || this.#sentBlock) return;
    this.#sentBlock = true;
    this.#socket.cork();
    for (const piece of dataPacket(block)) this.#socket.write(piece);
    this.#socket.uncork();
  }

  #end(error?: Error): void {
    const pending = this.#pending;
    if (pending !== undefined) this.#settle(lostFailure(error, pending.exchange.block === undefined ? leftBy(error) : 'unknown'));
    if (this.#closed) return;
    this.#closed = true;
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

/** What to do once a packet has wholly arrived. */
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
    cursor.text();
    cursor.text();
    return undefined;
  },
  [SERVER.timezoneUpdate]: (cursor) => void cursor.text(),
};

/** Sends the greeting and returns the server's revision. */
function greet(socket: Socket, entry: Entry, timeoutMs: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const spool = new Spool();
    const settle = (): void => {
      clearTimeout(timer);
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
    const receive = (bytes: Buffer): void => {
      spool.append(bytes, 0, bytes.length);
      try {
        const revision = readGreeting(new Cursor(spool));
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
  cursor.text();
  cursor.varint();
  cursor.varint();
  const revision = cursor.varint();
  cursor.text();
  cursor.text();
  cursor.varint();
  return revision;
}
