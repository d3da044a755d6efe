/**
 * Maps the column types of MySQL and MariaDB to kinds, and to what a value must satisfy. Knows the texts of information_schema, but not how they
 * were read.
 */
import type { Column, Kind } from '../../../model/table.ts';
import { malformed } from '../../contract/limits.ts';
import { BIT, SINGLE, UNSIGNED, YEAR } from './casts.ts';

/** A column with what only this engine's SQL has to mind. */
export interface MysqlColumn extends Column {
  /** Of a text: its collation, which begins with its character set. */
  readonly collation?: string;
  /** Of a geometry, which is given and shown as text: the reference system that the column is bound to. */
  readonly geometry?: { readonly srid: string | null };
  /** Selected as what its collation compares. */
  readonly isWeight?: true;
}

/** One line of information_schema.columns, as text. */
export interface ColumnFacts {
  /** `int` */
  readonly dataType: string;
  /** `int(11) unsigned` */
  readonly columnType: string;
  readonly maxLength: string | null;
  readonly precision: string | null;
  readonly scale: string | null;
  readonly fraction: string | null;
  /** The spatial reference system that the column is bound to. */
  readonly srid: string | null;
  /** The collation of a text (`latin1_bin`), whose first part is its character set. */
  readonly collation: string | null;
  /** Does a check make a text column JSON (MariaDB)? */
  readonly json: boolean;
}

type Typed = Pick<
  MysqlColumn,
  | 'kind'
  | 'cast'
  | 'sortable'
  | 'min'
  | 'max'
  | 'precision'
  | 'scale'
  | 'maxLength'
  | 'values'
  | 'fraction'
  | 'takesBooleans'
  | 'collation'
  | 'geometry'
>;

type Typing = (facts: ColumnFacts) => Typed;

const of = (kind: Kind, cast: string): Typed => ({ kind, cast, sortable: true });

function wholeOf(bits: bigint): Typing {
  return ({ columnType }) =>
    columnType.includes('unsigned')
      ? { ...of('int', UNSIGNED), min: 0n, max: 2n ** bits - 1n }
      : { ...of('int', 'signed'), min: -(2n ** (bits - 1n)), max: 2n ** (bits - 1n) - 1n };
}

/** `tinyint(1)` is what the servers make of BOOLEAN. */
const tiny: Typing = (facts) =>
  facts.columnType.startsWith('tinyint(1)') ? { ...wholeOf(8n)(facts), takesBooleans: true } : wholeOf(8n)(facts);

const decimal: Typing = (facts) => ({
  ...of('decimal', 'decimal'),
  precision: digits(facts.precision, MOST_DIGITS),
  scale: digits(facts.scale, MOST_DIGITS),
});

/** No type of these servers has more. */
const MOST_DIGITS = 65;

/** The server says how many digits or bits there are; a server that lies could say any number. */
function digits(text: string | null, most: number): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 0 || count > most)
    throw malformed(`a column with a number of digits that is not one of 0 to ${most}`);
  return count;
}

const text: Typing = (facts) =>
  facts.json
    ? { ...of('json', 'json'), sortable: false }
    : { ...of('text', 'text'), ...(facts.collation !== null && { collation: facts.collation }), maxLength: Number(facts.maxLength) };

const bytes: Typing = () => of('bytes', 'binary');

const listed = (kind: 'enum' | 'set'): Typing => {
  return (facts) => ({ ...of(kind, 'text'), values: parseValues(facts.columnType) });
};

const timed = (kind: Kind, cast: string): Typing => {
  return (facts) => ({ ...of(kind, cast), fraction: Number(facts.fraction ?? 0) });
};

const geometry: Typing = ({ srid }) => ({ ...of('other', 'text'), geometry: { srid }, sortable: false });

const TYPINGS: ReadonlyMap<string, Typing> = new Map<string, Typing>([
  ['tinyint', tiny],
  ['smallint', wholeOf(16n)],
  ['mediumint', wholeOf(24n)],
  ['int', wholeOf(32n)],
  ['bigint', wholeOf(64n)],
  ['year', () => ({ ...of('int', YEAR), min: 0n, max: 2155n })],
  ['bit', ({ precision }) => ({ ...of('int', BIT), min: 0n, max: 2n ** BigInt(digits(precision ?? '1', 64)) - 1n })],
  ['decimal', decimal],
  ['float', () => of('float', SINGLE)],
  ['double', () => of('float', 'double')],
  ['date', () => of('date', 'date')],
  ['time', timed('time', 'time')],
  ['datetime', timed('timestamp', 'datetime')],
  ['timestamp', timed('timestamptz', 'datetime')],
  ['enum', listed('enum')],
  ['set', listed('set')],
  ['json', () => ({ ...of('json', 'json'), sortable: false })],
  ['uuid', () => of('uuid', 'text')],
  ['inet4', () => of('other', 'text')],
  ['inet6', () => of('other', 'text')],
  ...['char', 'varchar', 'tinytext', 'text', 'mediumtext', 'longtext'].map((name): [string, Typing] => [name, text]),
  ...['binary', 'varbinary', 'tinyblob', 'blob', 'mediumblob', 'longblob'].map((name): [string, Typing] => [name, bytes]),
  ...[
    'geometry',
    'point',
    'linestring',
    'polygon',
    'multipoint',
    'multilinestring',
    'multipolygon',
    'geomcollection',
    'geometrycollection',
  ].map((name): [string, Typing] => [name, geometry]),
]);

/** A type that is not in the table is some new binary one (VECTOR): its bytes are given as they are. */
export function typed(facts: ColumnFacts): Typed {
  const typing = TYPINGS.get(facts.dataType.toLowerCase());
  return typing === undefined ? { ...of('bytes', 'binary'), sortable: false } : typing(facts);
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '0': '\0', Z: '\x1a' };
const LITERAL = /'((?:[^'\\]|''|\\[\s\S])*)'/g;

function unescapeLiteral(body: string): string {
  return body.replace(/''|\\([\s\S])/g, (_, escaped: string | undefined) => (escaped === undefined ? "'" : (ESCAPES[escaped] ?? escaped)));
}

/** The members of `enum('a','it''s')`. */
function parseValues(columnType: string): readonly string[] {
  return [...columnType.matchAll(LITERAL)].map((match) => unescapeLiteral(match[1] ?? ''));
}

const WHOLE_LITERAL = /^'((?:[^'\\]|''|\\[\s\S])*)'$/;

/** MariaDB quotes literal defaults and writes NULL for none; this takes both off, so that it reads as on MySQL. */
export function plainDefault(text: string | null): string | null {
  if (text === null || text === 'NULL') return null;
  const literal = WHOLE_LITERAL.exec(text)?.[1];
  return literal === undefined ? text : unescapeLiteral(literal);
}
