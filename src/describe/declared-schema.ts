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

/** `true` for values with a member `$ref`, which many tools resolve even inside examples. */
export function holdsReference(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return '$ref' in value || Object.values(value).some(holdsReference);
}

function withoutReferences(value: PlainValue | undefined): unknown {
  const plain = value === undefined ? undefined : jsonOf(value);
  return holdsReference(plain) ? undefined : plain;
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
  const example = withoutReferences(declaration.example);
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
    default: withoutReferences(declaration.default),
    examples: example === undefined ? undefined : [example],
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
