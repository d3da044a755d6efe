/**
 * Documents that were made of descriptions, kept as bytes: built once for each description and format, by the first who asks; those who come
 * meanwhile wait for the same. The memory for all of them has a bound.
 */
import { createHash } from 'node:crypto';
import { BoundedMap } from '../util/bounded-map.ts';
import { Turns } from '../util/slices.ts';
import type { Description } from './description.ts';
import { writeLlms } from './llms.ts';
import { writeOpenApi } from './openapi.ts';

export interface KeptDocument {
  readonly pieces: readonly Buffer[];
  readonly etag: string;
}

type Write = (description: Description) => Promise<readonly Buffer[]>;

const MOST_BYTES = 64 * 1024 * 1024;

const WRITERS = {
  json: (description) => writeOpenApi(description, 'json'),
  yaml: (description) => writeOpenApi(description, 'yaml'),
  llms: async (description) => [Buffer.from(await writeLlms(description))],
} as const satisfies Readonly<Record<string, Write>>;

export type DocumentKind = keyof typeof WRITERS;

export class Documents {
  readonly #kept = new BoundedMap<string, KeptDocument>(MOST_BYTES, {
    sizeOf: ({ pieces }) => pieces.reduce((sum, piece) => sum + piece.length, 1),
  });
  readonly #making = new Map<string, Promise<KeptDocument>>();

  async find(kind: DocumentKind, description: Description): Promise<KeptDocument> {
    const key = `${kind} ${description.key}`;
    const known = this.#kept.get(key) ?? this.#making.get(key);
    if (known !== undefined) return known;
    const making = make(WRITERS[kind], description).finally(() => this.#making.delete(key));
    this.#making.set(key, making);
    const made = await making;
    this.#kept.set(key, made);
    return made;
  }
}

async function make(write: Write, description: Description): Promise<KeptDocument> {
  const pieces = await write(description);
  const hash = createHash('sha256');
  const turns = new Turns(description.project);
  for (const piece of pieces) {
    hash.update(piece);
    if (turns.isOver) await turns.next();
  }
  return { pieces, etag: `"${hash.digest('base64url').slice(0, 27)}"` };
}
