/**
 * Reads the fields of a document and collects what is wrong with each, with its place, so that an author hears of everything at once.
 * `malformed`: the document is not one; `refused`: it is, and says what cannot be. Knows no field by name.
 */
import { ApiError, apiError } from '../errors.ts';
import type { PlainMap, PlainValue } from '../util/text/decimal.ts';
import { childPath, type DocumentSource } from './source.ts';

/** A part of the document and where it stands. */
export interface Part {
  readonly value: PlainValue;
  readonly path: string;
}

export interface MapPart {
  readonly fields: PlainMap;
  readonly path: string;
}

const MOST_TOLD = 100;

export class DocumentReader {
  readonly #source: DocumentSource;
  readonly #malformed: string[] = [];
  readonly #refused: string[] = [];

  constructor(source: DocumentSource) {
    this.#source = source;
  }

  get root(): Part {
    return { value: this.#source.value, path: '' };
  }

  malformed(path: string, message: string): void {
    this.#malformed.push(this.#placed(path, message));
  }

  refused(path: string, message: string): void {
    this.#refused.push(this.#placed(path, message));
  }

  #placed(path: string, message: string): string {
    const place = this.#source.placeOf(path);
    const named = path === '' ? 'the document' : path;
    return `${named}${place === '' ? '' : ` (${place})`} ${message}`;
  }

  map({ value, path }: Part, known: readonly string[] | undefined, what = 'a mapping'): MapPart | undefined {
    if (!(value instanceof Map)) {
      this.malformed(path, `must be ${what}`);
      return undefined;
    }
    for (const name of value.keys())
      if (known?.includes(name) === false) this.malformed(childPath(path, name), `is unknown; known are ${known.join(', ')}`);
    return { fields: value, path };
  }

  field({ fields, path }: MapPart, name: string): Part | undefined {
    const value = fields.get(name);
    return value === undefined ? undefined : { value, path: childPath(path, name) };
  }

  text(parent: MapPart, name: string, check: (text: string) => string | undefined): string | undefined {
    const part = this.field(parent, name);
    if (part === undefined) return undefined;
    if (typeof part.value !== 'string') {
      this.malformed(part.path, 'must be a text');
      return undefined;
    }
    const why = check(part.value);
    if (why !== undefined) this.malformed(part.path, why);
    return part.value;
  }

  whole(parent: MapPart, name: string, least: number, most: number): number | undefined {
    const part = this.field(parent, name);
    if (part === undefined) return undefined;
    const { value } = part;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
    this.malformed(part.path, `must be a whole number from ${least} to ${most}`);
    return undefined;
  }

  /** A list of texts with at least one in it; one that comes again says nothing new. */
  texts(parent: MapPart, name: string, check: (text: string) => string | undefined): readonly string[] | undefined {
    const part = this.field(parent, name);
    if (part === undefined) return undefined;
    const { value, path } = part;
    if (!Array.isArray(value) || value.length === 0) {
      this.malformed(path, 'must be a list with at least one text');
      return undefined;
    }
    const seen = new Set<string>();
    for (const [index, item] of (value as readonly PlainValue[]).entries()) {
      const why = typeof item === 'string' ? check(item) : 'must be a text';
      if (why !== undefined) this.malformed(childPath(path, index), why);
      if (typeof item === 'string') seen.add(item);
    }
    return [...seen];
  }

  /** Throws when anything was found wrong: with all of it, and as malformed when any of it is. */
  finish(): void {
    const problems = [...this.#malformed, ...this.#refused];
    if (problems.length === 0) return;
    const told = problems.slice(0, MOST_TOLD).join('; ');
    const words = problems.length > MOST_TOLD ? `${told}; and ${problems.length - MOST_TOLD} more` : told;
    throw this.#malformed.length > 0 ? apiError('persona_invalid', words) : apiError('persona_refused', words);
  }
}

/** The reason of an error of ours, to stand inside a sentence. */
export function reasonOf(error: unknown): string {
  if (error instanceof ApiError) return error.message.replace(/[.\s]+$/, '');
  throw error;
}
