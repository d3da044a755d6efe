/**
 * Writes canonical values as typed parameters (`{p1:Array(Int64)}`), in the escaped tab-separated
 * form of both protocols. Rejects what the server would silently wrap or truncate.
 */
import type { ParamType, StatementParam } from '../../../sql/statement.ts';
import { bytesOf } from '../../../util/bytes/buffer-pool.ts';
import type { PlainValue } from '../../../util/text/decimal.ts';
import { fitOf } from './fit.ts';
import { invalid } from './invalid-value.ts';
import { entriesOf, isNumber, listOf, memberOf, numberText, parseNested, scalarText, shown, tupleItems } from './nested.ts';
import { type ChType, innerType, isNullable, parseType } from './type-text.ts';

const NULL_TEXT = '\\N';

/** Parameters hold no leases: rows are sent as a block. */
export function paramText(param: ParamType, value: StatementParam): string {
  const type = parseType(param.cast);
  if (value === null) {
    if (!isNullable(type)) throw invalid(`NULL is not allowed for ${param.cast}`);
    return NULL_TEXT;
  }
  const text = typeof value === 'string' ? value : Buffer.from(bytesOf(value)).toString('utf8');
  const inner = innerType(type);
  if (isComposite(inner)) return compositeText(inner, parseNested(text));
  return escapeTabSeparated(leafText(inner, text));
}

const GEOMETRY = new Set(['Point', 'Ring', 'LineString', 'MultiLineString', 'Polygon', 'MultiPolygon']);

function isComposite(type: ChType): boolean {
  return type.of.length > 0 || GEOMETRY.has(type.name);
}

const FLOAT_NAMES: ReadonlyMap<string, string> = new Map([
  ['NaN', 'nan'],
  ['Infinity', 'inf'],
  ['-Infinity', '-inf'],
]);

/** Returns a scalar value in ClickHouse's notation. */
export function leafText(type: ChType, text: string): string {
  const fit = fitOf(type, text);
  if (fit === undefined) throw invalid(`${shown(text)} is not a value of ${type.name}`);
  const cut = fit.text;
  const loses = !fit.exact && !type.name.startsWith('DateTime');
  if (fit.side !== 'within' || loses) throw invalid(`${shown(text)} does not fit ${typeName(type)}`);
  if (type.name.startsWith('DateTime')) return cut.replace('T', ' ').replace('Z', '');
  if (type.name.startsWith('Float') || type.name === 'BFloat16') return FLOAT_NAMES.get(text) ?? text;
  if (type.name === 'Bool') return boolText(text);
  return cut;
}

const TRUTH: ReadonlyMap<string, string> = new Map([
  ...['true', 't', '1'].map((text) => [text, 'true'] as const),
  ...['false', 'f', '0'].map((text) => [text, 'false'] as const),
]);

export function boolText(text: string): string {
  const truth = TRUTH.get(text);
  if (truth === undefined) throw invalid(`${shown(text)} is not a value of Bool`);
  return truth;
}

function typeName(type: ChType): string {
  return type.literals.length === 0 ? type.name : `${type.name}(${type.literals.join(', ')})`;
}

/** Writes arrays, tuples and maps with quoted members, which are escaped once. */
function compositeText(type: ChType, value: PlainValue): string {
  const inner = innerType(type);
  if (value === null) {
    if (!isNullable(type)) throw invalid(`NULL is not allowed for ${type.name}`);
    return 'NULL';
  }
  if (GEOMETRY.has(inner.name)) return geometryText(value);
  if (inner.name === 'Array')
    return `[${listOf(value)
      .map((item) => compositeText(memberOf(inner, 0), item))
      .join(',')}]`;
  if (inner.name === 'Map') return mapText(inner, value);
  if (inner.name === 'Tuple')
    return `(${tupleItems(inner, value)
      .map((item, i) => compositeText(memberOf(inner, i), item))
      .join(',')})`;
  const text = scalarText(inner, value);
  return UNQUOTED.test(inner.name) ? leafText(inner, text) : literalText(leafText(inner, text));
}

const UNQUOTED = /^(U?Int\d+|Float\d+|BFloat16|Decimal\d*|Bool|Interval\w+)$/;

function mapText(type: ChType, value: PlainValue): string {
  const entries = entriesOf(value).map(
    ([key, item]) => `${compositeText(memberOf(type, 0), key)}:${compositeText(memberOf(type, 1), item)}`,
  );
  return `{${entries.join(',')}}`;
}

function geometryText(value: PlainValue): string {
  if (isNumber(value)) return leafText(parseType('Float64'), numberText(value));
  const items = listOf(value);
  const point = items.length === 2 && items.every(isNumber);
  const inside = items.map(geometryText).join(',');
  return point ? `(${inside})` : `[${inside}]`;
}

const TAB_ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\t': '\\t',
  '\r': '\\r',
  '\0': '\\0',
  '\b': '\\b',
  '\f': '\\f',
};

function escapeTabSeparated(text: string): string {
  return text.replace(/[\\\n\t\r\0\b\f]/g, (character) => TAB_ESCAPES[character] ?? character);
}

/** Returns a quoted literal. Escapes backslashes, quotes and control characters. */
export function literalText(text: string): string {
  return `'${text.replace(/[\\\n\t\r\0\b\f']/g, (character) => TAB_ESCAPES[character] ?? `\\${character}`)}'`;
}
