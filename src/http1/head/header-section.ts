/**
 * Parses the version and the headers of an HTTP/1.x request. Strict: whatever two servers in a
 * chain could understand differently is rejected, so that no request can be smuggled past the
 * first. Pure.
 */

import { RequestRejected } from '../request-rejected.ts';
import { IN_TOKEN, IN_VALUE, SPACE, skip, TAB } from './characters.ts';
import type { Framing, HeaderNames } from './header-names.ts';

/** The length of a chunked body. */
export const CHUNKED = -1;

export interface HeaderSection {
  /** 0 for HTTP/1.0, 1 for HTTP/1.1. */
  readonly minor: 0 | 1;
  /** Lower-case names and values, alternating, in the order received. */
  readonly lines: readonly string[];
  /** `true` if another request may follow on the connection. */
  readonly keepAlive: boolean;
  /** Length of the body, or CHUNKED. */
  readonly length: number;
  /** The client waits for 100 Continue before it sends the body. */
  readonly expectsContinue: boolean;
  /** For values that handlers derive from the headers: many requests may share a section. */
  derived: unknown;
}

const COLON = 0x3a;
const CR = 0x0d;
const LF = 0x0a;

/** The target ends at `start`, the empty line begins at `end`. Throws RequestRejected. */
export function parseSection(bytes: Buffer, start: number, end: number, names: HeaderNames): HeaderSection {
  const text = bytes.toString('latin1', 0, end);
  const minor = minorVersion(text, start);
  const lines: string[] = [];
  const framing: Framing = { hosts: 0, length: undefined, isChunked: false, connection: '', expect: undefined };
  const section: Section = { bytes, text, names, lines, framing };
  let at = start + VERSION_LENGTH;
  while (at < end) at = parseLine(section, at);
  checkFraming(framing, minor);
  return {
    minor,
    lines,
    keepAlive: keepsAlive(framing.connection, minor),
    length: framing.isChunked ? CHUNKED : Number(framing.length ?? 0),
    expectsContinue: framing.expect !== undefined && minor === 1,
    derived: undefined,
  };
}

const VERSION_LENGTH = ' HTTP/1.1'.length;

function minorVersion(text: string, at: number): 0 | 1 {
  if (text.startsWith(' HTTP/1.1', at)) return 1;
  if (text.startsWith(' HTTP/1.0', at)) return 0;
  throw new RequestRejected('malformed');
}

interface Section {
  readonly bytes: Buffer;
  readonly text: string;
  readonly names: HeaderNames;
  readonly lines: string[];
  readonly framing: Framing;
}

/** Parses one line, beginning with the line break before it. Returns its end. */
function parseLine({ bytes, text, names, lines, framing }: Section, start: number): number {
  if (bytes[start] !== CR || bytes[start + 1] !== LF) throw new RequestRejected('malformed');
  const nameEnd = skip(bytes, start + 2, IN_TOKEN);
  if (nameEnd === start + 2 || bytes[nameEnd] !== COLON) throw new RequestRejected('malformed');
  let from = nameEnd + 1;
  while (bytes[from] === SPACE || bytes[from] === TAB) from++;
  const end = skip(bytes, from, IN_VALUE);
  let to = end;
  while (to > from && (bytes[to - 1] === SPACE || bytes[to - 1] === TAB)) to--;
  const { lowerCase, readValue } = names.find(text.slice(start + 2, nameEnd));
  const value = text.slice(from, to);
  lines.push(lowerCase, value);
  if (readValue !== undefined) {
    // Some parsers take a tab for white space, others for a part of the value.
    if (bytes.subarray(nameEnd, end).includes(TAB)) throw new RequestRejected('malformed');
    readValue(framing, value);
  }
  return end;
}

function checkFraming({ hosts, isChunked, length }: Framing, minor: 0 | 1): void {
  const isHostValid = hosts === 1 || (hosts === 0 && minor === 0);
  const isLengthValid = !isChunked || (length === undefined && minor === 1);
  if (!isHostValid || !isLengthValid) throw new RequestRejected('malformed');
}

function keepsAlive(connection: string, minor: 0 | 1): boolean {
  if (connection === '') return minor === 1;
  const options = connection.split(',').map((option) => option.trim());
  // After a request for another protocol, the bytes that follow have no certain meaning.
  return !options.includes('close') && !options.includes('upgrade') && (minor === 1 || options.includes('keep-alive'));
}

/** The value of a header that must be single; `undefined` if it was not sent, or more than once. */
export function headerOf({ lines }: HeaderSection, name: string): string | undefined {
  let value: string | undefined;
  for (let i = 0; i < lines.length; i += 2) {
    if (lines[i] !== name) continue;
    if (value !== undefined) return undefined;
    value = lines[i + 1];
  }
  return value;
}
