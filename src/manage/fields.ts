/**
 * Reads the fields of a body and collects all problems. A missing or unknown field, or a wrong JSON
 * type, is malformed; a well-formed value that is not allowed is refused.
 */
import { type ApiError, apiError } from '../errors.ts';
import { parseUlid } from '../model/ulid.ts';
import { parseUserId, type UserIds } from '../model/user-id.ts';
import type { PlainMap, PlainValue } from '../util/text/decimal.ts';

/** Returns the problem of a string, or `undefined`. */
export type TextRule = (text: string) => string | undefined;

/** A problem of a field, by the field's path. The message names the field. */
interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

interface Findings {
  readonly malformed: FieldProblem[];
  readonly refused: FieldProblem[];
  /** All objects of the body, for the final check for unknown fields. */
  readonly read: BodyFields[];
}

/** Placeholder for an invalid value. It is never used, because `finish` throws. */
const INVALID = '';

const MAX_TEXT_LENGTH = 1_000;
const MAX_QUOTED_LENGTH = 80;

/** Quotes a value of the body for a message. */
export function quoted(text: string): string {
  const flat = text.replace(/[\u0000-\u001f\u007f]/g, '\ufffd');
  return `"${flat.length > MAX_QUOTED_LENGTH ? `${flat.slice(0, MAX_QUOTED_LENGTH)}…` : flat}"`;
}

export function matching(pattern: RegExp, problem: string): TextRule {
  return (text) => (pattern.test(text) ? undefined : problem);
}

/** Checks what the store requires of every string. */
function generalProblem(text: string, maxLength: number): string | undefined {
  if (text.includes('\0')) return 'must not contain a NUL character';
  return text.length > maxLength ? `must not be longer than ${maxLength} characters` : undefined;
}

export class BodyFields {
  readonly #map: PlainMap;
  readonly #path: string;
  readonly #findings: Findings;
  readonly #readNames = new Set<string>();

  private constructor(map: PlainMap, path: string, findings: Findings) {
    this.#map = map;
    this.#path = path;
    this.#findings = findings;
    findings.read.push(this);
  }

  static of(body: PlainValue): BodyFields {
    if (!(body instanceof Map)) throw apiError('body_not_object');
    return new BodyFields(body, '', { malformed: [], refused: [], read: [] });
  }

  malformed(name: string, problem: string): void {
    this.#findings.malformed.push({ field: `${this.#path}${name}`, message: `${this.#path}${name} ${problem}` });
  }

  refused(name: string, problem: string): void {
    this.#findings.refused.push({ field: `${this.#path}${name}`, message: `${this.#path}${name} ${problem}` });
  }

  /** Returns the value of a field. Null counts as absent. */
  value(name: string): Exclude<PlainValue, null> | undefined {
    this.#readNames.add(name);
    return this.#map.get(name) ?? undefined;
  }

  optionalText(name: string, rule: TextRule = () => undefined, maxLength = MAX_TEXT_LENGTH): string | null {
    const value = this.value(name);
    if (value === undefined) return null;
    if (typeof value !== 'string') {
      this.malformed(name, 'must be a string');
      return null;
    }
    const problem = generalProblem(value, maxLength) ?? rule(value);
    if (problem !== undefined) this.refused(name, problem);
    return value;
  }

  /** Reads a required string, which may be empty unless the rule forbids it. */
  anyText(name: string, rule?: TextRule, maxLength?: number): string {
    if (this.value(name) === undefined) this.malformed(name, 'is missing');
    return this.optionalText(name, rule, maxLength) ?? INVALID;
  }

  text(name: string, rule: TextRule = () => undefined, maxLength?: number): string {
    return this.anyText(name, (text) => (text.trim() === '' ? 'must not be empty' : rule(text)), maxLength);
  }

  optionalUlid(name: string): string | null {
    const text = this.optionalText(name, (value) => (parseUlid(value) === undefined ? 'is not a ULID' : undefined));
    return text === null ? null : (parseUlid(text) ?? INVALID);
  }

  optionalUserId(name: string, accepted: UserIds): string | null {
    const text = this.optionalText(name, (value) => (parseUserId(value, accepted) === undefined ? 'is not the id of a user' : undefined));
    return text === null ? null : (parseUserId(text, accepted) ?? INVALID);
  }

  /** Reads a required field with one of the listed values. */
  choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const text = this.text(name, (value) => (choices.includes(value as T) ? undefined : `must be one of ${choices.join(', ')}`));
    return choices.find((choice) => choice === text);
  }

  /** Reads one of the listed values, by default the first. */
  choiceOrFirst<T extends string>(name: string, choices: readonly [T, ...T[]]): T {
    return this.value(name) === undefined ? choices[0] : (this.choice(name, choices) ?? choices[0]);
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const value = this.value(name);
    if (value === undefined) return fallback;
    if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))) {
      if (value >= min && value <= max) return Number(value);
      this.refused(name, `must be between ${min} and ${max}`);
    } else this.malformed(name, 'must be an integer');
    return fallback;
  }

  /** `false` if the field is absent. */
  flag(name: string): boolean {
    const value = this.value(name);
    if (value !== undefined && typeof value !== 'boolean') this.malformed(name, 'must be true or false');
    return value === true;
  }

  /** `undefined` if the field is absent or not a list. */
  objects(name: string): readonly BodyFields[] | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) {
      this.malformed(name, 'must be an array');
      return undefined;
    }
    const items: BodyFields[] = [];
    for (const [index, item] of (value as readonly PlainValue[]).entries()) {
      if (item instanceof Map) items.push(new BodyFields(item, `${this.#path}${name}[${index}].`, this.#findings));
      else this.malformed(`${name}[${index}]`, 'must be an object');
    }
    return items;
  }

  /** Reads a required object. */
  object(name: string): BodyFields | undefined {
    const value = this.value(name);
    if (value instanceof Map) return new BodyFields(value, `${this.#path}${name}.`, this.#findings);
    this.malformed(name, value === undefined ? 'is missing' : 'must be an object');
    return undefined;
  }

  /** Reads a required list of distinct, non-empty strings. */
  strings(name: string, maxItems: number, maxLength: number): readonly string[] {
    const value = this.value(name);
    if (!Array.isArray(value)) {
      this.malformed(name, value === undefined ? 'is missing' : 'must be an array');
      return [];
    }
    const strings: string[] = [];
    for (const [index, item] of (value as readonly PlainValue[]).entries()) {
      if (typeof item !== 'string') this.malformed(`${name}[${index}]`, 'must be a string');
      else {
        const problem = generalProblem(item, maxLength) ?? (item.trim() === '' ? 'must not be empty' : undefined);
        if (problem !== undefined) this.refused(`${name}[${index}]`, problem);
        strings.push(item);
      }
    }
    if (value.length === 0 || value.length > maxItems) this.refused(name, `must have 1 to ${maxItems} items`);
    if (new Set(strings).size < strings.length) this.refused(name, 'must not name anything twice');
    return strings;
  }

  /** Rejects unknown fields, because the client expects them to have an effect. */
  #rejectUnknown(): void {
    for (const name of this.#map.keys()) {
      if (this.#readNames.has(name)) continue;
      const message = `${this.#path}${quoted(name)} is not a known field here`;
      this.#findings.malformed.push({ field: `${this.#path}${name}`, message });
    }
  }

  /** Throws one error with all problems: malformed if any of them is. */
  finish(error: (kind: 'malformed' | 'refused', sentence: string, problems: readonly FieldProblem[]) => ApiError = bodyError): void {
    for (const fields of this.#findings.read) fields.#rejectUnknown();
    const { malformed, refused } = this.#findings;
    const problems = [...malformed, ...refused];
    if (problems.length === 0) return;
    throw error(malformed.length > 0 ? 'malformed' : 'refused', problems.map(({ message }) => message).join('; '), problems);
  }
}

function bodyError(kind: 'malformed' | 'refused', problems: string): ApiError {
  return kind === 'malformed' ? apiError('bad_field', problems) : apiError('refused_field', problems);
}
