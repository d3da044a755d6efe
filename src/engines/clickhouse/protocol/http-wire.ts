/**
 * Runs statements over ClickHouse's HTTP interface: one kept-alive socket, one request at a time. A
 * row is a line that begins with `[`. JSON escapes line breaks, so any other line is an exception
 * in mid-stream. Must not use timeouts or retries.
 */
import type { Socket } from 'node:net';
import type { ResultColumn } from '../../../model/cells.ts';
import type { Entry } from '../../../model/entry.ts';
import { type ConnectOptions, DbFailure, effectOfSocketError, type FailureKind } from '../../contract/engine.ts';
import { checkRowCount, LargeRowBudget, LIMITS, malformed } from '../../contract/limits.ts';
import { failureOf, lostFailure } from '../dialect/failures.ts';
import { literalText } from '../types/params.ts';
import { encodeHttpBlock } from './block-frame.ts';
import { hostHeader } from './dial.ts';
import { readHeaderLine } from './header-line.ts';
import { type ResponseHead, ResponseParser } from './http-response.ts';
import type { Settings } from './settings.ts';
import { Spool } from './spool.ts';
import type { QueryExchange, Summary, Wire } from './wire.ts';

const ROWS = 'JSONCompactEachRow';
const DESCRIBED_ROWS = 'JSONCompactEachRowWithNamesAndTypes';

/**
 * Servers limit the fields of a request (1,000) and the size of a field (128 KiB). Larger ones are
 * SET in a session first.
 */
const MAX_FIELDS = 800;
const MAX_FIELD_LENGTH = 64 * 1024;
const SESSION_SECS = 20;

const LF = 0x0a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

/**
 * Idle connections are closed this long before the server closes them, so that no request is lost.
 */
const IDLE_MARGIN_MS = 1_000;

/** Kinds of responses from a proxy instead of ClickHouse. */
const STATUS_KINDS: Readonly<Record<number, FailureKind>> = { 401: 'login', 403: 'login', 429: 'busy', 502: 'unreachable', 503: 'busy' };

const EXCEPTION_CODE = /^\d{1,9}$/;

interface Pending {
  readonly exchange: QueryExchange;
  readonly resolve: (summary: Summary) => void;
  readonly reject: (error: Error) => void;
}

export class HttpWire implements Wire {
  readonly #socket: Socket;
  readonly #prefix: string;
  readonly #headers: string;
  readonly #share: LargeRowBudget;
  readonly #spool: Spool;
  readonly #listeners: (() => void)[] = [];
  #settings: { readonly of: Settings | undefined; readonly text: string } = { of: undefined, text: '' };
  #parser: ResponseParser;
  #pending: Pending | undefined;
  #head: ResponseHead | undefined;
  /** Header lines of a result: the names of its columns, and their types. */
  #headerLines: string[] = [];
  /** Bytes of the incomplete line that were searched. */
  #seen = 0;
  #error = '';
  #failed = false;
  #closed = false;
  #idleUntil = Number.POSITIVE_INFINITY;

  constructor(socket: Socket, entry: Entry, options: ConnectOptions) {
    this.#socket = socket;
    this.#share = new LargeRowBudget(options.maxRowBytes);
    this.#spool = new Spool(this.#share);
    this.#prefix = `POST /?database=${encode(entry.database)}`;
    this.#headers = ` HTTP/1.1\r\nHost: ${hostHeader(options)}\r\n${credentials(entry)}User-Agent: millrace\r\nContent-Length: `;
    this.#parser = this.#newParser();
    socket.on('data', (bytes: Buffer) => this.#receive(bytes));
    socket.on('error', (error) => this.#end(error));
    socket.on('close', () => this.#end());
  }

  get usable(): boolean {
    return !this.#closed && performance.now() < this.#idleUntil;
  }

  async execute(exchange: QueryExchange): Promise<Summary> {
    if (!needsSession(exchange)) return this.#send(exchange, '');
    const session = `&session_id=${exchange.queryId}&session_timeout=${SESSION_SECS}`;
    const assignments = exchange.params.map((param) => `param_${param.name} = ${literalText(param.text)}`).join(', ');
    await this.#send(
      { ...exchange, text: `SET ${assignments}`, queryId: `${exchange.queryId}-set`, params: [], columns: undefined, planned: undefined },
      session,
    );
    return this.#send({ ...exchange, params: [] }, session);
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

  destroy(): void {
    this.#socket.destroy();
    this.#end();
  }

  #send(exchange: QueryExchange, extra: string): Promise<Summary> {
    return new Promise((resolve, reject) => {
      if (this.#closed || this.#pending !== undefined) {
        reject(lostFailure(undefined, 'unsent'));
        return;
      }
      this.#pending = { exchange, resolve, reject };
      this.#head = undefined;
      this.#headerLines = [];
      this.#seen = 0;
      this.#error = '';
      this.#failed = false;
      this.#parser = this.#newParser();
      this.#spool.rewind();
      this.#idleUntil = Number.POSITIVE_INFINITY;
      if (exchange.columns !== undefined && exchange.planned === undefined) exchange.reader.start(exchange.columns);
      this.#write(exchange, extra);
    });
  }

  #write(exchange: QueryExchange, extra: string): void {
    const pieces = exchange.blocks?.flatMap(encodeHttpBlock);
    const size = pieces?.reduce((sum, piece) => sum + piece.length, 0) ?? Buffer.byteLength(exchange.text);
    const target =
      this.#prefix +
      this.#settingsOf(exchange) +
      (exchange.maxSeconds === undefined ? '' : `&max_execution_time=${exchange.maxSeconds}`) +
      `&query_id=${exchange.queryId}&default_format=${isDescribed(exchange) ? DESCRIBED_ROWS : ROWS}${extra}` +
      exchange.params.map((param) => `&param_${param.name}=${encode(param.text)}`).join('') +
      (pieces === undefined ? '' : `&query=${encode(exchange.text)}`);
    const head = `${target}${this.#headers}${size}\r\n\r\n`;
    if (pieces === undefined) {
      this.#socket.write(head + exchange.text);
      return;
    }
    this.#socket.cork();
    this.#socket.write(head);
    for (const piece of pieces) this.#socket.write(piece);
    this.#socket.uncork();
  }

  /** The text of the settings is cached: they are the same for every statement of a connection. */
  #settingsOf(exchange: QueryExchange): string {
    if (this.#settings.of !== exchange.settings) {
      const text = exchange.settings.map(([name, value]) => `&${name}=${encode(value)}`).join('');
      this.#settings = { of: exchange.settings, text };
    }
    return this.#settings.text;
  }

  #newParser(): ResponseParser {
    return new ResponseParser({
      head: (head) => {
        this.#head = head;
        this.#failed = head.status !== 200;
        if (head.headers.has('content-encoding')) throw malformed('a compressed response, which was not requested');
        this.#checkFormat(head);
      },
      body: (bytes, from, to) => {
        if (this.#failed) this.#keepError(bytes, from, to);
        else this.#spool.append(bytes, from, to);
      },
    });
  }

  #receive(bytes: Buffer): void {
    if (this.#closed) return;
    try {
      if (this.#pending === undefined) throw malformed('a response before a request');
      this.#parser.push(bytes);
      this.#readLines();
      if (this.#parser.done) this.#finish();
      else if (this.#error.length >= LIMITS.errorText) this.#breakOff();
    } catch (error) {
      // The row sink failed, or the response is not HTTP: this socket is out of sync.
      this.#settle(error as Error);
      this.destroy();
    }
  }

  #checkFormat(head: ResponseHead): void {
    const format = head.headers.get('x-clickhouse-format');
    if (format === undefined || this.#failed || format === ROWS || format === DESCRIBED_ROWS) return;
    throw new DbFailure('syntax', 'leave the FORMAT clause out of the statement: the answer is formatted by the service');
  }

  /** Reads all complete lines. */
  #readLines(): void {
    const spool = this.#spool;
    while (!this.#failed) {
      const end = spool.find(LF, spool.start + this.#seen);
      if (end === spool.end) break;
      const from = spool.start;
      spool.start = end + 1;
      this.#seen = 0;
      this.#line(spool.bytes, from, end);
    }
    if (this.#failed) this.#keepError(spool.bytes, spool.start, spool.end);
    else this.#share.checkRow(spool.waiting);
    this.#seen = spool.waiting;
    if (!this.#failed && !spool.empty) return;
    this.#seen = 0;
    spool.rewind();
  }

  #line(bytes: Buffer, from: number, to: number): void {
    const exchange = this.#pending?.exchange;
    if (bytes[from] !== OPEN_LIST || bytes[to - 1] !== CLOSE_LIST) {
      this.#failed = true;
      this.#keepError(bytes, from, to + 1);
    } else if (exchange !== undefined && (this.#headerLines.length === 2 || !isDescribed(exchange))) {
      exchange.reader.row(bytes, from, to);
    } else {
      if (to - from > LIMITS.messageBytes) throw malformed('too many column descriptions');
      this.#headerLines.push(bytes.toString('utf8', from, to));
      const [names, types] = this.#headerLines;
      if (exchange !== undefined && names !== undefined && types !== undefined) start(exchange, names, types);
    }
  }

  #keepError(bytes: Buffer, from: number, to: number): void {
    if (this.#error.length < LIMITS.errorText) this.#error += bytes.toString('utf8', from, Math.min(to, from + LIMITS.errorText));
  }

  /** Handles the end of a response. */
  #finish(): void {
    if (!this.#failed && !this.#spool.empty) {
      this.#failed = true;
      this.#keepError(this.#spool.bytes, this.#spool.start, this.#spool.end);
    }
    const head = this.#head;
    this.#keepAlive(head);
    if (this.#failed) {
      // After an exception in mid-stream the server closes, so the socket is not reused.
      this.#settle(this.#failure());
      if (head?.status === 200) this.destroy();
      return;
    }
    this.#settle(undefined, {
      selected: this.#pending?.exchange.columns !== undefined || this.#headerLines.length === 2,
      written: writtenRows(head?.headers.get('x-clickhouse-summary')),
    });
  }

  /** Outside of the handler of received bytes, which expects failures. */
  #finishSafely(): void {
    try {
      this.#finish();
    } catch (error) {
      this.#settle(error as Error);
    }
  }

  /** Stops reading an error that is too long. */
  #breakOff(): void {
    this.#settle(this.#failure());
    this.destroy();
  }

  #keepAlive(head: ResponseHead | undefined): void {
    if (head?.headers.get('connection')?.toLowerCase() === 'close') {
      this.#idleUntil = 0;
      this.#socket.destroy();
      return;
    }
    const secs = /timeout=(\d+)/.exec(head?.headers.get('keep-alive') ?? '')?.[1];
    if (secs !== undefined) this.#idleUntil = performance.now() + Math.max(500, Number(secs) * 1000 - IDLE_MARGIN_MS);
  }

  #failure(): DbFailure {
    const code = EXCEPTION_CODE.exec(this.#head?.headers.get('x-clickhouse-exception-code') ?? '')?.[0];
    const failure = failureOf(this.#error, code === undefined ? undefined : Number(code));
    const status = this.#head?.status ?? 0;
    if (status >= 300 && status < 400) return malformed('a redirect, which is never followed');
    const kind = STATUS_KINDS[status];
    if (failure.code !== '0') return failure;
    if (kind !== undefined) return new DbFailure(kind, `the server answered with status ${this.#head?.status}`, { effect: 'unknown' });
    return this.#head?.status === 200 ? lostFailure() : failure;
  }

  /** Uses a truncated error if it contains an exception. */
  #cutFailure(error: Error | undefined): DbFailure {
    const failure = this.#failure();
    return failure.code === '0' ? lostFailure(error) : failure;
  }

  /**
   * Handles the end of the socket, which completes a body that may end with it and truncates any
   * other.
   */
  #end(error?: Error): void {
    if (this.#pending !== undefined) {
      if (this.#failed && this.#error !== '') this.#settle(this.#cutFailure(error));
      else if (this.#parser.endsWithSocket && error === undefined) this.#finishSafely();
      else this.#settle(lostFailure(error, this.#pending.exchange.blocks === undefined ? effectOfSocketError(error) : 'unknown'));
    }
    if (this.#closed) return;
    this.#closed = true;
    this.#spool.letGo();
    for (const listener of this.#listeners) listener();
  }

  #settle(error: Error | undefined, summary?: Summary): void {
    const pending = this.#pending;
    this.#pending = undefined;
    if (error !== undefined) pending?.reject(error);
    else if (summary !== undefined) pending?.resolve(summary);
  }
}

function needsSession(exchange: QueryExchange): boolean {
  return exchange.params.length > MAX_FIELDS || exchange.params.some((param) => param.text.length > MAX_FIELD_LENGTH);
}

function writtenRows(summary: string | undefined): number {
  return checkRowCount(Number(/"written_rows":"(\d+)"/.exec(summary ?? '')?.[1] ?? 0));
}

/** Encodes as UTF-8; lone surrogates become U+FFFD. */
function encode(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\u{fffd}'));
  }
}

/** Basic credentials cannot contain a colon in the name; ClickHouse's own headers can. */
function credentials(entry: Entry): string {
  if (!entry.username.includes(':')) {
    return `Authorization: Basic ${Buffer.from(`${entry.username}:${entry.password}`).toString('base64')}\r\n`;
  }
  if (/[^\x20-\x7e]/.test(entry.username + entry.password)) throw new DbFailure('login', 'a user name with a colon must be plain ASCII');
  return `X-ClickHouse-User: ${entry.username}\r\nX-ClickHouse-Key: ${entry.password}\r\n`;
}

function isDescribed({ columns, planned }: QueryExchange): boolean {
  return columns === undefined || planned !== undefined;
}

/** The type line that matched these columns last time: most results are like the previous one. */
const agreed = new WeakMap<readonly ResultColumn[], string>();

function start({ reader, columns, planned }: QueryExchange, names: string, types: string): void {
  if (columns !== undefined && agreed.get(columns) === types) {
    reader.start(columns);
    return;
  }
  reader.startWith(headerOf(names), headerOf(types), planned);
  if (columns !== undefined && planned?.onOtherKinds === 'fail') agreed.set(columns, types);
}

function headerOf(line: string): readonly string[] {
  const bytes = Buffer.from(line);
  return readHeaderLine(bytes, 0, bytes.length);
}
