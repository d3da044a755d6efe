/**
 * A column as JSON Schema: its values in JSON, an example, and the pattern of filters on it. Pure.
 * One row per kind. Must not import tables.
 */
import type { Column, Kind } from '../model/table.ts';
import { OPERATORS } from '../sql/operators.ts';

export type Schema = { readonly [name: string]: unknown };

/** The properties of a column that its schema and filters depend on. */
type ColumnFacts = Omit<Column, 'name' | 'default' | 'required' | 'generated' | 'takesBooleans' | 'fraction' | 'cast'>;

/** Whether a column holds its own values or refers to another table. */
export type ColumnUse = 'own' | 'reference';

interface KindRow {
  readonly schema: (column: ColumnFacts) => Schema;
  /** `undefined` if no value is certain to be accepted. */
  readonly example: (column: ColumnFacts, use: ColumnUse) => unknown;
  /** Pattern of a value in a query. */
  readonly text: string;
}

const ANY_TEXT = '[^"][\\s\\S]*';
const DATE = '[0-9]{4}-[0-9]{2}-[0-9]{2}';
const CLOCK = '[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\\.[0-9]+)?)?';
const ZONE = '(?:Z|z|[+-][0-9]{2}:?[0-9]{2})';
const NUMBER = '[+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?';

/** NaN and infinities are strings in JSON. */
const NUMBER_OR_SPECIAL: Schema = { type: ['number', 'string'], pattern: '^(?:NaN|-?Infinity)$' };

const text = (schema: (column: ColumnFacts) => Schema, example: KindRow['example'], pattern = ANY_TEXT): KindRow => ({
  schema: (column) => ({ type: 'string', ...schema(column) }),
  example,
  text: pattern,
});

const KINDS: Readonly<Record<Kind, KindRow>> = {
  int: { schema: integerSchema, example: integerExample, text: '[+-]?[0-9]+' },
  decimal: {
    // Only types without a precision can hold all of these strings.
    schema: ({ precision }) => (precision === undefined ? NUMBER_OR_SPECIAL : { type: 'number' }),
    example: decimalExample,
    text: NUMBER,
  },
  float: {
    schema: () => ({ ...NUMBER_OR_SPECIAL, format: 'double' }),
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

/** Bounds beyond 2^53 are left out, since JSON readers may round them. The format implies them. */
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

/** A primary key gets a number that is probably free; a reference gets one that probably exists. */
function integerExample({ min, max, primaryKey }: ColumnFacts, use: ColumnUse): number {
  const wanted = primaryKey && use === 'own' ? 987_654_321 : 1;
  return Math.min(Math.max(wanted, Number(min ?? wanted)), Number(max ?? wanted));
}

function decimalExample({ precision, scale }: ColumnFacts): number {
  if (scale === undefined) return 1.5;
  if (scale <= 0) return scale < 0 ? 0 : 1;
  return precision !== undefined && precision <= scale ? 0.5 / 10 ** (scale - precision) : 1.5;
}

function isList(type: string): boolean {
  return /\[\]$|^Array\(/.test(type);
}

function jsonExample({ type }: ColumnFacts): unknown {
  if (isList(type)) return [];
  return /^(?:jsonb?|longtext|json|Map\(.*)$/is.test(type) ? {} : undefined;
}

/** Examples in the engines' own notations, by the beginning of the type name. */
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

export function columnSchema(column: ColumnFacts, use: ColumnUse = 'own'): Schema {
  const own = KINDS[column.kind].schema(column);
  const example = columnExample(column, use);
  return {
    ...(column.nullable ? orNull(own) : own),
    ...(column.readOnly ? { readOnly: true } : {}),
    ...(example === undefined ? {} : { examples: [example] }),
    'x-type': column.type,
    'x-kind': column.kind,
    ...(column.sortable ? {} : { 'x-sortable': false }),
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

/** Other columns can only be compared with NULL. */
export function isFiltered({ kind, sortable }: ColumnFacts): boolean {
  return sortable || TEXT_KINDS.has(kind);
}

export function filterName({ kind, sortable }: ColumnFacts): string {
  return sortable ? `filter.${kind}` : 'filter.search';
}

/** Schemas of filters by name: an operator, a dot, and a value of the kind, quoted or not. */
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

/** A filter on the column that the service accepts. */
export function filterExample(column: ColumnFacts): string | undefined {
  if (!column.sortable) return 'li.text';
  const example = columnExample(column);
  if (example === undefined || typeof example === 'object') return undefined;
  const value = String(example);
  return `${TEXT_KINDS.has(column.kind) || column.kind === 'bool' ? 'eq' : 'ge'}.${/[",\\]/.test(value) ? JSON.stringify(value) : value}`;
}
