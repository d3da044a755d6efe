/**
 * Reads request heads on one connection: bytes in; method, target and header section out. Clients repeat their headers: a section with the
 * same bytes as the last one is not parsed again, and what was derived from it is reused.
 */
import { IN_TARGET, IN_TOKEN, SPACE, skip } from './characters.ts';
import { type HeaderSection, parseSection } from './header-section.ts';
import { KNOWN_METHODS } from './methods.ts';
import { Refused } from './refusal.ts';

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
  section: { minor: 1, lines: [], keepAlive: false, length: 0, expectsContinue: false, reading: undefined },
};

export const HEAD_END = Buffer.from('\r\n\r\n');
/** The limit of the request line and the headers together. */
const MAX_HEAD_BYTES = 32 * 1024;
/** If the request line takes more than half of the limit, it is to blame. */
const LONG_LINE = MAX_HEAD_BYTES / 2;

/** Where the head ends; negative when it is incomplete. Throws Refused when it is too large. */
export function headEnd(bytes: Buffer): number {
  const end = bytes.indexOf(HEAD_END);
  if (end <= MAX_HEAD_BYTES && (end >= 0 || bytes.length <= MAX_HEAD_BYTES)) return end;
  const line = bytes.indexOf('\r\n');
  throw new Refused(line < 0 || line > LONG_LINE ? 'target_too_long' : 'head_too_large');
}

const SLASH = 0x2f;

/** A section is kept in the buffer it arrived in, which must not be larger than this. */
const MOST_KEPT = 4096;

function knownMethod(sent: string): string {
  const method = KNOWN_METHODS.get(sent);
  if (method === undefined) throw new Refused('malformed');
  return method;
}

export class HeadReader {
  #method = 'GET';
  #bytes: Buffer | undefined;
  #from = 0;
  #to = 0;
  #section: HeaderSection | undefined;

  /** `bytes` begin with the head; `end` is where its empty line begins. Throws Refused. */
  read(bytes: Buffer, end: number): RequestHead {
    const methodEnd = skip(bytes, 0, IN_TOKEN);
    const targetEnd = skip(bytes, methodEnd + 1, IN_TARGET);
    if (methodEnd === 0 || bytes[methodEnd] !== SPACE || targetEnd === methodEnd + 1) throw new Refused('malformed');
    const line = bytes.toString('latin1', 0, targetEnd);
    // Most clients repeat themselves. Looking things up by one shared string is also faster than by a copy.
    if (methodEnd !== this.#method.length || !line.startsWith(this.#method)) this.#method = knownMethod(line.slice(0, methodEnd));
    const method = this.#method;
    const section = this.#known(bytes, targetEnd, end) ?? this.#read(bytes, targetEnd, end);
    return { method, target: originForm(line.slice(methodEnd + 1)), section };
  }

  #known(bytes: Buffer, from: number, to: number): HeaderSection | undefined {
    if (this.#bytes === undefined || to - from !== this.#to - this.#from) return undefined;
    return bytes.compare(this.#bytes, this.#from, this.#to, from, to) === 0 ? this.#section : undefined;
  }

  #read(bytes: Buffer, from: number, to: number): HeaderSection {
    const section = parseSection(bytes, from, to);
    if (bytes.length <= MOST_KEPT) {
      this.#bytes = bytes;
      this.#from = from;
      this.#to = to;
      this.#section = section;
    }
    return section;
  }
}

/** An authority without user information, which two readers could take for two hosts. */
const ABSOLUTE = /^https?:\/\/[A-Za-z0-9._~%:[\]-]+/i;

/** A client that takes us for a proxy sends an absolute URL; only its path counts. Any other form is refused. */
function originForm(target: string): string {
  if (target.charCodeAt(0) === SLASH) return target;
  const authority = ABSOLUTE.exec(target)?.[0];
  if (authority === undefined) throw new Refused('malformed');
  const path = target.slice(authority.length);
  if (path === '' || path.startsWith('?')) return `/${path}`;
  if (!path.startsWith('/')) throw new Refused('malformed');
  return path;
}
