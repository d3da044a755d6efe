/**
 * Documents as bytes, made once per description and kind. Readers can follow a document while it is
 * being made. The memory of all documents is limited.
 */
import { createHash } from 'node:crypto';
import { BoundedMap } from '../../util/bounded-map.ts';
import type { Description } from '../description.ts';
import { DocumentWriter, type MemberCache, memberCache } from './document-writer.ts';
import { writeLlms } from './llms.ts';
import type { NotationName } from './notation.ts';
import { writeOpenApi } from './openapi.ts';

const MAX_BYTES = 64 * 1024 * 1024;

export type DocumentKind = NotationName | 'llms';

type Take = (piece: Buffer) => void;

/** A document, or as much of it as is made. */
export class DocumentStream {
  readonly pieces: Buffer[] = [];
  /** Resolves when the document is complete, and rejects if it cannot be made. */
  readonly ended: Promise<void>;
  /** Resolves as soon as two pieces exist or the document is complete. */
  readonly begun: Promise<void>;
  #isComplete = false;
  readonly #listeners = new Set<() => void>();

  constructor(make: (take: Take) => Promise<void>) {
    let begin = (): void => undefined;
    const isLong = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const take = (piece: Buffer): void => {
      this.pieces.push(piece);
      if (this.pieces.length > 1) begin();
      for (const listener of this.#listeners) listener();
    };
    this.ended = make(take).then(() => {
      this.#isComplete = true;
      for (const listener of this.#listeners) listener();
      this.#listeners.clear();
    });
    this.begun = Promise.race([isLong, this.ended]);
    // All readers may have left, so a rejection may have no handler.
    this.begun.catch(() => undefined);
    this.ended.catch(() => undefined);
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Calls `listener` after each new piece and at the end. */
  onMore(listener: () => void): void {
    if (!this.#isComplete) this.#listeners.add(listener);
  }
}

export class DocumentCache {
  readonly #complete = new BoundedMap<string, DocumentStream>(MAX_BYTES, {
    sizeOf: ({ pieces }) => pieces.reduce((sum, piece) => sum + piece.length, 1),
  });
  readonly #unfinished = new Map<string, DocumentStream>();
  readonly #members: MemberCache = memberCache();

  find(kind: DocumentKind, description: Description): DocumentStream {
    const key = `${kind} ${description.key}`;
    const known = this.#complete.get(key) ?? this.#unfinished.get(key);
    if (known !== undefined) return known;
    const document = new DocumentStream((take) => this.#write(kind, description, take));
    this.#unfinished.set(key, document);
    document.ended
      .then(() => this.#complete.set(key, document))
      .catch(() => undefined)
      .finally(() => this.#unfinished.delete(key));
    return document;
  }

  async #write(kind: DocumentKind, description: Description, take: Take): Promise<void> {
    if (kind === 'llms') take(Buffer.from(await writeLlms(description)));
    else await writeOpenApi(description, new DocumentWriter(kind, description.project, this.#members, take));
  }
}

/** The ETag depends on the description only, so it is known before the document is made. */
export function documentTag(kind: DocumentKind, { key }: Description): string {
  return `"${createHash('sha256').update(`${kind} ${key}`).digest('base64url').slice(0, 27)}"`;
}
