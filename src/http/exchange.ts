/**
 * One request and its response as handlers see them: query, headers, body, and a signal that the
 * client has left.
 */
import type { ContextHeaders } from '../auth/headers.ts';
import type { StopSignal } from '../engines/contract/engine.ts';
import { apiError } from '../errors.ts';
import { type HttpReply, headerOf, type RequestHead } from '../http1/index.ts';
import type { Caller } from '../model/caller.ts';
import { newUlid } from '../model/ulid.ts';
import { bytesOf, Lease } from '../util/bytes/buffer-pool.ts';
import type { WorkMeter, WorkSubject } from '../util/concurrency/work-meter.ts';
import { BadEncoding, MAX_PARAMETERS, parseQuery, type QueryParameter, TooManyParameters } from '../util/text/query.ts';
import { RequestHeaders } from './request-headers.ts';
import type { SlowReaders } from './response/slow-readers.ts';
import type { ResponseSpool, Spools } from './response/spool.ts';

/** Resources that the responses of one service share. */
export interface ResponseResources {
  readonly spools: Spools;
  readonly slowReaders: SlowReaders;
}

export function pathOf({ target }: RequestHead): string {
  const mark = target.indexOf('?');
  return mark < 0 ? target : target.slice(0, mark);
}

/** Implements its own stop signal: every request has one, and an AbortController is expensive. */
export class Exchange implements StopSignal, WorkMeter {
  readonly head: RequestHead;
  readonly reply: HttpReply;
  readonly resources: ResponseResources;
  readonly requestId: string;
  readonly started = performance.now();
  /** `undefined` without a body, and after `releaseBody`. */
  body: Buffer | undefined;
  readonly #bodyLease: Lease | undefined;
  readonly path: string;
  /** Template of the route, for logs and metrics. */
  route = 'unknown';
  aborted = false;
  /** `true` for a POST that only reads. */
  isReading = false;
  /** `true` if reads are to use a read-only transaction, on engines that have one. */
  isReadOnly = false;
  /** `true` if dry runs are to count their rows on engines that cannot roll them back. */
  countsDryRuns = false;
  caller: Caller | undefined;
  /** Neighbours in the list of running requests. */
  previous: Exchange | undefined;
  next: Exchange | undefined;
  /** Key of the error that was sent, for the log. */
  error: string | undefined;
  /** Reason why a database could not be used, for the log. */
  reason: string | undefined;
  subject: WorkSubject | undefined;
  isKnown = false;
  rows = -1;
  databaseMs = 0;
  readonly #rawQuery: string;
  #query: readonly QueryParameter[] | undefined;
  readonly #headers: RequestHeaders;
  #listeners: (() => void)[] | undefined;

  constructor(head: RequestHead, reply: HttpReply, body: Buffer | Lease | undefined, resources: ResponseResources) {
    this.head = head;
    this.reply = reply;
    this.resources = resources;
    this.#bodyLease = body instanceof Lease ? body : undefined;
    this.body = body === undefined ? undefined : bytesOf(body);
    this.path = pathOf(head);
    this.#rawQuery = head.target.slice(this.path.length + 1);
    this.#headers = RequestHeaders.of(head.section);
    this.requestId = this.#headers.requestId ?? newUlid();
  }

  get method(): string {
    return this.head.method;
  }

  /** The method whose right the request needs: a POST that only reads needs the right of a GET. */
  get right(): string {
    return this.isReading ? 'GET' : this.method;
  }

  /** The project whose share of memory and time the request counts to. */
  get owner(): string {
    return this.caller?.projectId ?? '';
  }

  makeSpool(): ResponseSpool {
    return this.resources.spools.make(this.owner);
  }

  /** The body is no longer used. */
  releaseBody(): void {
    if (this.body === undefined) return;
    this.body = undefined;
    this.#bodyLease?.release();
    this.reply.releaseRequestBody();
  }

  /** Throws if a header that must be single was repeated. */
  checkHeaders(): void {
    if (this.#headers.repeated !== undefined) throw apiError('header_twice', this.#headers.repeated);
  }

  /**
   * The value of a header by its lower-case name; `undefined` if it was not sent, or more than
   * once.
   */
  header(name: string): string | undefined {
    return headerOf(this.head.section, name);
  }

  /** All values of a header that is a list. */
  listHeader(name: string): string | undefined {
    const { lines } = this.head.section;
    const values: string[] = [];
    for (let i = 0; i < lines.length; i += 2) if (lines[i] === name) values.push(lines[i + 1] as string);
    return values.length === 0 ? undefined : values.join(', ');
  }

  /** The headers that identify the caller. */
  get headers(): ContextHeaders {
    return this.#headers.context;
  }

  get query(): readonly QueryParameter[] {
    if (this.#query !== undefined) return this.#query;
    try {
      this.#query = parseQuery(this.#rawQuery);
    } catch (error) {
      if (error instanceof BadEncoding) throw apiError('bad_url');
      if (error instanceof TooManyParameters) throw apiError('too_many_parameters', String(MAX_PARAMETERS));
      throw error;
    }
    return this.#query;
  }

  /** The value of a parameter; `undefined` if it is absent. Throws if it is repeated. */
  parameter(name: string): string | undefined {
    let value: string | undefined;
    for (const parameter of this.query) {
      if (parameter.name !== name) continue;
      if (value !== undefined) throw apiError('repeated_parameter', name);
      value = parameter.value;
    }
    return value;
  }

  required(name: string): string {
    const value = this.parameter(name);
    if (value === undefined || value === '') throw apiError('missing_parameter', name);
    return value;
  }

  addEventListener(_: 'abort', listener: () => void): void {
    if (this.#listeners === undefined) this.#listeners = [listener];
    else this.#listeners.push(listener);
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    const index = this.#listeners?.indexOf(listener) ?? -1;
    if (index >= 0) this.#listeners?.splice(index, 1);
  }

  /** Called when the client has left before it received the whole response. */
  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    for (const listener of this.#listeners?.slice() ?? []) listener();
  }
}
