/**
 * Reads the fields of a document and collects all problems with their positions. `malformed`
 * problems violate the format (400); `refused` ones are well-formed but impossible (422).
 */
import { ApiError, apiError } from '../errors.ts';
import type { PlainMap, PlainValue } from '../util/text/decimal.ts';
import { placedProblems, type TextPlace, type YamlProblem } from '../util/text/yaml.ts';
import { childPath, type DocumentSource, placeText } from './source.ts';

/** A value of the document and its path. */
export interface Part {
  readonly value: PlainValue;
  readonly path: string;
}

export interface MapPart {
  readonly fields: PlainMap;
  readonly path: string;
}

const MAX_LISTED = 100;

interface PlacedProblem extends YamlProblem {
  /** The problem with its position, for a sentence that lists several. */
  readonly inSentence: string;
}

const NO_PLACE: TextPlace = { line: 0, column: 0 };

export class DocumentReader {
  readonly #source: DocumentSource;
  readonly #malformed: PlacedProblem[] = [];
  readonly #refused: PlacedProblem[] = [];

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

  #placed(path: string, why: string): PlacedProblem {
    const place = this.#source.placeOf(path);
    const name = path === '' ? 'the document' : path;
    const inSentence = `${name}${place !== undefined && this.#source.hasLines ? ` (${placeText(place)})` : ''} ${why}`;
    return { message: `${name} ${why}`, inSentence, ...(place ?? NO_PLACE) };
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

  string(parent: MapPart, name: string, check: (text: string) => string | undefined): string | undefined {
    const part = this.field(parent, name);
    if (part === undefined) return undefined;
    if (typeof part.value !== 'string') {
      this.malformed(part.path, 'must be a string');
      return undefined;
    }
    const why = check(part.value);
    if (why !== undefined) this.malformed(part.path, why);
    return part.value;
  }

  integer(parent: MapPart, name: string, min: number, max: number): number | undefined {
    const part = this.field(parent, name);
    if (part === undefined) return undefined;
    const { value } = part;
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
    this.malformed(part.path, `must be a whole number from ${min} to ${max}`);
    return undefined;
  }

  /** Reads a list of at least one string, without duplicates. */
  strings(parent: MapPart, name: string, check: (text: string) => string | undefined): readonly string[] | undefined {
    const part = this.field(parent, name);
    if (part === undefined) return undefined;
    const { value, path } = part;
    if (!Array.isArray(value) || value.length === 0) {
      this.malformed(path, 'must be a list with at least one string');
      return undefined;
    }
    const seen = new Set<string>();
    for (const [index, item] of (value as readonly PlainValue[]).entries()) {
      const why = typeof item === 'string' ? check(item) : 'must be a string';
      if (why !== undefined) this.malformed(childPath(path, index), why);
      if (typeof item === 'string') seen.add(item);
    }
    return [...seen];
  }

  /** Throws all collected problems, as malformed if one of them is. */
  finish(): void {
    const problems = [...this.#malformed, ...this.#refused];
    if (problems.length === 0) return;
    const listed = problems
      .slice(0, MAX_LISTED)
      .map(({ inSentence }) => inSentence)
      .join('; ');
    const message = problems.length > MAX_LISTED ? `${listed}; and ${problems.length - MAX_LISTED} more` : listed;
    const error = this.#malformed.length > 0 ? apiError('persona_invalid', message) : apiError('persona_refused', message);
    throw error.withLists({ problems: placedProblems(problems) });
  }
}

/** Message of an ApiError without its full stop, for use inside a sentence. */
export function reasonOf(error: unknown): string {
  if (error instanceof ApiError) return error.message.replace(/[.\s]+$/, '');
  throw error;
}
