/**
 * A table: columns, keys and constraints. Independent of engines, which map their types to these
 * kinds.
 */

/** Kind of a value: how responses represent it, and how input is checked. */
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
  /** Type in the catalogue of the engine, such as `varchar(255)`. */
  readonly type: string;
  readonly kind: Kind;
  readonly nullable: boolean;
  readonly primaryKey: boolean;
  /** Default as the engine prints it, or `null`. */
  readonly default: string | null;
  /**
   * `true` if a POST must provide it: not nullable, and neither defaulted, identity nor generated.
   */
  readonly required: boolean;
  /** `true` if callers cannot write it (generated always, materialized, alias). */
  readonly readOnly: boolean;
  /** `true` if the engine can sort and compare it (not json, point …). */
  readonly sortable: boolean;
  /**
   * The database generates its values: identity, AUTO_INCREMENT, generated and materialized
   * columns.
   */
  readonly generated?: true;
  readonly min?: bigint;
  readonly max?: bigint;
  readonly precision?: number;
  readonly scale?: number;
  readonly maxLength?: number;
  readonly values?: readonly string[];
  /** The integer represents a BOOLEAN: true and false are accepted as 1 and 0. */
  readonly takesBooleans?: true;
  /** Precision of fractional seconds, in digits. */
  readonly fraction?: number;
  /**
   * Values of a date or timestamp that ISO 8601 cannot express: `unbounded` ones are infinite or
   * before Christ; `zero` is 0000-00-00.
   */
  readonly ownDates?: 'unbounded' | 'zero';
  /** Type in casts and typed parameters, for the dialect of the engine only. */
  readonly cast: string;
}

export interface Table {
  readonly schema: string;
  readonly name: string;
  readonly kind: 'table' | 'view';
  readonly columns: readonly Column[];
  readonly byName: ReadonlyMap<string, Column>;
  /** In key order; empty if the table has no primary key. */
  readonly primaryKey: readonly Column[];
  /** Other unique keys, ordered by name. Excludes partial indexes and indexes on expressions. */
  readonly unique: readonly (readonly Column[])[];
  /** Columns of a stable order for pages: the primary key, else every sortable column. */
  readonly order: readonly Column[];
  /**
   * Leading columns of `order` by which the engine sorts the table physically. Their values may
   * repeat.
   */
  readonly sortedBy: readonly Column[];
  /** Storage engine, if relevant (MyISAM, MergeTree …). */
  readonly storage: string;
  /** `true` if writes of several rows are atomic. */
  readonly transactional: boolean;
  /** Set on the view of a table that a persona restricts. */
  readonly viewRights?: ViewRights;
}

/** Rights of a caller on the columns of its view. */
export interface ViewRights {
  readonly readable: ReadonlySet<Column>;
  /** Columns with replaced values, which cannot be filtered or sorted by. */
  readonly masked: ReadonlySet<Column>;
  /** Primary key for internal lookups, even if hidden from the caller. */
  readonly key: readonly Column[];
}

export interface TableFacts {
  readonly schema: string;
  readonly name: string;
  readonly kind: 'table' | 'view';
  readonly storage: string;
  readonly transactional: boolean;
  readonly columns: readonly Column[];
  /** Columns of the primary key in key order. */
  readonly key: readonly string[];
  /** Columns of the other unique keys. */
  readonly unique?: readonly (readonly string[])[];
  /**
   * `true` if the key does not make rows unique. Pages then order by the key and every sortable
   * column.
   */
  readonly keyRepeats?: boolean;
}

/** Derives the lookups once per read of the catalogue. */
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
