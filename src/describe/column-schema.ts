/**
 * A column as JSON Schema: what its values look like in JSON, an example that the column takes, and the pattern of filters on it. One row a kind.
 * Knows no table.
 */
import type { Column, Kind } from '../model/table.ts';
import { OPERATORS } from '../sql/operators.ts';

export type Schema = { readonly [name: string]: unknown };

/** All of a column that its schema and its filters are made of. */
type ColumnFacts = Omit<Column, 'name' | 'default' | 'required' | 'generated' | 'takesBooleans' | 'fraction' | 'cast'>;

/** Does a column hold values of its own, or refer to another table's? */
export type ColumnUse = 'own' | 'reference';

interface KindRow {
  readonly schema: (column: ColumnFacts) => Schema;
  /** Undefined when nothing is known that every such column takes. */
  readonly example: (column: ColumnFacts, use: ColumnUse) => unknown;
  /** How a value is written in a query, as a pattern. */
  readonly text: string;
}

const ANY_TEXT = '[^"][\\s\\S]*';
const DATE = '[0-9]{4}-[0-9]{2}-[0-9]{2}';
const CLOCK = '[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\\.[0-9]+)?)?';
const ZONE = '(?:Z|z|[+-][0-9]{2}:?[0-9]{2})';
const NUMBER = '[+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?';

const text = (schema: (column: ColumnFacts) => Schema, example: KindRow['example'], pattern = ANY_TEXT): KindRow => ({
  schema: (column) => ({ type: 'string', ...schema(column) }),
  example,
  text: pattern,
});

const KINDS: Readonly<Record<Kind, KindRow>> = {
  int: { schema: integerSchema, example: integerExample, text: '[+-]?[0-9]+' },
  decimal: { schema: () => ({ type: 'number' }), example: decimalExample, text: NUMBER },
  float: {
    // What is no number has a name.
    schema: () => ({ type: ['number', 'string'], format: 'double', pattern: '^(?:NaN|-?Infinity)$' }),
    example: () => 1.5,
    text: `(?:${NUMBER}|NaN|[+-]?Infinity)`,
  },
  bool: { schema: () => ({ type: 'boolean' }), example: () => true, text: '(?:true|false|t|f|1|0)' },
  text: text(
    ({ maxLength, values }) => ({ ...(maxLength === undefined ? {} : { maxLength }), ...(values === undefined ? {} : { enum: values }) }),
    ({ maxLength, values }) => values?.[0] ?? 'text'.slice(0, maxLength),
  ),
  enum: text(
    ({ values = [] }) => ({ enum: values }),
    ({ values = [] }) => values[0],
  ),
  set: text(
    ({ values = [] }) => ({ description: `Members of the set, separated by commas: ${values.join(', ')}` }),
    ({ values = [] }) => values[0],
  ),
  uuid: text(
    () => ({ format: 'uuid' }),
    () => '5a0a2f6e-0b7c-4c43-9d5e-3f1f7a9c2b11',
    '[0-9A-Fa-f-]{32,36}',
  ),
  date: text(
    () => ({ format: 'date' }),
    () => '2026-01-31',
    DATE,
  ),
  time: text(
    () => ({ description: 'hh:mm:ss, with a fraction where the type has one' }),
    ({ type }) => (/with time zone|timetz/.test(type) ? '12:30:00+00:00' : '12:30:00'),
    `-?[0-9]{1,3}:[0-9]{2}(?::[0-9]{2}(?:\\.[0-9]+)?)?${ZONE}?`,
  ),
  timestamp: text(
    () => ({ description: 'YYYY-MM-DDThh:mm:ss, with a fraction where the type has one; no time zone' }),
    () => '2026-01-31T12:30:00',
    `${DATE}(?:[T ]${CLOCK})?${ZONE}?`,
  ),
  timestamptz: text(
    () => ({ format: 'date-time' }),
    () => '2026-01-31T12:30:00Z',
    `${DATE}(?:[T ]${CLOCK})?${ZONE}?`,
  ),
  bytes: text(
    () => ({ contentEncoding: 'base64' }),
    () => 'AA==',
  ),
  json: { schema: ({ type }) => (isList(type) ? { type: 'array' } : { description: 'Any JSON' }), example: jsonExample, text: ANY_TEXT },
  other: text(() => ({}), otherExample),
};

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Bounds that a reader of JSON could round are left to the format's name. */
function integerSchema({ min, max }: ColumnFacts): Schema {
  const isSafe = (bound: bigint | undefined): bound is bigint => bound !== undefined && bound >= -SAFE && bound <= SAFE;
  const format = isSafe(min) && isSafe(max) ? (min < -(2n ** 31n) || max >= 2n ** 31n ? 'int64' : 'int32') : 'int64';
  return {
    type: 'integer',
    ...(isSafe(max) || (max ?? 0n) < 2n ** 63n ? { format } : {}),
    ...(isSafe(min) ? { minimum: Number(min) } : {}),
    ...(isSafe(max) ? { maximum: Number(max) } : {}),
  };
}

/** A key gets a number that hardly any row has; the copy of another table's key one that many have. */
function integerExample({ min, max, primaryKey }: ColumnFacts, use: ColumnUse): number {
  const wanted = primaryKey && use === 'own' ? 987_654_321 : 1;
  return Math.min(Math.max(wanted, Number(min ?? wanted)), Number(max ?? wanted));
}

function decimalExample({ precision, scale }: ColumnFacts): number {
  if (scale === undefined) return 1.5;
  if (scale <= 0) return scale < 0 ? 0 : 1;
  return precision !== undefined && precision <= scale ? 0.5 / 10 ** (scale - precision) : 1.5;
}

/** Arrays, where an engine has such columns. */
function isList(type: string): boolean {
  return /\[\]$|^Array\(/.test(type);
}

function jsonExample({ type }: ColumnFacts): unknown {
  if (isList(type)) return [];
  return /^(?:jsonb?|longtext|json|Map\(.*)$/is.test(type) ? {} : undefined;
}

/** Notations of engines, by the beginning of the type's name. */
const NOTATIONS: readonly (readonly [RegExp, (type: string) => string])[] = [
  [/^interval/, () => '1 day'],
  [/^inet$|^IPv4|^inet4/i, () => '192.0.2.1'],
  [/^IPv6|^inet6/i, () => '2001:db8::1'],
  [/^cidr$/, () => '192.0.2.0/24'],
  [/^macaddr$/, () => '08:00:2b:01:02:03'],
  [/^macaddr8$/, () => '08:00:2b:ff:fe:01:02:03'],
  [/^(?:int4|int8|num)range$/, () => '[1,5)'],
  [/^daterange$/, () => '[2026-01-01,2026-02-01)'],
  [/^tsvector$|^tsquery$/, () => "'text'"],
  [/^xml$/, () => '<a/>'],
];

function otherExample({ type }: ColumnFacts): string | undefined {
  return NOTATIONS.find(([pattern]) => pattern.test(type))?.[1](type);
}

/** The column's own schema: what JSON has for it. */
export function columnSchema(column: ColumnFacts, use: ColumnUse = 'own'): Schema {
  const own = KINDS[column.kind].schema(column);
  const example = columnExample(column, use);
  return {
    ...(column.nullable ? orNull(own) : own),
    ...(column.readOnly ? { readOnly: true } : {}),
    ...(example === undefined ? {} : { examples: [example] }),
    'x-type': column.type,
    'x-kind': column.kind,
  };
}

function orNull(schema: Schema): Schema {
  const { type, enum: values } = schema;
  if (type === undefined) return schema;
  return {
    ...schema,
    type: [...(Array.isArray(type) ? (type as string[]) : [type]), 'null'],
    ...(Array.isArray(values) ? { enum: [...(values as unknown[]), null] } : {}),
  };
}

export function columnExample(column: ColumnFacts, use: ColumnUse = 'own'): unknown {
  return KINDS[column.kind].example(column, use);
}

const TEXT_KINDS: ReadonlySet<Kind> = new Set<Kind>(['text', 'enum', 'set']);

/** Columns of one of these can be filtered by more than whether they are NULL. */
export function isFiltered({ kind, sortable }: ColumnFacts): boolean {
  return sortable || TEXT_KINDS.has(kind);
}

/** The name of the schema of filters on a column. */
export function filterName({ kind, sortable }: ColumnFacts): string {
  return sortable ? `filter.${kind}` : 'filter.search';
}

/** The schemas of filters, by their names: an operator, a dot, and a value as the kind has it, quoted or not. */
export function filterSchemas(): Readonly<Record<string, Schema>> {
  const kinds = Object.keys(KINDS) as Kind[];
  return Object.fromEntries([
    ...kinds.map((kind) => [`filter.${kind}`, filterSchema(KINDS[kind].text, kind)]),
    ['filter.search', filterSchema(undefined, 'text')],
  ]);
}

const FORMS = { one: 'value', range: 'low.high', list: 'a,b,c' } as const;

function filterSchema(value: string | undefined, kind: Kind): Schema {
  const rows = Object.entries(OPERATORS).filter(([, { columns }]) => (columns === 'text' ? TEXT_KINDS.has(kind) : value !== undefined));
  const item = `(?:"(?:[^"\\\\]|\\\\.)*"|${value ?? ANY_TEXT})`;
  const isLoose = value === undefined || value === ANY_TEXT;
  const named = (form: string): string => rows.flatMap(([name, { values }]) => (values === form ? [name] : [])).join('|');
  const pattern = isLoose
    ? `^(?:${rows.map(([name]) => name).join('|')})\\.[\\s\\S]*$`
    : `^(?:(?:${named('one')})\\.${item}|(?:${named('range')})\\.${item}\\.${item}|(?:${named('list')})\\.${item}(?:,${item})*)$`;
  const words = rows.map(([name, { values, meaning }]) => `${name}.${FORMS[values]} (${meaning})`).join(', ');
  return { type: 'string', pattern, description: `An operator and its value: ${words}. Quote values that hold commas or dots.` };
}

/** A filter on the column that answers. */
export function filterExample(column: ColumnFacts): string | undefined {
  if (!column.sortable) return 'li.text';
  const example = columnExample(column);
  if (example === undefined || typeof example === 'object') return undefined;
  const value = String(example);
  return `${TEXT_KINDS.has(column.kind) || column.kind === 'bool' ? 'eq' : 'ge'}.${/[",\\]/.test(value) ? JSON.stringify(value) : value}`;
}
