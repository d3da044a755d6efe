/** Arguments of a tool, checked against its own schema: unknown ones are refused, and all that is wrong is said at once. */
import type { PlainMap, PlainValue } from '../util/text/decimal.ts';
import { ToolError } from './session.ts';
import { refuseUnsafe } from './values.ts';

export type ArgumentType = 'text' | 'texts' | 'object' | 'objects' | 'flag' | 'count';

export interface ArgumentRow {
  readonly type: ArgumentType;
  readonly description: string;
  readonly required?: boolean;
  readonly default?: boolean | number | string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
}

export type ArgumentRows = Readonly<Record<string, ArgumentRow>>;

const isText = (value: PlainValue): boolean => typeof value === 'string';
const isList = (value: PlainValue): value is readonly PlainValue[] => Array.isArray(value);

const TYPES: Readonly<Record<ArgumentType, { readonly schema: object; readonly words: string; fits(value: PlainValue): boolean }>> = {
  text: { schema: { type: 'string' }, words: 'a text', fits: isText },
  texts: {
    schema: { type: 'array', items: { type: 'string' } },
    words: 'a list of texts',
    fits: (value) => isList(value) && value.every(isText),
  },
  object: { schema: { type: 'object' }, words: 'an object', fits: (value) => value instanceof Map },
  objects: {
    schema: { type: 'array', items: { type: 'object' }, minItems: 1 },
    words: 'a list of objects with at least one',
    fits: (value) => isList(value) && value.length > 0 && value.every((item) => item instanceof Map),
  },
  flag: { schema: { type: 'boolean' }, words: 'true or false', fits: (value) => typeof value === 'boolean' },
  count: { schema: { type: 'integer' }, words: 'a whole number', fits: (value) => Number.isSafeInteger(value) },
};

export function argumentSchema(rows: ArgumentRows): object {
  const required = Object.entries(rows).flatMap(([name, row]) => (row.required === true ? [name] : []));
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(rows).map(([name, { type, required: _, ...rest }]) => [name, { ...TYPES[type].schema, ...rest }]),
    ),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

function problemOf(name: string, { type, minimum, maximum, enum: words }: ArgumentRow, value: PlainValue): string | undefined {
  if (!TYPES[type].fits(value)) return `${name} must be ${TYPES[type].words}`;
  if (minimum !== undefined && (value as number) < minimum) return `${name} must be at least ${minimum}`;
  if (maximum !== undefined && (value as number) > maximum) return `${name} may be ${maximum} at most`;
  if (words !== undefined && !words.includes(value as string)) return `${name} must be one of ${words.join(', ')}`;
  return undefined;
}

export class Arguments {
  readonly #given: PlainMap;
  readonly #rows: ArgumentRows;

  constructor(given: PlainMap, rows: ArgumentRows) {
    this.#given = given;
    this.#rows = rows;
    const problems = [...given.keys()].flatMap((name) => (Object.hasOwn(rows, name) ? [] : [`${name.slice(0, 80)} is unknown`]));
    for (const [name, row] of Object.entries(rows)) {
      const value = given.get(name);
      const problem = value === undefined || value === null ? undefined : problemOf(name, row, value);
      if (problem !== undefined) problems.push(problem);
      else if (row.required === true && (value === undefined || value === null)) problems.push(`${name} is missing`);
    }
    if (problems.length > 0) throw new ToolError(`The arguments are not valid: ${problems.join('; ')}.`);
    refuseUnsafe(given);
  }

  has(name: string): boolean {
    return (this.#given.get(name) ?? null) !== null;
  }

  get(name: string): PlainValue {
    return this.#given.get(name) ?? this.#rows[name]?.default ?? null;
  }

  text(name: string): string {
    return String(this.get(name) ?? '');
  }

  texts(name: string): readonly string[] {
    return (this.get(name) ?? []) as readonly string[];
  }

  flag(name: string): boolean {
    return this.get(name) === true;
  }

  count(name: string): number {
    return Number(this.get(name));
  }

  map(name: string): PlainMap {
    return (this.get(name) ?? new Map()) as PlainMap;
  }
}
