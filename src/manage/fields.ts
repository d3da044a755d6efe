/**
 * Reads the fields of a body and collects all problems, so that a client hears of everything at once. A field that is missing, of the wrong
 * JSON type or unknown is malformed; a well-formed value that is not allowed is refused. Knows nothing of what the fields mean.
 */
import { type ApiError, apiError } from '../errors.ts';
import { parseUlid } from '../model/ulid.ts';
import { parseUserId, type UserIds } from '../model/user-id.ts';
import type { PlainMap, PlainValue } from '../util/text/decimal.ts';

/** Returns why a text is not allowed, or nothing. */
export type TextRule = (text: string) => string | undefined;

interface Findings {
  readonly malformed: string[];
  readonly refused: string[];
  /** Every object of the body, to report at the end which fields nobody has read. */
  readonly read: BodyFields[];
}

/** Stands in for a wrong value. Nobody sees it, since `finish` throws. */
const INVALID = '';

const LONGEST_TEXT = 1_000;
const LONGEST_SHOWN = 80;

/** A value of the body for use in a sentence. */
export function shown(text: string): string {
  const flat = text.replace(/[\u0000-\u001f\u007f]/g, '\ufffd');
  return `"${flat.length > LONGEST_SHOWN ? `${flat.slice(0, LONGEST_SHOWN)}…` : flat}"`;
}

export function matching(pattern: RegExp, why: string): TextRule {
  return (text) => (pattern.test(text) ? undefined : why);
}

/** The rules of every text: the store must be able to hold it. */
function generalProblem(text: string, longest: number): string | undefined {
  if (text.includes('\0')) return 'must not contain a NUL character';
  return text.length > longest ? `must not be longer than ${longest} characters` : undefined;
}

export class BodyFields {
  readonly #map: PlainMap;
  readonly #where: string;
  readonly #findings: Findings;
  readonly #asked = new Set<string>();

  private constructor(map: PlainMap, where: string, findings: Findings) {
    this.#map = map;
    this.#where = where;
    this.#findings = findings;
    findings.read.push(this);
  }

  static of(body: PlainValue): BodyFields {
    if (!(body instanceof Map)) throw apiError('body_not_object');
    return new BodyFields(body, '', { malformed: [], refused: [], read: [] });
  }

  malformed(name: string, why: string): void {
    this.#findings.malformed.push(`${this.#where}${name} ${why}`);
  }

  refused(name: string, why: string): void {
    this.#findings.refused.push(`${this.#where}${name} ${why}`);
  }

  /** The field's value; null counts as absent. */
  value(name: string): Exclude<PlainValue, null> | undefined {
    this.#asked.add(name);
    return this.#map.get(name) ?? undefined;
  }

  optionalText(name: string, rule: TextRule = () => undefined, longest = LONGEST_TEXT): string | null {
    const value = this.value(name);
    if (value === undefined) return null;
    if (typeof value !== 'string') {
      this.malformed(name, 'must be a string');
      return null;
    }
    const why = generalProblem(value, longest) ?? rule(value);
    if (why !== undefined) this.refused(name, why);
    return value;
  }

  /** May be empty, unless the rule says otherwise. */
  anyText(name: string, rule?: TextRule, longest?: number): string {
    if (this.value(name) === undefined) this.malformed(name, 'is missing');
    return this.optionalText(name, rule, longest) ?? INVALID;
  }

  text(name: string, rule: TextRule = () => undefined, longest?: number): string {
    return this.anyText(name, (text) => (text.trim() === '' ? 'must not be empty' : rule(text)), longest);
  }

  optionalUlid(name: string): string | null {
    const text = this.optionalText(name, (value) => (parseUlid(value) === undefined ? 'is not a ULID' : undefined));
    return text === null ? null : (parseUlid(text) ?? INVALID);
  }

  optionalUserId(name: string, accepted: UserIds): string | null {
    const text = this.optionalText(name, (value) => (parseUserId(value, accepted) === undefined ? 'is not the id of a user' : undefined));
    return text === null ? null : (parseUserId(text, accepted) ?? INVALID);
  }

  /** One of these words; the field must be there. */
  choice<T extends string>(name: string, words: readonly T[]): T | undefined {
    const text = this.text(name, (value) => (words.includes(value as T) ? undefined : `must be one of ${words.join(', ')}`));
    return words.find((word) => word === text);
  }

  /** One of these words, or the first of them when the field is absent. */
  choiceOrFirst<T extends string>(name: string, words: readonly [T, ...T[]]): T {
    return this.value(name) === undefined ? words[0] : (this.choice(name, words) ?? words[0]);
  }

  integer(name: string, standard: number, least: number, most: number): number {
    const value = this.value(name);
    if (value === undefined) return standard;
    if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))) {
      if (value >= least && value <= most) return Number(value);
      this.refused(name, `must be between ${least} and ${most}`);
    } else this.malformed(name, 'must be an integer');
    return standard;
  }

  /** False when the field is absent. */
  flag(name: string): boolean {
    const value = this.value(name);
    if (value !== undefined && typeof value !== 'boolean') this.malformed(name, 'must be true or false');
    return value === true;
  }

  /** A list of objects; undefined when the field is absent or no list. */
  objects(name: string): readonly BodyFields[] | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) {
      this.malformed(name, 'must be an array');
      return undefined;
    }
    const items: BodyFields[] = [];
    for (const [index, item] of (value as readonly PlainValue[]).entries()) {
      if (item instanceof Map) items.push(new BodyFields(item, `${this.#where}${name}[${index}].`, this.#findings));
      else this.malformed(`${name}[${index}]`, 'must be an object');
    }
    return items;
  }

  /** An object; the field must be there. */
  object(name: string): BodyFields | undefined {
    const value = this.value(name);
    if (value instanceof Map) return new BodyFields(value, `${this.#where}${name}.`, this.#findings);
    this.malformed(name, value === undefined ? 'is missing' : 'must be an object');
    return undefined;
  }

  /** A list of different texts, none of them empty; the field must be there. */
  texts(name: string, most: number, longest: number): readonly string[] {
    const value = this.value(name);
    if (!Array.isArray(value)) {
      this.malformed(name, value === undefined ? 'is missing' : 'must be an array');
      return [];
    }
    const texts: string[] = [];
    for (const [index, item] of (value as readonly PlainValue[]).entries()) {
      if (typeof item !== 'string') this.malformed(`${name}[${index}]`, 'must be a string');
      else {
        const why = generalProblem(item, longest) ?? (item.trim() === '' ? 'must not be empty' : undefined);
        if (why !== undefined) this.refused(`${name}[${index}]`, why);
        texts.push(item);
      }
    }
    if (value.length === 0 || value.length > most) this.refused(name, `must have 1 to ${most} items`);
    if (new Set(texts).size < texts.length) this.refused(name, 'must not name anything twice');
    return texts;
  }

  /** An unknown field means nothing to us: a client that sends it expects otherwise. */
  #refuseUnknown(): void {
    for (const name of this.#map.keys()) if (!this.#asked.has(name)) this.malformed(shown(name), 'is not a known field here');
  }

  /** Throws all problems at once; as malformed if any of them is. */
  finish(error: (kind: 'malformed' | 'refused', problems: string) => ApiError = bodyError): void {
    for (const fields of this.#findings.read) fields.#refuseUnknown();
    const { malformed, refused } = this.#findings;
    const problems = [...malformed, ...refused].join('; ');
    if (problems !== '') throw error(malformed.length > 0 ? 'malformed' : 'refused', problems);
  }
}

function bodyError(kind: 'malformed' | 'refused', problems: string): ApiError {
  return kind === 'malformed' ? apiError('bad_field', problems) : apiError('refused_field', problems);
}
