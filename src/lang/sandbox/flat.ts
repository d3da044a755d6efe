/**
 * Moves plain values of any size between threads as pieces of a few thousand parts, so that neither
 * side copies much at a time. Pure.
 */
import { Decimal, type PlainMap, type PlainValue } from '../../util/text/decimal.ts';

/**
 * Parts of a value in order: a scalar, the digits of a decimal, or the length of a list or map
 * followed by its parts.
 */
export interface FlatPiece {
  readonly kinds: Uint8Array;
  readonly items: readonly unknown[];
}

const SCALAR = 0;
const DECIMAL = 1;
const LIST = 2;
/** Keys and values, alternating. */
const MAP = 3;

const PART_BYTES = 8;
const MAX_PARTS = 4000;
const MAX_CHARACTERS = 256 * 1024;

function* parts(map: PlainMap): Iterator<PlainValue> {
  for (const [key, value] of map) {
    yield key;
    yield value;
  }
}

/** Splits a value into pieces. */
export class Packer {
  /** Lower bound of the bytes so far. A list that occurs several times counts each time. */
  size = 0;
  #next: PlainValue | undefined;
  readonly #inside: Iterator<PlainValue>[] = [];

  constructor(value: PlainValue) {
    this.#next = value;
  }

  get done(): boolean {
    return this.#next === undefined;
  }

  piece(): FlatPiece {
    const kinds = new Uint8Array(MAX_PARTS);
    const items: unknown[] = [];
    let characters = 0;
    while (this.#next !== undefined && items.length < MAX_PARTS && characters < MAX_CHARACTERS) {
      const value = this.#next;
      if (typeof value === 'string') characters += value.length;
      kinds[items.length] = kindOf(value);
      items.push(this.#part(value));
      this.#advance();
    }
    this.size += items.length * PART_BYTES + characters;
    return { kinds: kinds.slice(0, items.length), items };
  }

  #part(value: PlainValue): unknown {
    if (value instanceof Decimal) return value.text;
    if (Array.isArray(value)) {
      this.#inside.push((value as readonly PlainValue[]).values());
      return value.length;
    }
    if (!(value instanceof Map)) return value;
    this.#inside.push(parts(value));
    return value.size;
  }

  #advance(): void {
    this.#next = undefined;
    for (let inner = this.#inside.at(-1); inner !== undefined; inner = this.#inside.at(-1)) {
      const { done, value } = inner.next();
      if (done !== true) {
        this.#next = value;
        return;
      }
      this.#inside.pop();
    }
  }
}

function kindOf(value: PlainValue): number {
  if (typeof value !== 'object' || value === null) return SCALAR;
  if (value instanceof Decimal) return DECIMAL;
  return Array.isArray(value) ? LIST : MAP;
}

interface Open {
  readonly container: PlainValue[] | PlainMap;
  /** Parts that were not received yet. */
  left: number;
  key: string | undefined;
}

/** Joins pieces to a value. */
export class Unpacker {
  value: PlainValue = null;
  readonly #open: Open[] = [];

  add({ kinds, items }: FlatPiece): void {
    for (let i = 0; i < items.length; i++) {
      const kind = kinds[i];
      const item = items[i];
      if (kind === SCALAR) this.#put(item as PlainValue);
      else if (kind === DECIMAL) this.#put(new Decimal(String(item)));
      else this.#enter(kind === LIST ? [] : new Map(), kind === LIST ? Number(item) : Number(item) * 2);
    }
  }

  #enter(container: PlainValue[] | PlainMap, left: number): void {
    this.#put(container);
    if (left > 0) this.#open.push({ container, left, key: undefined });
  }

  #put(value: PlainValue): void {
    const inside = this.#open.at(-1);
    if (inside === undefined) {
      this.value = value;
      return;
    }
    const { container } = inside;
    if (!(container instanceof Map)) container.push(value);
    else if (inside.key === undefined) inside.key = value as string;
    else {
      container.set(inside.key, value);
      inside.key = undefined;
    }
    if (--inside.left === 0) this.#open.pop();
  }
}
