// Random tables, rows, filters and writes, and the query strings of filters. All randomness is from
// fast-check, so that a seed repeats its cases.
import fc from 'fast-check';
import { DIFFERENCES } from './differences.ts';
import { LOGICAL_TYPES, type LogicalType, type LogicalValue, texts } from './logical-types.ts';
import { type Filter, type LogicalColumn, type LogicalRow, ORDER_OPERATORS, type OrderBy, TEXT_OPERATORS } from './oracle.ts';

/**
 * Names that require quoting: reserved words, reserved parameters, and the punctuation of SQL and
 * of filters.
 */
const NAMES = [
  'a', 'B', 'select', 'Group', 'ünï', 'a b', 'a"b', "it's", 'a`b', 'a.b', 'format', 'pg', 'set', '$null', 'a\\b', '__proto__', 'constructor', '1st', 'a,b', 'x=y', '(z)', 'a:b', '{p1:Int32}', '?', '$1', '%s', '--', '日本',
]; // biome-ignore format: a list of short names

export interface Case {
  readonly filters: readonly Filter[];
  readonly order: readonly OrderBy[];
}

export interface Write extends Case {
  /** The column that a PUT sets, and to what; undefined for a DELETE. */
  readonly set: { readonly column: number; readonly value: LogicalValue } | undefined;
}

export interface World {
  readonly columns: readonly LogicalColumn[];
  readonly hasKey: boolean;
  readonly rows: readonly LogicalRow[];
  readonly cases: readonly Case[];
  readonly writes: readonly Write[];
  readonly pageSize: number;
}

const MAX_ROWS = 24;

function columnsOf(types: readonly LogicalType[]): fc.Arbitrary<readonly LogicalColumn[]> {
  return fc
    .tuple(
      fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 5, maxLength: 5 }),
      fc.shuffledSubarray([...types], { minLength: 5, maxLength: 5 }),
      fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
    )
    .map(([names, chosen, nullable]) =>
      names.map((name, index) => ({ name, type: chosen[index] ?? types[0] ?? fail(), nullable: nullable[index] ?? true })),
    );
}

function fail(): never {
  throw new Error('no types');
}

function rowsOf(columns: readonly LogicalColumn[]): fc.Arbitrary<readonly LogicalRow[]> {
  const cells = columns.map(({ type, nullable }) => (nullable ? fc.option(type.stored, { nil: null, freq: 4 }) : type.stored));
  return fc
    .array(fc.tuple(...cells), { maxLength: MAX_ROWS, size: 'max' })
    .map((rows) => rows.map((values, index) => ({ id: index + 1, values })));
}

function filterOf(columns: readonly LogicalColumn[], rows: readonly LogicalRow[]): fc.Arbitrary<Filter> {
  const leaves = columns.map((column, index) => comparisonOf(column, index, rows));
  const leaf = fc.oneof(
    { weight: 10, arbitrary: fc.oneof(...leaves) },
    {
      weight: 1,
      arbitrary: fc.record({ op: fc.constantFrom('null', 'notnull'), column: fc.nat(columns.length - 1) }) as fc.Arbitrary<Filter>,
    },
  );
  const group = (inner: fc.Arbitrary<Filter>): fc.Arbitrary<Filter> =>
    fc.record({ op: fc.constantFrom('and', 'or', 'not'), of: fc.array(inner, { minLength: 1, maxLength: 3 }) }) as fc.Arbitrary<Filter>;
  return fc.oneof(
    { weight: 6, arbitrary: leaf },
    { weight: 2, arbitrary: group(leaf) },
    { weight: 1, arbitrary: group(fc.oneof(leaf, group(leaf))) },
  );
}

/** Values of the table itself are the likeliest to match something. */
function comparisonOf({ type }: LogicalColumn, column: number, rows: readonly LogicalRow[]): fc.Arbitrary<Filter> {
  const present = rows.flatMap(({ values }) => values[column] ?? []);
  const value: fc.Arbitrary<LogicalValue> = present.length === 0 ? type.compared : fc.oneof(fc.constantFrom(...present), type.compared);
  const compared = fc.constantFrom(...ORDER_OPERATORS).chain((op) => {
    const most = op === 'in' || op === 'nin' ? 4 : op === 'bw' ? 2 : 1;
    return fc.array(value, { minLength: op === 'bw' ? 2 : 1, maxLength: most }).map((values): Filter => ({ op, column, values }));
  });
  if (!type.isText) return compared;
  const parts = present.filter((text) => text !== '').map((text) => Array.from(String(text)).slice(0, 2).join(''));
  const pattern = fc.oneof(texts, parts.length === 0 ? texts : fc.constantFrom(...parts));
  const like = fc.tuple(fc.constantFrom(...TEXT_OPERATORS), pattern).map(([op, text]): Filter => ({ op, column, values: [text] }));
  return fc.oneof(compared, like);
}

function caseOf(columns: readonly LogicalColumn[], rows: readonly LogicalRow[]): fc.Arbitrary<Case> {
  const order = fc.uniqueArray(
    fc.record({ column: fc.option(fc.nat(columns.length - 1), { nil: undefined, freq: 6 }), direction: fc.constantFrom('asc', 'desc') }),
    { maxLength: 2, selector: ({ column }) => column },
  ) as fc.Arbitrary<OrderBy[]>;
  return fc.record({ filters: fc.array(filterOf(columns, rows), { minLength: 1, maxLength: 3 }), order: fc.oneof(fc.constant([]), order) });
}

function writeOf(columns: readonly LogicalColumn[], rows: readonly LogicalRow[]): fc.Arbitrary<Write> {
  const sets = fc.oneof(...columns.map(({ type }, column) => type.stored.map((value) => ({ column, value }))));
  return fc
    .tuple(caseOf(columns, rows), fc.option(sets, { nil: undefined, freq: 2 }))
    .map(([{ filters }, set]) => ({ filters, order: [], set }));
}

/**
 * Without a key, rows are ordered by every column. A column with an engine-specific order would
 * make the results incomparable.
 */
const hasOwnOrder = (type: string): boolean => DIFFERENCES.some(({ what, types }) => what === 'order' && types.includes(type));

export function worldOf(counts: { readonly cases: number; readonly writes: number }): fc.Arbitrary<World> {
  return columnsOf(LOGICAL_TYPES).chain((columns) =>
    rowsOf(columns).chain((rows) =>
      fc.record({
        columns: fc.constant(columns),
        hasKey: columns.some(({ type }) => hasOwnOrder(type.name)) ? fc.constant(true) : fc.boolean(),
        rows: fc.constant(rows),
        cases: fc.array(caseOf(columns, rows), { minLength: counts.cases, maxLength: counts.cases }),
        writes: fc.array(writeOf(columns, rows), { minLength: counts.writes, maxLength: counts.writes }),
        pageSize: fc.integer({ min: 1, max: 7 }),
      }),
    ),
  );
}

export const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
const SIMPLE_NAME = /^[A-Za-z]\w*$/;
const RESERVED = new Set(['format', 'pg', 'ps', 'set', 'version', 'pwt']);
const nameOf = (name: string): string => (SIMPLE_NAME.test(name) && !RESERVED.has(name) ? name : quoted(name));

/** Values are quoted; a plain one now and then is not, where the grammar lets it stand. */
function valueText(type: LogicalType, value: LogicalValue): string {
  const text = type.text(value);
  return /^-?\d{1,4}$/.test(text) ? text : quoted(text);
}

/** The name and value of one parameter. */
export function parameterOf(filter: Filter, columns: readonly LogicalColumn[]): { readonly name: string; readonly value: string } {
  switch (filter.op) {
    case 'and':
    case 'or':
    case 'not':
      return { name: `$${filter.op}`, value: `(${filter.of.map((part) => itemOf(part, columns)).join(',')})` };
    case 'null':
    case 'notnull':
      return { name: `$${filter.op}`, value: nameOf(columns[filter.column]?.name ?? '') };
    default: {
      const column = columns[filter.column] ?? fail();
      const separator = filter.op === 'bw' ? '.' : ',';
      return {
        name: nameOf(column.name),
        value: `${filter.op}.${filter.values.map((value) => valueText(column.type, value)).join(separator)}`,
      };
    }
  }
}

function itemOf(filter: Filter, columns: readonly LogicalColumn[]): string {
  const { name, value } = parameterOf(filter, columns);
  return `${name}=${value}`;
}

export function orderText(order: readonly OrderBy[], columns: readonly LogicalColumn[]): string {
  return order
    .map(({ column, direction }) => `${column === undefined ? 'id' : quoted(columns[column]?.name ?? '')}.${direction}`)
    .join(',');
}
