/**
 * Maps the column types of MySQL and MariaDB to kinds and value limits, from the text of
 * information_schema. No I/O.
 */
import type { Column, Kind } from '../../../model/table.ts';
import { malformed } from '../../contract/limits.ts';
import { BIT, SINGLE, UNSIGNED, YEAR } from './casts.ts';

/** A column with facts that only this engine's SQL needs. */
export interface MysqlColumn extends Column {
  /** Collation of a text column, which starts with its character set. */
  readonly collation?: string;
  /**
   * Geometry columns are read and written as text. `srid`: the spatial reference system of the
   * column.
   */
  readonly geometry?: { readonly srid: string | null };
  /** `true` to select the weight that the collation compares. */
  readonly isWeight?: true;
}

/** A row of information_schema.columns, as text. */
export interface ColumnFacts {
  /** `int` */
  readonly dataType: string;
  /** `int(11) unsigned` */
  readonly columnType: string;
  readonly maxLength: string | null;
  readonly precision: string | null;
  readonly scale: string | null;
  readonly fraction: string | null;
  /** The spatial reference system of the column. */
  readonly srid: string | null;
  /** The collation of a text column (`latin1_bin`), which starts with its character set. */
  readonly collation: string | null;
  /** `true` if a check makes a text column JSON (MariaDB). */
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
  | 'ownDates'
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

/** The servers store BOOLEAN as `tinyint(1)`. */
const tiny: Typing = (facts) =>
  facts.columnType.startsWith('tinyint(1)') ? { ...wholeOf(8n)(facts), takesBooleans: true } : wholeOf(8n)(facts);

const decimal: Typing = (facts) => ({
  ...of('decimal', 'decimal'),
  precision: digits(facts.precision, MAX_DIGITS),
  scale: digits(facts.scale, MAX_DIGITS),
});

/** Maximum number of digits of any type. */
const MAX_DIGITS = 65;

/** Limits the number of digits or bits, because a server may report any number. */
function digits(text: string | null, max: number): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 0 || count > max)
    throw malformed(`a column with a number of digits that is not one of 0 to ${max}`);
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

const dated = (kind: Kind): Typing => {
  return (facts) => ({ ...timed(kind, 'datetime')(facts), ownDates: 'zero' });
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
  ['date', () => ({ ...of('date', 'date'), ownDates: 'zero' })],
  ['time', timed('time', 'time')],
  ['datetime', dated('timestamp')],
  ['timestamp', dated('timestamptz')],
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

/** Unknown types are new binary ones (VECTOR): their bytes are passed unchanged. */
export function typed(facts: ColumnFacts): Typed {
  const typing = TYPINGS.get(facts.dataType.toLowerCase());
  return typing === undefined ? { ...of('bytes', 'binary'), sortable: false } : typing(facts);
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '0': '\0', Z: '\x1a' };
const LITERAL = /'((?:[^'\\]|''|\\[\s\S])*)'/g;

function unescapeLiteral(body: string): string {
  return body.replace(/''|\\([\s\S])/g, (_, escaped: string | undefined) => (escaped === undefined ? "'" : (ESCAPES[escaped] ?? escaped)));
}

/** Parses the members of `enum('a','it''s')`. */
function parseValues(columnType: string): readonly string[] {
  return [...columnType.matchAll(LITERAL)].map((match) => unescapeLiteral(match[1] ?? ''));
}

const WHOLE_LITERAL = /^'((?:[^'\\]|''|\\[\s\S])*)'$/;

/**
 * Removes MariaDB's quotes of literal defaults, and its NULL for no default, so that it reads as on
 * MySQL.
 */
export function plainDefault(text: string | null): string | null {
  if (text === null || text === 'NULL') return null;
  const literal = WHOLE_LITERAL.exec(text)?.[1];
  return literal === undefined ? text : unescapeLiteral(literal);
}
