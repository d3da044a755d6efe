/**
 * Parses the request heads of one connection. A header section with the same bytes as the last one
 * is not parsed again: most clients repeat their headers.
 */

import { RequestRejected } from '../request-rejected.ts';
import { IN_TARGET, IN_TOKEN, SPACE, skip } from './characters.ts';
import type { HeaderNames } from './header-names.ts';
import { type HeaderSection, parseSection } from './header-section.ts';
import { KNOWN_METHODS } from './methods.ts';

export interface RequestHead {
  readonly method: string;
  /** Path and query as received (Latin-1). */
  readonly target: string;
  readonly section: HeaderSection;
}

/** Stands for a request whose head could not be parsed. */
export const UNREADABLE: RequestHead = {
  method: 'UNKNOWN',
  target: '/',
  section: { minor: 1, lines: [], keepAlive: false, length: 0, expectsContinue: false, derived: undefined },
};

export const HEAD_END = Buffer.from('\r\n\r\n');
/** Limit for the request line and the headers together. */
const MAX_HEAD_BYTES = 32 * 1024;
/** A longer request line is reported as the reason for exceeding the limit. */
const LONG_REQUEST_LINE = MAX_HEAD_BYTES / 2;

/**
 * Position of the end of the head; negative if it is incomplete. Throws RequestRejected if it is
 * too large.
 */
export function headEnd(bytes: Buffer): number {
  const end = bytes.indexOf(HEAD_END);
  if (end <= MAX_HEAD_BYTES && (end >= 0 || bytes.length <= MAX_HEAD_BYTES)) return end;
  const line = bytes.indexOf('\r\n');
  throw new RequestRejected(line < 0 || line > LONG_REQUEST_LINE ? 'target_too_long' : 'head_too_large');
}

const SLASH = 0x2f;

/**
 * A section is remembered together with the buffer it arrived in, if that is not larger than this.
 */
const MAX_REMEMBERED_BYTES = 4096;

function knownMethod(name: string): string {
  const method = KNOWN_METHODS.get(name);
  if (method === undefined) throw new RequestRejected('malformed');
  return method;
}

export class HeadReader {
  readonly #names: HeaderNames;
  #method = 'GET';
  #bytes: Buffer | undefined;
  #from = 0;
  #to = 0;
  #section: HeaderSection | undefined;

  constructor(names: HeaderNames) {
    this.#names = names;
  }

  /** `bytes` begin with the head; its empty line begins at `end`. Throws RequestRejected. */
  read(bytes: Buffer, end: number): RequestHead {
    const methodEnd = skip(bytes, 0, IN_TOKEN);
    const targetEnd = skip(bytes, methodEnd + 1, IN_TARGET);
    if (methodEnd === 0 || bytes[methodEnd] !== SPACE || targetEnd === methodEnd + 1) throw new RequestRejected('malformed');
    const line = bytes.toString('latin1', 0, targetEnd);
    // One shared string for all requests: lookups by it are faster than by a copy.
    if (methodEnd !== this.#method.length || !line.startsWith(this.#method)) this.#method = knownMethod(line.slice(0, methodEnd));
    const method = this.#method;
    const section = this.#remembered(bytes, targetEnd, end) ?? this.#parse(bytes, targetEnd, end);
    return { method, target: originForm(line.slice(methodEnd + 1)), section };
  }

  #remembered(bytes: Buffer, from: number, to: number): HeaderSection | undefined {
    if (this.#bytes === undefined || to - from !== this.#to - this.#from) return undefined;
    return bytes.compare(this.#bytes, this.#from, this.#to, from, to) === 0 ? this.#section : undefined;
  }

  #parse(bytes: Buffer, from: number, to: number): HeaderSection {
    const section = parseSection(bytes, from, to, this.#names);
    if (bytes.length <= MAX_REMEMBERED_BYTES) {
      this.#bytes = bytes;
      this.#from = from;
      this.#to = to;
      this.#section = section;
    }
    return section;
  }
}

/** An authority without user information: two parsers could see two different hosts in that. */
const ABSOLUTE = /^https?:\/\/[A-Za-z0-9._~%:[\]-]+/i;

/** Clients of a proxy send an absolute URL: only its path counts. Any other form is rejected. */
function originForm(target: string): string {
  if (target.charCodeAt(0) === SLASH) return target;
  const authority = ABSOLUTE.exec(target)?.[0];
  if (authority === undefined) throw new RequestRejected('malformed');
  const path = target.slice(authority.length);
  if (path === '' || path.startsWith('?')) return `/${path}`;
  if (!path.startsWith('/')) throw new RequestRejected('malformed');
  return path;
}
