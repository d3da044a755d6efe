/**
 * Validates the arguments of a tool against its schema. Unknown arguments are rejected, all
 * problems reported together.
 */
import type { PlainMap, PlainValue } from '../util/text/decimal.ts';
import { ToolError } from './session.ts';
import { rejectUnsafe } from './values.ts';

export type ArgumentType = 'text' | 'strings' | 'object' | 'objects' | 'flag' | 'count';

export interface ArgumentRow {
  readonly type: ArgumentType;
  readonly description: string;
  readonly required?: boolean;
  readonly default?: boolean | number | string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  /** Members of an object, as JSON Schema. */
  readonly properties?: object;
  readonly additionalProperties?: boolean;
}

export type ArgumentRows = Readonly<Record<string, ArgumentRow>>;

const isText = (value: PlainValue): boolean => typeof value === 'string';
const isList = (value: PlainValue): value is readonly PlainValue[] => Array.isArray(value);

const TYPES: Readonly<Record<ArgumentType, { readonly schema: object; readonly label: string; fits(value: PlainValue): boolean }>> = {
  text: { schema: { type: 'string' }, label: 'a string', fits: isText },
  strings: {
    schema: { type: 'array', items: { type: 'string' } },
    label: 'a list of strings',
    fits: (value) => isList(value) && value.every(isText),
  },
  object: { schema: { type: 'object' }, label: 'an object', fits: (value) => value instanceof Map },
  objects: {
    schema: { type: 'array', items: { type: 'object' }, minItems: 1 },
    label: 'a list of objects with at least one',
    fits: (value) => isList(value) && value.length > 0 && value.every((item) => item instanceof Map),
  },
  flag: { schema: { type: 'boolean' }, label: 'true or false', fits: (value) => typeof value === 'boolean' },
  count: { schema: { type: 'integer' }, label: 'a whole number', fits: (value) => Number.isSafeInteger(value) },
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

function problemOf(name: string, { type, minimum, maximum, enum: values }: ArgumentRow, value: PlainValue): string | undefined {
  if (!TYPES[type].fits(value)) return `${name} must be ${TYPES[type].label}`;
  if (minimum !== undefined && (value as number) < minimum) return `${name} must be at least ${minimum}`;
  if (maximum !== undefined && (value as number) > maximum) return `${name} must be at most ${maximum}`;
  if (values !== undefined && !values.includes(value as string)) return `${name} must be one of ${values.join(', ')}`;
  return undefined;
}

export class Arguments {
  readonly #values: PlainMap;
  readonly #rows: ArgumentRows;

  constructor(values: PlainMap, rows: ArgumentRows) {
    this.#values = values;
    this.#rows = rows;
    const problems = [...values.keys()].flatMap((name) => (Object.hasOwn(rows, name) ? [] : [`${name.slice(0, 80)} is unknown`]));
    for (const [name, row] of Object.entries(rows)) {
      const value = values.get(name);
      const problem = value === undefined || value === null ? undefined : problemOf(name, row, value);
      if (problem !== undefined) problems.push(problem);
      else if (row.required === true && (value === undefined || value === null)) problems.push(`${name} is missing`);
    }
    if (problems.length > 0) throw new ToolError(`The arguments are not valid: ${problems.join('; ')}.`);
    rejectUnsafe(values);
  }

  has(name: string): boolean {
    return (this.#values.get(name) ?? null) !== null;
  }

  get(name: string): PlainValue {
    return this.#values.get(name) ?? this.#rows[name]?.default ?? null;
  }

  text(name: string): string {
    return String(this.get(name) ?? '');
  }

  strings(name: string): readonly string[] {
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
