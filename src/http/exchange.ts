/**
 * One request and its answer as the handlers see them: query, headers, body, and a signal for a client that has left. Lighter than an
 * AbortController, because every request has one.
 */
import { type ContextHeaders, readHeaders } from '../auth/headers.ts';
import type { StopSignal } from '../engines/contract/engine.ts';
import { apiError } from '../errors.ts';

import { type HeaderSection, type HttpReply, headerOf, type RequestHead } from '../http1/index.ts';

import type { Caller } from '../model/caller.ts';
import { newUlid } from '../model/ulid.ts';
import { bytesOf, Lease } from '../util/bytes/buffer-pool.ts';
import type { WorkMeter, WorkSubject } from '../util/concurrency/work-meter.ts';
import { BadEncoding, MAX_PARAMETERS, parseQuery, type QueryParameter, TooManyParameters } from '../util/text/query.ts';

/** Headers that the service reads besides the caller's. None of them may repeat. */
const SINGLE: ReadonlySet<string> = new Set(['content-type', 'content-encoding', 'x-request-id']);

/** The first of them that was sent more than once. */
function twiceIn({ lines }: HeaderSection): string | undefined {
  const seen = new Set<string>();
  for (let i = 0; i < lines.length; i += 2) {
    const name = lines[i] as string;
    if (!SINGLE.has(name)) continue;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

/** A request id from outside is used if it is one token of a reasonable length. */
const SANE_ID = /^[A-Za-z0-9._~+/=:-]{1,128}$/;

/** What the service reads from a header section, computed once for all requests that share it. */
interface Reading {
  /** The request's id, if the client sent a valid one. */
  readonly requestId: string | undefined;
  /** A header that was repeated and must not be. */
  readonly twice: string | undefined;
  context: ContextHeaders | undefined;
}

function readingOf(section: HeaderSection): Reading {
  if (section.derived !== undefined) return section.derived as Reading;
  const sent = headerOf(section, 'x-request-id');
  const requestId = sent !== undefined && SANE_ID.test(sent) ? sent : undefined;
  const reading: Reading = { requestId, twice: twiceIn(section), context: undefined };
  section.derived = reading;
  return reading;
}

export function pathOf({ target }: RequestHead): string {
  const mark = target.indexOf('?');
  return mark < 0 ? target : target.slice(0, mark);
}

export class Exchange implements StopSignal, WorkMeter {
  readonly head: RequestHead;
  readonly reply: HttpReply;
  readonly requestId: string;
  readonly started = performance.now();
  /** Until `releaseBody`. */
  body: Buffer | undefined;
  readonly #bodyLease: Lease | undefined;
  readonly path: string;
  /** The route's template, for logs and metrics. */
  route = 'unknown';
  aborted = false;
  isReading = false;
  /** What is read is read in a transaction that only reads, where the engine has one. */
  isReadOnly = false;
  caller: Caller | undefined;
  error: string | undefined;
  /** Why a database could not be used; for the log. */
  reason: string | undefined;
  subject: WorkSubject | undefined;
  isKnown = false;
  rows = -1;
  databaseMs = 0;
  readonly #rawQuery: string;
  #query: readonly QueryParameter[] | undefined;
  readonly #reading: Reading;
  #listeners: (() => void)[] | undefined;

  constructor(head: RequestHead, reply: HttpReply, body: Buffer | Lease | undefined) {
    this.head = head;
    this.reply = reply;
    this.#bodyLease = body instanceof Lease ? body : undefined;
    this.body = body === undefined ? undefined : bytesOf(body);
    const { target } = head;
    this.path = pathOf(head);
    this.#rawQuery = target.slice(this.path.length + 1);
    this.#reading = readingOf(head.section);
    this.requestId = this.#reading.requestId ?? newUlid();
  }

  /** The body is no longer used. */
  releaseBody(): void {
    if (this.body === undefined) return;
    this.body = undefined;
    this.#bodyLease?.release();
    this.reply.releaseRequestBody();
  }

  get method(): string {
    return this.head.method;
  }

  /** The method whose right the request needs: a POST may do no more than a GET. */
  get right(): string {
    return this.isReading ? 'GET' : this.method;
  }

  /** Throws when a header that must be single was repeated: two readers could disagree on which one counts. */
  checkHeaders(): void {
    if (this.#reading.twice !== undefined) throw apiError('header_twice', this.#reading.twice);
  }

  /** Looks up a header by its lower-case name; undefined when it was not sent, or more than once. */
  header(name: string): string | undefined {
    return headerOf(this.head.section, name);
  }

  /** All lines of a header whose value is a list. */
  listHeader(name: string): string | undefined {
    const { lines } = this.head.section;
    let found: string | undefined;
    for (let i = 0; i < lines.length; i += 2) {
      if (lines[i] === name) found = found === undefined ? lines[i + 1] : `${found}, ${lines[i + 1]}`;
    }
    return found;
  }

  get headers(): ContextHeaders {
    this.#reading.context ??= readHeaders(this.head.section.lines);
    return this.#reading.context;
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

  /** The only value of a parameter; undefined when it is absent. */
  parameter(name: string): string | undefined {
    let found: string | undefined;
    for (const parameter of this.query) {
      if (parameter.name !== name) continue;
      if (found !== undefined) throw apiError('repeated_parameter', name);
      found = parameter.value;
    }
    return found;
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

  /** The client left before the answer was complete. */
  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    for (const listener of this.#listeners?.slice() ?? []) listener();
  }
}
