/**
 * The heads of the requests on one connection: bytes in; method, target and header section out. Clients send the same headers with each
 * request: a section that is the last one, byte by byte, is not read again, nor is what was made of it.
 */
import { METHODS } from 'node:http';
import { IN_TARGET, IN_TOKEN, SPACE, skip } from './characters.ts';
import { type HeaderSection, parseSection } from './header-section.ts';
import { Refused } from './refusal.ts';

export interface RequestHead {
  readonly method: string;
  /** Path and query as they came, byte by byte (latin1). */
  readonly target: string;
  readonly section: HeaderSection;
}

/** Whatever is registered; a tunnel is none of ours. */
const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS.filter((method) => method !== 'CONNECT'));

/** A section is kept where it arrived; what arrived with it must not make that much. */
const MOST_KEPT = 4096;

export class HeadReader {
  #bytes: Buffer | undefined;
  #from = 0;
  #to = 0;
  #section: HeaderSection | undefined;

  /** `bytes`: the head begins with them; `end`: where the empty line behind it does. Throws Refused. */
  read(bytes: Buffer, end: number): RequestHead {
    const methodEnd = skip(bytes, 0, IN_TOKEN);
    const targetEnd = skip(bytes, methodEnd + 1, IN_TARGET);
    if (methodEnd === 0 || bytes[methodEnd] !== SPACE || targetEnd === methodEnd + 1) throw new Refused('malformed');
    const line = bytes.toString('latin1', 0, targetEnd);
    const method = line.slice(0, methodEnd);
    if (!KNOWN_METHODS.has(method)) throw new Refused('malformed');
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

/** A client that takes us for its proxy sends the whole address; the path is what counts. */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const path = target.replace(/^https?:\/\/[^/?]*/i, '');
  return path.startsWith('?') || path === '' ? `/${path}` : path;
}
