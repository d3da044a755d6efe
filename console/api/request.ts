/** Requests to the service's own API: identity, errors, and the state of the network. */
import { signal } from '@preact/signals';
import { serviceRoot } from '../root.ts';
import { identity } from './identity.ts';
import type { Problem } from './types.ts';
import { viewAsHeaders } from './view-as.ts';

export interface RequestOptions {
  readonly query?: string | URLSearchParams | Readonly<Record<string, string>>;
  /** Sent as it is. */
  readonly body?: string;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** `true` for rows and counts, which act as the chosen persona. */
  readonly asPersona?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** An answer of the API that is not a success. The message is the API's own. */
export class ApiError extends Error {
  readonly status: number;
  readonly requestId: string | null;
  readonly problems: readonly Problem[];
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Headers;

  constructor({ status, headers, text }: Answer) {
    const body = readBody(text);
    super(typeof body['message'] === 'string' ? body['message'] : `The service answered ${status}.`);
    this.status = status;
    this.headers = headers;
    this.requestId = headers.get('x-request-id');
    this.body = body;
    this.problems = Array.isArray(body['problems']) ? (body['problems'] as Problem[]) : [];
  }
}

/** The service cannot be reached. */
export class Unreachable extends Error {
  constructor() {
    super('The service cannot be reached. Check the connection, then try again.');
  }
}

/** `true` while requests do not reach the service. */
export const offline = signal(false);

function readBody(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function queryText(query: RequestOptions['query']): string {
  if (query === undefined) return '';
  const text = typeof query === 'string' ? query : new URLSearchParams(query).toString();
  return text === '' ? '' : `?${text}`;
}

/** Address of a path below the fixed path segment, for example `rest/meta/v1/context`. */
export function serviceUrl(path: string, query?: RequestOptions['query']): URL {
  return new URL(path + queryText(query), serviceRoot);
}

/** Headers that identify the caller. */
export function identityHeaders(asPersona = false): Record<string, string> {
  return { ...identity.headers(), ...(asPersona ? viewAsHeaders() : {}) };
}

/** Sends a request and returns any answer. Rejects with `Unreachable`, or an AbortError. */
export async function send(method: string, url: URL, options: RequestOptions = {}): Promise<Response> {
  const { body, contentType = 'application/json', headers, signal: stop, asPersona } = options;
  try {
    const response = await fetch(url, {
      method,
      credentials: 'same-origin',
      referrerPolicy: 'no-referrer',
      cache: 'no-store',
      headers: { ...identityHeaders(asPersona), ...(body === undefined ? {} : { 'content-type': contentType }), ...headers },
      ...(body === undefined ? {} : { body }),
      ...(stop === undefined ? {} : { signal: stop }),
    });
    offline.value = false;
    return response;
  } catch (error) {
    if (stop?.aborted === true) throw error;
    offline.value = true;
    throw new Unreachable();
  }
}

/** Sends a request below the fixed path segment. Rejects with `ApiError` unless it succeeds. */
export async function request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
  const response = await send(method, serviceUrl(path, options.query), options);
  if (!response.ok && response.status !== 304) throw await refusalOf(response);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The error of a refused request. A token that is gone is forgotten. */
export async function refusalOf(response: Response): Promise<ApiError> {
  const answer = { status: response.status, headers: response.headers, text: await response.text() };
  identity.refused(answer.status, answer.text);
  return new ApiError(answer);
}

/** Reads JSON that contains no values of rows: counts, names, settings. */
export async function getJson<T>(path: string, options: RequestOptions = {}): Promise<T> {
  return JSON.parse((await request('GET', path, options)).text) as T;
}

/** Sends JSON and reads the JSON answer. */
export async function sendJson<T>(method: string, path: string, body: unknown, options: RequestOptions = {}): Promise<T> {
  const answer = await request(method, path, { ...options, body: JSON.stringify(body) });
  return (answer.text === '' ? undefined : JSON.parse(answer.text)) as T;
}
