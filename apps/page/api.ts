/** Requests of the page: its identity, at most six at a time, equal reads sent once. */
import { ApiFailure, readAnswer } from './answer.ts';

export { ApiFailure };

/** `…/svc/`: this script is at `…/svc/app/v1/assets/`. */
export const serviceRoot = new URL('../../../', /* @vite-ignore */ import.meta.url);
export const baseRoot = new URL('../', serviceRoot);

const MAX_IN_FLIGHT = 6;

/** Kept in memory only. */
let token: string | undefined;
/** `true` if the address itself carries the token of a public page. */
let isPublic = false;

export function useToken(value: string | undefined): void {
  token = value;
}

/** Takes the token of a public page from its address. */
export function usePublicToken(value: string | null): void {
  if (value === null) return;
  token = value;
  isPublic = true;
}

/** The token that links to other apps carry on: that of a public page. */
export const publicToken = (): string | undefined => (isPublic ? token : undefined);

export interface Sent {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** `true` for a file: the bytes are not decoded. */
  readonly isBinary?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly bytes?: ArrayBuffer;
}

let inFlight = 0;
const waiting: (() => void)[] = [];

async function takeTurn(): Promise<void> {
  if (inFlight < MAX_IN_FLIGHT) inFlight++;
  else await new Promise<void>((resolve) => waiting.push(resolve));
}

function endTurn(): void {
  const next = waiting.shift();
  if (next === undefined) inFlight--;
  else next();
}

/** Sends one request. Rejects with `ApiFailure` unless it succeeds. */
export async function send(url: URL, { method = 'GET', body, headers, isBinary = false }: Sent = {}): Promise<Answer> {
  await takeTurn();
  try {
    const response = await fetch(url, {
      method,
      cache: 'no-store',
      credentials: 'same-origin',
      referrerPolicy: 'no-referrer',
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    }).catch(() => {
      throw new ApiFailure('The service cannot be reached. Check the connection, then try again.');
    });
    return await readAnswer(response, isBinary);
  } finally {
    endTurn();
  }
}

/** Reads of the present generation, by address. */
let reads = new Map<string, Promise<Answer>>();

/** Reads an address; blocks that need the same one share the answer. */
export function read(url: URL): Promise<Answer> {
  const known = reads.get(url.href);
  if (known !== undefined) return known;
  const reading = send(url);
  reads.set(url.href, reading);
  reading.catch(() => reads.delete(url.href));
  return reading;
}

/** Forgets what was read, so that blocks read it again. */
export function forgetReads(): void {
  reads = new Map();
}
