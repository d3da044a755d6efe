/**
 * Sends one request of the client: address, credentials, timeout, retries of reads, errors. Needs
 * only fetch.
 */
import { parseExact } from './exact-json.ts';
import type { CallSettings, ClientOptions, ServiceFacts } from './types.ts';
import type { QueryPair } from './where.ts';

/** An error response of the service, or a failure to reach it (code 0). */
export class MillraceError extends Error {
  readonly code: number;
  readonly status: string;
  readonly requestId: string | undefined;

  constructor(code: number, status: string, message: string, requestId?: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'MillraceError';
    this.code = code;
    this.status = status;
    this.requestId = requestId;
  }
}

export interface ClientRequestData {
  readonly method: string;
  /** Path after the prefix. */
  readonly path: string;
  readonly query: readonly QueryPair[];
  readonly body?: string | FormData;
  /** Content type of a string body. */
  readonly type?: string | undefined;
  /** `true` if the request may be sent again. */
  readonly isRead: boolean;
}

export interface ClientAnswer {
  readonly body: unknown;
  readonly headers: Headers;
}

const TRANSIENT = [502, 503, 504];
const MAX_PAUSE_MS = 5000;

export class HttpSender {
  readonly #options: ClientOptions;
  readonly #facts: ServiceFacts;

  constructor(options: ClientOptions, facts: ServiceFacts) {
    this.#options = options;
    this.#facts = facts;
  }

  get isExact(): boolean {
    return this.#options.exact === true;
  }

  async send(request: ClientRequestData, settings: CallSettings = {}): Promise<ClientAnswer> {
    const maxRetries = request.isRead ? (this.#options.retries ?? 2) : 0;
    for (let tries = 0; ; tries++) {
      try {
        return await this.#once(request, settings);
      } catch (error) {
        const isOver = !(error instanceof Transient) || tries >= maxRetries || settings.signal?.aborted === true;
        if (isOver) throw error instanceof Transient ? error.error : error;
        const pause = error.pause ?? 100 * 2 ** tries * (0.5 + Math.random());
        await sleep(Math.min(pause, MAX_PAUSE_MS), settings.signal);
      }
    }
  }

  async #once({ method, path, query, body, type = 'application/json' }: ClientRequestData, settings: CallSettings): Promise<ClientAnswer> {
    const { url, headers = {}, token, timeout = 30_000, fetch: send = fetch } = this.#options;
    const pairs = token === undefined ? query : [...query, ['pwt', token] as const];
    const search = pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
    const all: Record<string, string> = { ...headers, ...(token === undefined ? {} : { 'x-power-token': token }) };
    if (typeof body === 'string') all['content-type'] = type;
    const stop = new AbortController();
    const leave = (): void => stop.abort(settings.signal?.reason);
    if (settings.signal?.aborted === true) leave();
    settings.signal?.addEventListener('abort', leave);
    const timer = setTimeout(
      () => stop.abort(new MillraceError(0, 'Timeout', 'The service did not answer in time.')),
      settings.timeout ?? timeout,
    );
    try {
      const address = `${url.replace(/\/+$/, '')}/${this.#facts.prefix}/${path}${search === '' ? '' : `?${search}`}`;
      const response = await send(address, { method, headers: all, signal: stop.signal, ...(body === undefined ? {} : { body }) });
      const type = response.headers.get('content-type') ?? '';
      if (!response.ok) throw refusal(response, await response.text());
      // Anything that is not text is a file.
      if (!/json|^text\/|xml|yaml|^$/.test(type)) return { body: new Uint8Array(await response.arrayBuffer()), headers: response.headers };
      const text = await response.text();
      return { body: text === '' ? undefined : this.#parse(type, text), headers: response.headers };
    } catch (error) {
      if (error instanceof Transient || error instanceof MillraceError) throw error;
      if (stop.signal.aborted) throw stop.signal.reason ?? error;
      throw new Transient(new MillraceError(0, 'Unreachable', `The service cannot be reached: ${String(error)}.`, undefined, error));
    } finally {
      clearTimeout(timer);
      settings.signal?.removeEventListener('abort', leave);
    }
  }

  #parse(type: string, text: string): unknown {
    if (!type.startsWith('application/json')) return text;
    return this.isExact ? parseExact(text) : (JSON.parse(text) as unknown);
  }
}

/** Rejects when the signal aborts. */
function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', leave);
      resolve();
    }, ms);
    signal?.addEventListener('abort', leave, { once: true });
  });
}

/** A failure that a retry may resolve. */
class Transient extends Error {
  readonly error: MillraceError;
  readonly pause: number | undefined;

  constructor(error: MillraceError, pause?: number) {
    super(error.message);
    this.error = error;
    this.pause = pause;
  }
}

function refusal(response: Response, text: string): Error {
  let body: { code?: number; status?: string; message?: string } = {};
  try {
    body = JSON.parse(text) as typeof body;
  } catch {
    // A proxy may answer with something other than JSON.
  }
  const id = response.headers.get('x-request-id') ?? undefined;
  const error = new MillraceError(body.code ?? response.status, body.status ?? response.statusText, body.message ?? text.slice(0, 200), id);
  if (!TRANSIENT.includes(response.status)) return error;
  const after = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new Transient(error, Number.isNaN(after) ? undefined : after * 1000);
}
