/**
 * A table as Millrace knows it: its columns, their kinds, and what a value must satisfy.
 * Knows no engine: an engine's catalogue maps its own types onto these kinds.
 */

/** How a value appears in an answer, and what is checked before it reaches SQL. */
export type Kind =
  | 'int' // whole number, range in `min` and `max`
  | 'decimal' // exact digits, `precision` and `scale` where the type has them
  | 'float' // IEEE number, may be NaN or an infinity
  | 'bool'
  | 'text' // `maxLength` in characters
  | 'enum' // one of `values`
  | 'set' // comma-separated members of `values`
  | 'uuid'
  | 'date' // YYYY-MM-DD
  | 'time' // hh:mm:ss[.fraction], with offset where the type has one
  | 'timestamp' // YYYY-MM-DDThh:mm:ss[.fraction], no zone
  | 'timestamptz' // the same with Z or an offset
  | 'bytes' // raw bytes; base64 in text formats
  | 'json' // any JSON: json columns, arrays, maps, tuples, composites
  | 'other'; // a string in the engine's own notation (intervals, ranges, addresses, geometry …)

export interface Column {
  readonly name: string;
  /** The type in the engine's own catalogue, such as `varchar(255)`. */
  readonly type: string;
  readonly kind: Kind;
  readonly nullable: boolean;
  readonly primaryKey: boolean;
  /** The default's text as the engine shows it; null when there is none. */
  readonly default: string | null;
  /** Must a POST provide it? False for nullable, defaulted, identity and generated columns. */
  readonly required: boolean;
  /** Never written by a caller (generated always, materialized, alias). */
  readonly readOnly: boolean;
  /** Can the engine sort and compare it? Not json, point … */
  readonly sortable: boolean;
  /** The database makes its values: identity, AUTO_INCREMENT, generated and materialized columns. */
  readonly generated?: true;
  readonly min?: bigint;
  readonly max?: bigint;
  readonly precision?: number;
  readonly scale?: number;
  readonly maxLength?: number;
  readonly values?: readonly string[];
  /** Of a whole number that stands for BOOLEAN: true and false are taken for 1 and 0. */
  readonly takesBooleans?: true;
  /** Digits of a fraction of a second that the type keeps. */
  readonly fraction?: number;
  /** The type as it is written in a cast or a typed parameter, for the engine's dialect only. */
  readonly cast: string;
}

export interface Table {
  readonly schema: string;
  readonly name: string;
  readonly kind: 'table' | 'view';
  readonly columns: readonly Column[];
  readonly byName: ReadonlyMap<string, Column>;
  /** In key order; empty when the table has none. */
  readonly primaryKey: readonly Column[];
  /** Other keys that no two rows share, by their names; never those of a part of the rows, or of an expression. */
  readonly unique: readonly (readonly Column[])[];
  /** What makes pages stable: the primary key, else every sortable column. */
  readonly order: readonly Column[];
  /** The leading columns of `order` by which the engine itself sorts the table, though their values may repeat; else empty. */
  readonly sortedBy: readonly Column[];
  /** The storage engine where it matters (MyISAM, MergeTree …). */
  readonly storage: string;
  /** Can several rows be written all or nothing? */
  readonly transactional: boolean;
  /** Set for a table as one caller sees it, which may be less than there is. */
  readonly viewRights?: ViewRights;
}

/** What may be asked of the columns that a caller can name. */
export interface ViewRights {
  readonly readable: ReadonlySet<Column>;
  /** Shown as something else, so that nothing may be asked of their values. */
  readonly masked: ReadonlySet<Column>;
  /** The primary key, whether the caller knows of it or not: for what is looked up and never shown. */
  readonly key: readonly Column[];
}

export interface TableFacts {
  readonly schema: string;
  readonly name: string;
  readonly kind: 'table' | 'view';
  readonly storage: string;
  readonly transactional: boolean;
  readonly columns: readonly Column[];
  /** Column names of the key in key order. */
  readonly key: readonly string[];
  /** Column names of the other unique keys; none when absent. */
  readonly unique?: readonly (readonly string[])[];
  /** Only where the key does not make rows unique: order by these and then every sortable column. */
  readonly keyRepeats?: boolean;
}

/** Builds the lookups once, when the catalogue has been read. */
export function makeTable(facts: TableFacts): Table {
  const byName = new Map(facts.columns.map((column) => [column.name, column]));
  const primaryKey = facts.key.flatMap((name) => byName.get(name) ?? []);
  const sortable = facts.columns.filter((column) => column.sortable);
  const rest = sortable.filter((column) => !primaryKey.includes(column));
  const unique = primaryKey.length > 0 && facts.keyRepeats !== true;
  return {
    schema: facts.schema,
    name: facts.name,
    kind: facts.kind,
    storage: facts.storage,
    transactional: facts.transactional,
    columns: facts.columns,
    byName,
    primaryKey: facts.keyRepeats === true ? [] : primaryKey,
    unique: (facts.unique ?? []).map((names) => names.flatMap((name) => byName.get(name) ?? [])),
    order: unique ? primaryKey : [...primaryKey, ...rest],
    sortedBy: facts.keyRepeats === true ? primaryKey : [],
  };
}
