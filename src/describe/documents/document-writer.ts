/**
 * Writes a large document member by member, as pieces of bytes. Yields to the event loop in
 * between.
 */
import { BoundedMap } from '../../util/bounded-map.ts';
import { TimeSlice } from '../../util/concurrency/slices.ts';
import { type Json, type Members, NOTATIONS, type Notation, type NotationName } from './notation.ts';

/** Members are collected into pieces of at least this size. */
const PIECE_BYTES = 64 * 1024;

/** Enough for all tables of a database with 1,000 tables. */
const MAX_CACHED_BYTES = 32 * 1024 * 1024;

/** Written members that several documents have in common, by notation and key. */
export type MemberCache = BoundedMap<string, Buffer>;

export function memberCache(): MemberCache {
  return new BoundedMap(MAX_CACHED_BYTES, { sizeOf: (bytes) => bytes.length });
}

export class DocumentWriter {
  readonly #notationName: NotationName;
  readonly #notation: Notation;
  readonly #cache: MemberCache;
  readonly #slice: TimeSlice;
  readonly #take: (piece: Buffer) => void;
  #parts: Buffer[] = [];
  #size = 0;
  /** Number of open objects inside the document. */
  #depth = 0;
  #needsSeparator = false;

  /** `owner` is the tenant whose time slices are used; `take` receives the pieces. */
  constructor(notation: NotationName, owner: string, cache: MemberCache, take: (piece: Buffer) => void) {
    this.#notationName = notation;
    this.#notation = NOTATIONS[notation];
    this.#cache = cache;
    this.#slice = new TimeSlice(owner);
    this.#take = take;
    this.#add(this.#notation.start);
  }

  /** Opens an object, which must get at least one member before it is closed. */
  open(name: string): void {
    this.#separate();
    this.#add(this.#notation.open(name, this.#depth));
    this.#depth++;
    this.#needsSeparator = false;
  }

  close(): void {
    this.#add(this.#notation.close);
    this.#depth--;
    this.#needsSeparator = true;
  }

  async members(object: Json): Promise<void> {
    for (const member of Object.entries(object)) await this.#write(this.#bytesOf([member]));
  }

  /** Writes the members that `make` returns. `key` must identify their content and depth. */
  async cachedMembers(key: string, make: () => Members): Promise<void> {
    const cacheKey = `${this.#notationName} ${key}`;
    let bytes = this.#cache.get(cacheKey);
    if (bytes === undefined) {
      bytes = this.#bytesOf(make());
      this.#cache.set(cacheKey, bytes);
    }
    await this.#write(bytes);
  }

  end(): void {
    this.#add(this.#notation.end);
    this.#cut();
  }

  #bytesOf(members: Members): Buffer {
    return Buffer.from(this.#notation.write(members, this.#depth));
  }

  async #write(members: Buffer): Promise<void> {
    if (members.length === 0) return;
    this.#separate();
    this.#add(members);
    this.#needsSeparator = true;
    if (this.#size >= PIECE_BYTES) this.#cut();
    if (this.#slice.isOver) await this.#slice.next();
  }

  #separate(): void {
    if (this.#needsSeparator) this.#add(this.#notation.separator);
  }

  #add(part: Buffer | string): void {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    this.#parts.push(bytes);
    this.#size += bytes.length;
  }

  #cut(): void {
    this.#take(Buffer.concat(this.#parts));
    this.#parts = [];
    this.#size = 0;
  }
}
