/**
 * Results of `elems`, `codepoints` and similar methods: the parts of a string or of bytes, created
 * lazily.
 */

import { Extension } from './extension.ts';
import { quote, quoteBytes } from './text/quote.ts';
import { byteString, runeOf } from './text/utf8.ts';
import type { Thread } from './thread.ts';
import type { LarkValue } from './value.ts';

/** Bytes of a string, as strings or as numbers. */
export class StringElements extends Extension {
  readonly #text: string;
  readonly #bytes: string;
  readonly #ords: boolean;

  constructor(text: string, bytes: string, ords: boolean) {
    super();
    this.#text = text;
    this.#bytes = bytes;
    this.#ords = ords;
  }

  get type(): string {
    return 'string.elems';
  }

  get length(): number {
    return this.#bytes.length;
  }

  at(index: number): LarkValue {
    const byte = this.#bytes.charCodeAt(index);
    return this.#ords ? byte : byteString(byte);
  }

  override text(_write: unknown, thread: Thread): string {
    return `${quote(thread, this.#text)}.${this.#ords ? 'elem_ords' : 'elems'}()`;
  }

  override *iterate(): Generator<LarkValue> {
    for (let i = 0; i < this.length; i++) yield this.at(i);
  }
}

/**
 * Code points of a string, as strings or as numbers. A byte outside of a character counts as
 * U+FFFD.
 */
export class StringCodepoints extends Extension {
  readonly #text: string;
  readonly #ords: boolean;

  constructor(text: string, ords: boolean) {
    super();
    this.#text = text;
    this.#ords = ords;
  }

  get type(): string {
    return 'string.codepoints';
  }

  override text(_write: unknown, thread: Thread): string {
    return `${quote(thread, this.#text)}.${this.#ords ? 'codepoint_ords' : 'codepoints'}()`;
  }

  override *iterate(): Generator<LarkValue> {
    for (const point of this.#text) {
      const code = runeOf(point);
      yield this.#ords ? code : String.fromCodePoint(code);
    }
  }
}

export class BytesElements extends Extension {
  readonly #data: Uint8Array;

  constructor(data: Uint8Array) {
    super();
    this.#data = data;
  }

  get type(): string {
    return 'bytes.elems';
  }

  get length(): number {
    return this.#data.length;
  }

  at(index: number): LarkValue {
    return this.#data[index] ?? 0;
  }

  override text(_write: unknown, thread: Thread): string {
    return `${quoteBytes(thread, this.#data)}.elems()`;
  }

  override iterate(): Iterator<LarkValue> {
    return this.#data.values();
  }
}
