/**
 * The head of an HTTP/1.x request: bytes in, method, target, headers and the framing of the body out. Strict where readers could differ:
 * whatever two servers in a row might understand in two ways is refused, so that nothing can be smuggled past the first. Pure.
 */
import { METHODS } from 'node:http';

/** Why a request is not served; what is answered to each is not decided here. */
export type Refusal = 'malformed' | 'head_too_large' | 'target_too_long' | 'body_too_large' | 'expectation' | 'too_slow';

export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal);
    this.refusal = refusal;
  }
}

/** Whatever is registered; a tunnel is none of ours. */
const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS.filter((method) => method !== 'CONNECT'));

/** The length of a body that comes in chunks. */
export const CHUNKED = -1;

export interface RequestHead {
  readonly method: string;
  /** Path and query as they came, byte by byte (latin1). */
  readonly target: string;
  /** HTTP/1.0 or HTTP/1.1. */
  readonly minor: 0 | 1;
  /** Names, in lower case, and values in turn, in the order in which they came. */
  readonly headers: readonly string[];
  /** May another request follow on the connection? */
  readonly keepAlive: boolean;
  /** Bytes of the body, or CHUNKED. */
  readonly length: number;
  /** The client waits for a word before it sends the body. */
  readonly expectsContinue: boolean;
}

const SPACE = 0x20;
const TAB = 0x09;
const COLON = 0x3a;
const CR = 0x0d;
const LF = 0x0a;

const IN_TOKEN = 1;
const IN_TARGET = 2;
const IN_VALUE = 4;

/** By byte, where it may stand. */
const CLASSES = new Uint8Array(256);
for (let code = 0x21; code < 0x100; code++) if (code !== 0x7f) CLASSES[code] = IN_TARGET | IN_VALUE;
CLASSES[SPACE] = IN_VALUE;
CLASSES[TAB] = IN_VALUE;
for (const character of "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
  CLASSES[character.charCodeAt(0)] = IN_TOKEN | IN_TARGET | IN_VALUE;

/** The first position from `at` on whose byte is of none of these classes; a line break, which is of none, must follow. */
function skip(bytes: Buffer, at: number, classes: number): number {
  let end = at;
  while (((CLASSES[bytes[end] as number] as number) & classes) !== 0) end++;
  return end;
}

/** What the headers say of the body and of the connection. */
interface Framing {
  hosts: number;
  length: string | undefined;
  chunked: boolean;
  connection: string;
  expect: string | undefined;
}

/** The headers that this layer understands; all others are somebody else's. */
const UNDERSTOOD: ReadonlyMap<string, (framing: Framing, value: string) => void> = new Map([
  [
    'host',
    (framing) => {
      framing.hosts++;
    },
  ],
  [
    'content-length',
    (framing, value) => {
      if (framing.length !== undefined || !/^\d{1,15}$/.test(value)) throw new Refused('malformed');
      framing.length = value;
    },
  ],
  [
    'transfer-encoding',
    (framing, value) => {
      if (framing.chunked || value.toLowerCase() !== 'chunked') throw new Refused('malformed');
      framing.chunked = true;
    },
  ],
  [
    'connection',
    (framing, value) => {
      framing.connection += `,${value.toLowerCase()}`;
    },
  ],
  [
    'expect',
    (framing, value) => {
      if (value.toLowerCase() !== '100-continue') throw new Refused('expectation');
      framing.expect = value;
    },
  ],
]);

/** A header's name as it is kept, and what this layer makes of its value. */
interface Name {
  readonly lower: string;
  readonly understood: ((framing: Framing, value: string) => void) | undefined;
}

/** Clients spell few names in few ways: each spelling is looked at once. */
const spellings = new Map<string, Name>();
const MOST_SPELLINGS = 1000;

function nameOf(spelling: string): Name {
  const known = spellings.get(spelling);
  if (known !== undefined) return known;
  const lower = spelling.toLowerCase();
  const name = { lower, understood: UNDERSTOOD.get(lower) };
  if (spellings.size < MOST_SPELLINGS) spellings.set(spelling, name);
  return name;
}

/** `bytes`: the head begins with them; `end`: where the empty line behind it does. Throws Refused. */
export function parseHead(bytes: Buffer, end: number): RequestHead {
  const text = bytes.toString('latin1', 0, end);
  const methodEnd = skip(bytes, 0, IN_TOKEN);
  const targetEnd = skip(bytes, methodEnd + 1, IN_TARGET);
  const minor = minorVersion(text, targetEnd);
  if (methodEnd === 0 || bytes[methodEnd] !== SPACE || targetEnd === methodEnd + 1 || minor === undefined) throw new Refused('malformed');
  const method = text.slice(0, methodEnd);
  if (!KNOWN_METHODS.has(method)) throw new Refused('malformed');
  const headers: string[] = [];
  const framing: Framing = { hosts: 0, length: undefined, chunked: false, connection: '', expect: undefined };
  let at = targetEnd + VERSION_LENGTH;
  while (at < end) at = parseLine(bytes, text, at, headers, framing);
  if (framing.hosts > 1 || (framing.hosts === 0 && minor === 1)) throw new Refused('malformed');
  if (framing.chunked && (framing.length !== undefined || minor === 0)) throw new Refused('malformed');
  return {
    method,
    target: originForm(text.slice(methodEnd + 1, targetEnd)),
    minor,
    headers,
    keepAlive: keepsAlive(framing.connection, minor),
    length: framing.chunked ? CHUNKED : Number(framing.length ?? 0),
    expectsContinue: framing.expect !== undefined && minor === 1,
  };
}

const VERSION_LENGTH = ' HTTP/1.1'.length;

function minorVersion(text: string, at: number): 0 | 1 | undefined {
  if (text.startsWith(' HTTP/1.1', at)) return 1;
  return text.startsWith(' HTTP/1.0', at) ? 0 : undefined;
}

/** One line, which begins with the end of the one before it. Returns where it ends. */
function parseLine(bytes: Buffer, text: string, start: number, headers: string[], framing: Framing): number {
  if (bytes[start] !== CR || bytes[start + 1] !== LF) throw new Refused('malformed');
  const nameEnd = skip(bytes, start + 2, IN_TOKEN);
  if (nameEnd === start + 2 || bytes[nameEnd] !== COLON) throw new Refused('malformed');
  let from = nameEnd + 1;
  while (bytes[from] === SPACE || bytes[from] === TAB) from++;
  const end = skip(bytes, from, IN_VALUE);
  let to = end;
  while (to > from && (bytes[to - 1] === SPACE || bytes[to - 1] === TAB)) to--;
  const { lower, understood } = nameOf(text.slice(start + 2, nameEnd));
  const value = text.slice(from, to);
  headers.push(lower, value);
  understood?.(framing, value);
  return end;
}

function keepsAlive(connection: string, minor: 0 | 1): boolean {
  if (connection === '') return minor === 1;
  const words = connection.split(',').map((word) => word.trim());
  return !words.includes('close') && (minor === 1 || words.includes('keep-alive'));
}

/** A client that takes us for its proxy sends the whole address; the path is what counts. */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const path = target.replace(/^https?:\/\/[^/?]*/i, '');
  return path.startsWith('?') || path === '' ? `/${path}` : path;
}

/** The value of a header that is to be sent once; undefined when it was not sent, or more than once. */
export function headerOf(head: RequestHead, name: string): string | undefined {
  const { headers } = head;
  let found: string | undefined;
  for (let i = 0; i < headers.length; i += 2) {
    if (headers[i] !== name) continue;
    if (found !== undefined) return undefined;
    found = headers[i + 1];
  }
  return found;
}
