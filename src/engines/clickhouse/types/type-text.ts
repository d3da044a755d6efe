/**
 * Parses ClickHouse type names (`Map(String, Array(Nullable(Int64)))`) into trees, and prints them.
 * Knows their grammar, not their meaning.
 */
import { BoundedMap } from '../../../util/bounded-map.ts';
import { DbFailure } from '../../contract/engine.ts';
import { malformed } from '../../contract/limits.ts';

export interface ChType {
  readonly name: string;
  /** Types in the parentheses: element, key and value, members. */
  readonly of: readonly ChType[];
  /** Literals in the parentheses: lengths, scales, zones, enum members, aggregate names. */
  readonly literals: readonly string[];
  /** Names of tuple and Nested members; '' for a member without a name. */
  readonly fields: readonly string[];
}

/** Types whose parentheses contain no types: `Enum8('Array(x)' = 1)`. */
const LITERAL_ONLY =
  /^(Enum8|Enum16|Enum|FixedString|Decimal\d*|DateTime|DateTime32|DateTime64|Time64|JSON|Object|Dynamic|QBit|AggregateFunction)$/;
const NAMED_MEMBERS = new Set(['Tuple', 'Nested']);
const BARE = /[A-Za-z0-9_]/;

/** Characters of all cached type names. Their trees take about ten times as much. */
const CACHE_LIMIT = 1024 * 1024;
const MAX_TYPE_LENGTH = 1024 * 1024;
const DEEPEST_TYPE = 64;
const LONGEST_SHOWN = 100;
const cache = new BoundedMap<string, ChType>(CACHE_LIMIT, { sizeOf: (_, text) => text.length });

/** Parses each distinct name once: catalogs and result headers repeat a few. */
export function parseType(text: string): ChType {
  const known = cache.get(text);
  if (known !== undefined) return known;
  if (text.length > MAX_TYPE_LENGTH) throw malformed('a type name that is too long');
  const type = new TypeParser(text).whole();
  cache.set(text, type);
  return type;
}

class TypeParser {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): ChType {
    const type = this.#type();
    this.#space();
    if (this.#at !== this.#text.length) throw this.#refuse();
    return type;
  }

  #type(): ChType {
    this.#space();
    const name = this.#word();
    if (name === '') throw this.#refuse();
    if (this.#text[this.#at] !== '(') return { name, of: [], literals: [], fields: [] };
    this.#at += 1;
    if (LITERAL_ONLY.test(name)) return { name, of: [], literals: this.#literals(), fields: [] };
    if (++this.#depth > DEEPEST_TYPE) throw malformed('a type that is nested too deeply');
    const type = this.#members(name);
    this.#depth -= 1;
    return type;
  }

  #members(name: string): ChType {
    const of: ChType[] = [];
    const fields: string[] = [];
    const literals: string[] = [];
    for (;;) {
      this.#space();
      if (this.#text[this.#at] === ')') break;
      if (name === 'SimpleAggregateFunction' && literals.length === 0) literals.push(this.#literal());
      else {
        fields.push(NAMED_MEMBERS.has(name) ? this.#fieldName() : '');
        of.push(this.#type());
      }
      this.#space();
      if (this.#text[this.#at] === ',') this.#at += 1;
      else if (this.#text[this.#at] !== ')') throw this.#refuse();
    }
    this.#at += 1;
    return { name, of, literals, fields };
  }

  /** Reads a member's name, which is followed by a space and its type. '' if there is none. */
  #fieldName(): string {
    const start = this.#at;
    const name = this.#text[start] === '`' || this.#text[start] === '"' ? unquote(this.#quoted()) : this.#word();
    this.#space();
    const next = this.#text[this.#at] ?? '';
    if (this.#at > start && BARE.test(next)) return name;
    this.#at = start;
    return '';
  }

  #literals(): string[] {
    const found: string[] = [];
    for (;;) {
      this.#space();
      if (this.#text[this.#at] === ')') break;
      found.push(this.#literal());
      if (this.#text[this.#at] === ',') this.#at += 1;
      else if (this.#text[this.#at] !== ')') throw this.#refuse();
    }
    this.#at += 1;
    return found;
  }

  /** Reads up to the next comma or closing parenthesis of this level. */
  #literal(): string {
    const start = this.#at;
    let depth = 0;
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at] ?? '';
      if (character === "'" || character === '`' || character === '"') {
        this.#quoted();
        continue;
      }
      if (depth === 0 && (character === ',' || character === ')')) break;
      if (character === '(') depth += 1;
      if (character === ')') depth -= 1;
      this.#at += 1;
    }
    return this.#text.slice(start, this.#at).trim();
  }

  #quoted(): string {
    const start = this.#at;
    const quote = this.#text[start];
    this.#at += 1;
    while (this.#at < this.#text.length && this.#text[this.#at] !== quote) this.#at += this.#text[this.#at] === '\\' ? 2 : 1;
    if (this.#at >= this.#text.length) throw this.#refuse();
    this.#at += 1;
    return this.#text.slice(start, this.#at);
  }

  #word(): string {
    const start = this.#at;
    while (this.#at < this.#text.length && BARE.test(this.#text[this.#at] ?? '')) this.#at += 1;
    return this.#text.slice(start, this.#at);
  }

  #space(): void {
    while (this.#text[this.#at] === ' ' || this.#text[this.#at] === '\n') this.#at += 1;
  }

  #refuse(): DbFailure {
    const text = this.#text.length > LONGEST_SHOWN ? `${this.#text.slice(0, LONGEST_SHOWN)}…` : this.#text;
    return new DbFailure('unsupported', `the type ${text} is not understood`);
  }
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', 0: '\0', a: '\x07', v: '\v' };

/** Returns the content of a quoted literal. */
export function unquote(literal: string): string {
  return literal.slice(1, -1).replace(/\\(?:x([0-9A-Fa-f]{2})|([\s\S]))/g, (_, hex: string | undefined, character: string) => {
    return hex === undefined ? (ESCAPES[character] ?? character) : String.fromCharCode(Number.parseInt(hex, 16));
  });
}

/** Returns the members of an Enum in the order of their declaration. */
export function enumMembers(type: ChType): ReadonlyMap<string, number> {
  const members = new Map<string, number>();
  for (const literal of type.literals) {
    const split = literal.lastIndexOf('=');
    members.set(unquote(literal.slice(0, split).trim()), Number(literal.slice(split + 1)));
  }
  return members;
}

/**
 * Returns the n-th integer literal of a type (`Decimal(P, S)`, `FixedString(N)`, `DateTime64(S,
 * zone)`).
 */
export function literalNumber(type: ChType, index: number): number {
  return Number(type.literals[index] ?? '0');
}

export interface DecimalShape {
  readonly precision: number;
  readonly scale: number;
  readonly bytes: number;
}

const DECIMAL_PRECISIONS: Readonly<Record<string, number>> = { Decimal32: 9, Decimal64: 18, Decimal128: 38, Decimal256: 76 };

export function decimalShape(type: ChType): DecimalShape {
  const fixed = DECIMAL_PRECISIONS[type.name];
  const precision = fixed ?? (type.literals.length === 0 ? 10 : literalNumber(type, 0));
  const scale = fixed === undefined ? literalNumber(type, 1) : literalNumber(type, 0);
  const bytes = precision <= 9 ? 4 : precision <= 18 ? 8 : precision <= 38 ? 16 : 32;
  return { precision, scale, bytes };
}

const WRAPPERS = new Set(['Nullable', 'LowCardinality', 'SimpleAggregateFunction']);

/** Removes Nullable, LowCardinality and SimpleAggregateFunction. */
export function innerType(type: ChType): ChType {
  const [inner] = type.of;
  return inner !== undefined && WRAPPERS.has(type.name) ? innerType(inner) : type;
}

export function isNullable(type: ChType): boolean {
  if (type.name === 'Nullable' || type.name === 'Variant' || type.name === 'Dynamic') return true;
  const [inner] = type.of;
  return inner !== undefined && WRAPPERS.has(type.name) && isNullable(inner);
}

/**
 * Types that have no literals for typed parameters: they travel as text and the server converts.
 */
const TEXT_TYPES = new Set(['JSON', 'Object', 'Dynamic', 'Variant', 'AggregateFunction', 'Geometry', 'QBit']);

/**
 * Returns the type for a typed parameter. LowCardinality concerns storage only. Timestamps are in
 * UTC, so that neither the column's nor the server's zone is assumed.
 */
export function parameterType(type: ChType): string {
  const { name } = type;
  if (name === 'LowCardinality' || name === 'SimpleAggregateFunction') return type.of.map(parameterType).join();
  if (TEXT_TYPES.has(name)) return 'String';
  if (name === 'DateTime' || name === 'DateTime32') return `DateTime('UTC')`;
  if (name === 'DateTime64') return `DateTime64(${type.literals[0] ?? '3'}, 'UTC')`;
  if (name === 'Nested') return `Array(Tuple(${members(type)}))`;
  if (type.of.length > 0) return `${name}(${members(type)})`;
  return type.literals.length > 0 ? `${name}(${type.literals.join(', ')})` : name;
}

function members(type: ChType): string {
  return type.of.map((inner, index) => `${fieldPrefix(type.fields[index])}${parameterType(inner)}`).join(', ');
}

function fieldPrefix(field: string | undefined): string {
  return field === undefined || field === '' ? '' : `${quoteName(field)} `;
}

/** Returns an identifier in backticks. */
export function quoteName(identifier: string): string {
  return `\`${identifier.replace(/[\\`]/g, '\\$&').replaceAll('\0', '\\0')}\``;
}
