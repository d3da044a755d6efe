/** Declared inputs as JSON Schema, for documents and tools. Pure. */
import type { Declaration, Declarations, DeclaredType } from '../custom/inputs/declaration.ts';
import { Decimal, type PlainValue } from '../util/text/decimal.ts';
import type { Schema } from './column-schema.ts';

const TYPES: Readonly<Record<DeclaredType, Schema>> = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  timestamp: { type: 'string', format: 'date-time' },
  uuid: { type: 'string', format: 'uuid' },
  array: { type: 'array' },
  object: { type: 'object' },
  file: { type: 'string', format: 'binary' },
  any: {},
};

/**
 * Converts to what JSON.stringify accepts. Rounds numbers to doubles, as most readers of JSON do.
 */
export function jsonOf(value: PlainValue): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Decimal) return value.toNumber();
  if (Array.isArray(value)) return (value as readonly PlainValue[]).map(jsonOf);
  return value instanceof Map ? Object.fromEntries([...value].map(([name, item]) => [name, jsonOf(item)])) : value;
}

/** RE2 has some notations that JSON Schema does not support. */
function isPattern(pattern: string | undefined): pattern is string {
  if (pattern === undefined) return false;
  try {
    return new RegExp(`^(?:${pattern})$`, 'u').unicode;
  } catch {
    return false;
  }
}

export function declaredSchema(declaration: Declaration): Schema {
  const { type, nullable, minLength, maxLength, pattern, minimum, maximum, minItems, maxItems, items, fields } = declaration;
  const own = TYPES[type];
  const values = declaration.enum;
  const given: Record<string, unknown> = {
    ...own,
    ...(nullable && own['type'] !== undefined ? { type: [own['type'], 'null'] } : {}),
    ...(values === undefined ? {} : { enum: nullable ? [...values, null] : values }),
    ...(fields === undefined ? {} : objectSchema(fields)),
    ...(nullable && fields !== undefined ? { type: ['object', 'null'] } : {}),
  };
  const optional: Readonly<Record<string, unknown>> = {
    description: declaration.description,
    minLength,
    maxLength,
    pattern: isPattern(pattern) ? `^(?:${pattern})$` : undefined,
    'x-pattern': isPattern(pattern) ? undefined : pattern,
    minimum: minimum === undefined ? undefined : jsonOf(minimum),
    maximum: maximum === undefined ? undefined : jsonOf(maximum),
    minItems,
    maxItems,
    items: items === undefined ? (type === 'array' ? {} : undefined) : declaredSchema(items),
    default: declaration.default === undefined ? undefined : jsonOf(declaration.default),
    examples: declaration.example === undefined ? undefined : [jsonOf(declaration.example)],
  };
  for (const [name, value] of Object.entries(optional)) if (value !== undefined) given[name] = value;
  return given;
}

/** Undeclared inputs are rejected. */
export function objectSchema(declarations: Declarations): Schema {
  const required = [...declarations].filter(([, { required: isRequired }]) => isRequired).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries([...declarations].map(([name, declaration]) => [name, declaredSchema(declaration)])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}
