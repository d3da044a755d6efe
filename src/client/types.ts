/**
 * Types of the client: shapes that a generated file fills in, and the interface built from them. No
 * code.
 */

/** Filter on a column that can only be compared with NULL. */
export type NullFilter = null | { null?: boolean };

interface Compared<V> {
  eq?: V;
  ne?: V;
  lt?: V;
  le?: V;
  gt?: V;
  ge?: V;
  /** Between, including both ends. */
  bw?: readonly [low: V, high: V];
  in?: readonly V[];
  nin?: readonly V[];
  null?: boolean;
}

interface Searched {
  /** Contains. */
  li?: string;
  /** Begins with. */
  rli?: string;
  /** Does not contain. */
  nli?: string;
  /** Contains, ignoring case. */
  il?: string;
}

export type ValueFilter<V> = null | V | Compared<V>;
export type TextFilter<V extends string = string> = null | V | (Compared<V> & Searched);

/** Conditions by column, which must all hold. */
export type Where<F> = F & { $or?: readonly Where<F>[]; $and?: readonly Where<F>[]; $not?: Where<F> };

/** A decimal in a row: a string with `exact`, so that no digit is lost. */
export type ReadDecimal<Exact extends boolean = false> = Exact extends true ? string : number;

/** An integer that may be beyond 2^53. */
export type ReadInteger<Exact extends boolean = false> = Exact extends true ? number | bigint : number;

/** Decides which aggregates and groups accept a column. Unsortable columns count as `json`. */
export type ColumnKind = 'int' | 'decimal' | 'float' | 'text' | 'date' | 'timestamp' | 'bool' | 'bytes' | 'json';

/** Types of a table in a generated file. */
export interface TableShape {
  row: object;
  insert: object;
  update: object;
  where: object;
  /** The value of the primary key, or a tuple of its values. */
  key: unknown;
  /** Kinds of columns. Names with a dot or a quote, or with `$` in front, are quoted. */
  kinds: object;
  /** Related tables by the name that `expand` takes, each with `kind: 'one' | 'many'`. */
  relations: object;
  exact: boolean;
}

export type TableShapes = { [ref: string]: TableShape };
export type EndpointShapes = { [uri: string]: { [method: string]: { input: object; output: unknown } } };

export interface CallSettings {
  signal?: AbortSignal;
  /** Milliseconds. Defaults to the client's timeout. */
  timeout?: number;
}

type Direction = 'asc' | 'desc';

type Relation<T extends TableShape> = keyof T['relations'] & string;
/** A relation, optionally with an alias: `giver:customer!from_id`. */
export type Expandable<T extends TableShape> = Relation<T> | `${string}:${Relation<T>}`;

type Named<E> = E extends `"${infer Q}"${string}` ? Q : E extends `${infer N}!${string}` ? N : E;
/** The member of a row that holds related rows. */
type ExpandedName<E> = E extends `"${string}` ? Named<E> : E extends `${infer A}:${string}` ? A : Named<E>;
type RelationOf<R, E> = E extends keyof R ? R[E] : E extends `${string}:${infer N}` ? (N extends keyof R ? R[N] : never) : never;
type Target<T extends TableShape, E> =
  RelationOf<T['relations'], E> extends { table: infer R } ? (R extends TableShape ? R : never) : never;
/** Rows of a nested `expand` are optional, since only its options decide about them. */
type RelatedRow<R> = R extends TableShape
  ? R['row'] & { [P in keyof R['relations'] as ExpandedName<P> & string]?: RelatedRows<R['relations'][P]> }
  : never;
type RelatedRows<E> = E extends { kind: 'one'; table: infer R }
  ? RelatedRow<R> | null
  : E extends { table: infer R }
    ? RelatedRow<R>[]
    : never;

/** Options of a related table, whose columns are checked at every level. */
export interface ExpandOptions<T extends TableShape = TableShape> {
  select?: readonly (keyof T['row'] & string)[];
  where?: Where<T['where']>;
  order?: { [C in keyof T['row']]?: Direction };
  size?: number;
  expand?: { [P in Expandable<T>]?: true | ExpandOptions<Target<T, P>> };
}

export interface ReadOptions<T extends TableShape, K extends keyof T['row'], E extends Expandable<T>> extends CallSettings {
  where?: Where<T['where']>;
  select?: readonly K[];
  order?: { [C in keyof T['row']]?: Direction };
  expand?: { [P in E]: true | ExpandOptions<Target<T, P>> };
  /** Counted from 0. */
  page?: number;
  size?: number;
}

export type ReadRow<T extends TableShape, K extends keyof T['row'], E extends Expandable<T>> = Pick<T['row'], K> & {
  [P in E as ExpandedName<P> & string]: RelatedRows<RelationOf<T['relations'], P>>;
};

export interface WriteSettings extends CallSettings {
  /** Only counts the affected rows. */
  dryRun?: boolean;
  /** Rejects the write if more rows would be affected. */
  maxAffected?: number;
}

type Given<R extends 'count' | 'rows', Row> = R extends 'rows' ? Row[] : number;
type Returns<R> = { return?: R };

type OfKind<T extends TableShape, K extends ColumnKind> = {
  [C in keyof T['kinds'] & string]: T['kinds'][C] extends K ? C : never;
}[keyof T['kinds'] & string];

type NumberKind = 'int' | 'decimal' | 'float';
type OrderedKind = NumberKind | 'text' | 'date' | 'timestamp';
type ComparableKind = OrderedKind | 'bool' | 'bytes';

export type Aggregation<T extends TableShape> =
  | 'count'
  | `count.${OfKind<T, ColumnKind>}`
  | `countd.${OfKind<T, ComparableKind>}`
  | `${'sum' | 'avg'}.${OfKind<T, NumberKind>}`
  | `${'min' | 'max'}.${OfKind<T, OrderedKind>}`;

type DatePart = 'year' | 'quarter' | 'month' | 'week' | 'day';
type Part = DatePart | 'hour' | 'minute';

/** A column, or a part of a date or timestamp. */
export type Grouping<T extends TableShape> =
  | OfKind<T, ComparableKind>
  | `${OfKind<T, 'date'>}.${DatePart}`
  | `${OfKind<T, 'timestamp'>}.${Part}`;

type Unquoted<N> = N extends `"${infer Q}"` ? Q : N;
type PartOf<G> = G extends `${infer C}.${Part}` ? (C extends `"${string}` ? (C extends `${string}"` ? C : never) : C) : never;
/** The member of a result that a group is in: `placed_at_month`. */
type GroupName<G> = G extends `${PartOf<G>}.${infer P}` ? `${Unquoted<PartOf<G>> & string}_${P}` : Unquoted<G> & string;

type ColumnOf<T extends TableShape, C> = Unquoted<C> extends keyof T['row'] ? T['row'][Unquoted<C>] : unknown;
type KindOf<T extends TableShape, C> = C extends keyof T['kinds'] ? T['kinds'][C] : never;

type AggregateValue<T extends TableShape, W> = W extends 'count' | `count.${string}` | `countd.${string}`
  ? number
  : W extends `${infer F extends 'sum' | 'avg'}.${infer C}`
    ?
        | (KindOf<T, C> extends 'float'
            ? number
            : `${F} ${KindOf<T, C> & string}` extends 'sum int'
              ? ReadInteger<T['exact']>
              : ReadDecimal<T['exact']>)
        | null
    : W extends `${'min' | 'max'}.${infer C}`
      ? ColumnOf<T, C> | null
      : unknown;

type AnyFilter = TextFilter | ValueFilter<number | bigint | string | boolean | Date>;

export interface AggregateOptions<T extends TableShape, A extends { [name: string]: Aggregation<T> }, G extends Grouping<T>>
  extends CallSettings {
  group?: readonly G[];
  /** Aggregates by result name: `{n: 'count', s: 'sum.total'}`. */
  agg: A;
  where?: Where<T['where']>;
  having?: Where<{ [N in keyof A | GroupName<G>]?: AnyFilter }>;
  order?: { [N in keyof A | GroupName<G>]?: Direction };
  page?: number;
  size?: number;
}

export type AggregatedRow<T extends TableShape, A, G> = { [N in keyof A]: AggregateValue<T, A[N]> } & {
  [P in G as GroupName<P>]: P extends `${PartOf<P>}.${string}` ? string | null : ColumnOf<T, P>;
};

export interface TableClient<T extends TableShape> {
  read<K extends keyof T['row'] = keyof T['row'], E extends Expandable<T> = never>(
    options?: ReadOptions<T, K, E>,
  ): Promise<ReadRow<T, K, E>[]>;
  /** Returns the row with this key. Rejects if it does not exist. */
  row<K extends keyof T['row'] = keyof T['row'], E extends Expandable<T> = never>(
    key: T['key'],
    options?: Pick<ReadOptions<T, K, E>, 'select' | 'expand' | 'signal' | 'timeout'>,
  ): Promise<ReadRow<T, K, E>>;
  insert<R extends 'count' | 'rows' = 'count'>(
    rows: readonly T['insert'][],
    options?: WriteSettings & Returns<R> & { upsert?: boolean | readonly (keyof T['insert'] & string)[] },
  ): Promise<Given<R, T['row']>>;
  update<R extends 'count' | 'rows' = 'count'>(
    options: WriteSettings & Returns<R> & { where: Where<T['where']>; set: T['update'] },
  ): Promise<Given<R, T['row']>>;
  delete<R extends 'count' | 'rows' = 'count'>(
    options: WriteSettings & Returns<R> & { where: Where<T['where']> },
  ): Promise<Given<R, T['row']>>;
  aggregate<A extends { [name: string]: Aggregation<T> }, G extends Grouping<T> = never>(
    options: AggregateOptions<T, A, G>,
  ): Promise<AggregatedRow<T, A, G>[]>;
  /** Iterates over pages by cursor. */
  pages<K extends keyof T['row'] = keyof T['row']>(
    options?: Omit<ReadOptions<T, K, never>, 'page' | 'expand'>,
  ): AsyncIterable<Pick<T['row'], K>[]>;
  /** Iterates over rows by cursor. */
  rows<K extends keyof T['row'] = keyof T['row']>(
    options?: Omit<ReadOptions<T, K, never>, 'page' | 'expand'>,
  ): AsyncIterable<Pick<T['row'], K>>;
}

/** `pg/shop` of `pg/shop/orders`. */
export type DatabaseOf<Ref> = Ref extends `${infer Type}/${infer Name}/${string}` ? `${Type}/${Name}` : never;

export type TablesOf<S, D extends string> = { [R in keyof S & string as R extends `${D}/${infer Name}` ? Name : never]: S[R] };

export type DatabaseClient<S, D extends string> = {
  [N in keyof TablesOf<S, D>]: TablesOf<S, D>[N] extends TableShape ? TableClient<TablesOf<S, D>[N]> : never;
};

export interface CallOptions<M> extends CallSettings {
  method?: M;
  version?: string;
}

export interface MillraceClient<S, C> {
  db<D extends DatabaseOf<keyof S>>(name: D): DatabaseClient<S, D>;
  /** Calls a Custom endpoint, by default with `get`. */
  call<U extends keyof C, M extends keyof C[U] = 'get' extends keyof C[U] ? 'get' : keyof C[U]>(
    uri: U,
    input?: C[U][M] extends { input: infer I } ? I : never,
    options?: CallOptions<M>,
  ): Promise<C[U][M] extends { output: infer O } ? O : unknown>;
}

export interface ClientOptions<Exact extends boolean = boolean> {
  /** URL of the service without the path prefix. */
  url: string;
  /** The context headers, if no token is used. */
  headers?: { [name: string]: string };
  /** A Power Token. */
  token?: string;
  /** Reads integers beyond 2^53 as bigint, and decimals as strings. */
  exact?: Exact;
  /** Timeout of a request in milliseconds. Defaults to 30,000. */
  timeout?: number;
  /** Number of retries of a read. Defaults to 2. */
  retries?: number;
  /** Replaces the runtime's fetch. */
  fetch?: typeof fetch;
}

/** Facts about the service in a generated file. */
export interface ServiceFacts {
  prefix: string;
  org: string;
  project: string;
  /** Float columns by table. They stay numbers with `exact`. */
  floats: { [ref: string]: readonly string[] };
  /** Decimal columns by table. They are strings with `exact`, even without a fraction. */
  decimals?: { [ref: string]: readonly string[] };
  /** Encoding of each endpoint's input, by URI and method. */
  calls?: { [uri: string]: { [method: string]: 'json' | 'form' | 'multipart' } };
}
