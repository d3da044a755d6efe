/**
 * Documents that were made of descriptions, kept as bytes: made once for each description and format, when the first asks, and read while they are being
 * made. The memory for all of them has a bound.
 */
import { createHash } from 'node:crypto';
import { BoundedMap } from '../util/bounded-map.ts';
import type { Description } from './description.ts';
import { writeLlms } from './llms.ts';
import { writeOpenApi } from './openapi.ts';

type Take = (piece: Buffer) => void;

const MOST_BYTES = 64 * 1024 * 1024;

const WRITERS = {
  json: (description, take) => writeOpenApi(description, 'json', take),
  yaml: (description, take) => writeOpenApi(description, 'yaml', take),
  llms: async (description, take) => take(Buffer.from(await writeLlms(description))),
} as const satisfies Readonly<Record<string, (description: Description, take: Take) => Promise<void>>>;

export type DocumentKind = keyof typeof WRITERS;

/** A document as far as it is made. */
export class KeptDocument {
  readonly pieces: Buffer[] = [];
  /** Rejects when it cannot be made. */
  readonly ended: Promise<void>;
  /** Small documents are whole by then; of others there is more than a piece. */
  readonly begun: Promise<void>;
  #isWhole = false;
  readonly #readers = new Set<() => void>();

  constructor(make: (take: Take) => Promise<void>) {
    let begin = (): void => undefined;
    const isLong = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const take = (piece: Buffer): void => {
      this.pieces.push(piece);
      if (this.pieces.length > 1) begin();
      for (const read of this.#readers) read();
    };
    this.ended = make(take).then(() => {
      this.#isWhole = true;
      for (const read of this.#readers) read();
      this.#readers.clear();
    });
    this.begun = Promise.race([isLong, this.ended]);
    // Its readers are told; there may be none left.
    this.begun.catch(() => undefined);
    this.ended.catch(() => undefined);
  }

  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Calls back whenever there is more of it, and when it is whole. */
  onMore(read: () => void): void {
    if (!this.#isWhole) this.#readers.add(read);
  }
}

export class Documents {
  readonly #kept = new BoundedMap<string, KeptDocument>(MOST_BYTES, {
    sizeOf: ({ pieces }) => pieces.reduce((sum, piece) => sum + piece.length, 1),
  });
  readonly #making = new Map<string, KeptDocument>();

  find(kind: DocumentKind, description: Description): KeptDocument {
    const key = `${kind} ${description.key}`;
    const known = this.#kept.get(key) ?? this.#making.get(key);
    if (known !== undefined) return known;
    const made = new KeptDocument((take) => WRITERS[kind](description, take));
    this.#making.set(key, made);
    made.ended
      .then(() => this.#kept.set(key, made))
      .catch(() => undefined)
      .finally(() => this.#making.delete(key));
    return made;
  }
}

/** Known before the document is: the same description gives the same bytes. */
export function documentTag(kind: DocumentKind, { key }: Description): string {
  return `"${createHash('sha256').update(`${kind} ${key}`).digest('base64url').slice(0, 27)}"`;
}
