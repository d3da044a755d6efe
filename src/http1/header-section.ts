/**
 * Parses the version and the header lines of an HTTP/1.x request, and what they say about the body and the connection.
 * Strict: whatever two servers in a chain might understand differently is refused, so that no request can be smuggled past the first one.
 * Pure.
 */
import { BoundedMap } from '../util/bounded-map.ts';
import { detached } from '../util/text/detached.ts';
import { IN_TOKEN, IN_VALUE, SPACE, skip, TAB } from './characters.ts';
import { Refused } from './refusal.ts';

/** The length of a chunked body. */
export const CHUNKED = -1;

export interface HeaderSection {
  /** HTTP/1.0 or HTTP/1.1. */
  readonly minor: 0 | 1;
  /** Lower-case names and values, alternating, in the order received. */
  readonly lines: readonly string[];
  /** May another request follow on the connection? */
  readonly keepAlive: boolean;
  /** The length of the body, or CHUNKED. */
  readonly length: number;
  /** The client waits for 100 Continue before it sends the body. */
  readonly expectsContinue: boolean;
  /** For what the service derives from the headers: many requests may share a section. */
  reading: unknown;
}

const COLON = 0x3a;
const CR = 0x0d;
const LF = 0x0a;

/** What the headers say about the body and the connection. */
interface Framing {
  hosts: number;
  length: string | undefined;
  chunked: boolean;
  connection: string;
  expect: string | undefined;
}

/** The headers that this layer understands. */
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

/** A header name as it is kept, and what this layer does with its value. */
interface Name {
  readonly lower: string;
  readonly understood: ((framing: Framing, value: string) => void) | undefined;
}

/** Clients use few spellings of few names: each is examined once. */
const spellings = new BoundedMap<string, Name>(1000);
const LONGEST_KEPT = 64;

function nameOf(spelling: string): Name {
  const known = spellings.get(spelling);
  if (known !== undefined) return known;
  const own = detached(spelling);
  const lower = own.toLowerCase();
  const name = { lower, understood: UNDERSTOOD.get(lower) };
  if (own.length <= LONGEST_KEPT) spellings.set(own, name);
  return name;
}

/** `start` is where the target ends, `end` where the empty line begins. Throws Refused. */
export function parseSection(bytes: Buffer, start: number, end: number): HeaderSection {
  const text = bytes.toString('latin1', 0, end);
  const minor = minorVersion(text, start);
  const lines: string[] = [];
  const framing: Framing = { hosts: 0, length: undefined, chunked: false, connection: '', expect: undefined };
  let at = start + VERSION_LENGTH;
  while (at < end) at = parseLine(bytes, text, at, lines, framing);
  if (framing.hosts > 1 || (framing.hosts === 0 && minor === 1)) throw new Refused('malformed');
  if (framing.chunked && (framing.length !== undefined || minor === 0)) throw new Refused('malformed');
  return {
    minor,
    lines,
    keepAlive: keepsAlive(framing.connection, minor),
    length: framing.chunked ? CHUNKED : Number(framing.length ?? 0),
    expectsContinue: framing.expect !== undefined && minor === 1,
    reading: undefined,
  };
}

const VERSION_LENGTH = ' HTTP/1.1'.length;

function minorVersion(text: string, at: number): 0 | 1 {
  if (text.startsWith(' HTTP/1.1', at)) return 1;
  if (text.startsWith(' HTTP/1.0', at)) return 0;
  throw new Refused('malformed');
}

/** Parses one line, starting at the end of the line before. Returns where it ends. */
function parseLine(bytes: Buffer, text: string, start: number, lines: string[], framing: Framing): number {
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
  lines.push(lower, value);
  if (understood !== undefined) {
    // Some readers take a tab for white space, others for a part of the value.
    if (bytes.subarray(nameEnd, end).includes(TAB)) throw new Refused('malformed');
    understood(framing, value);
  }
  return end;
}

function keepsAlive(connection: string, minor: 0 | 1): boolean {
  if (connection === '') return minor === 1;
  const words = connection.split(',').map((word) => word.trim());
  // After a request for another protocol, nobody knows what follows.
  return !words.includes('close') && !words.includes('upgrade') && (minor === 1 || words.includes('keep-alive'));
}

/** The value of a header that must be single; undefined when it was not sent, or more than once. */
export function headerOf({ lines }: HeaderSection, name: string): string | undefined {
  let found: string | undefined;
  for (let i = 0; i < lines.length; i += 2) {
    if (lines[i] !== name) continue;
    if (found !== undefined) return undefined;
    found = lines[i + 1];
  }
  return found;
}
