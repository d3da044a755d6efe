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

/** Types of a table in a generated file. */
export interface TableShape {
  row: object;
  insert: object;
  update: object;
  where: object;
  /** The value of the primary key, or a tuple of its values. */
  key: unknown;
  /** Related rows that `expand` adds, by name. */
  relations: object;
}

export type TableShapes = { [ref: string]: TableShape };
export type EndpointShapes = { [uri: string]: { [method: string]: { input: object; output: unknown } } };

export interface CallSettings {
  signal?: AbortSignal;
  /** Milliseconds. Defaults to the client's timeout. */
  timeout?: number;
}

type Direction = 'asc' | 'desc';

export interface ExpandOptions {
  select?: readonly string[];
  where?: object;
  order?: { [column: string]: Direction };
  size?: number;
  expand?: { [relation: string]: true | ExpandOptions };
}

type Relation<T extends TableShape> = keyof T['relations'] & string;
/** A relation, optionally with an alias: `giver:customer!from_id`. */
export type Expandable<T extends TableShape> = Relation<T> | `${string}:${Relation<T>}`;

type Named<E> = E extends `"${infer Q}"${string}` ? Q : E extends `${infer N}!${string}` ? N : E;
/** The member of a row that holds related rows. */
type ExpandedName<E> = E extends `"${string}` ? Named<E> : E extends `${infer A}:${string}` ? A : Named<E>;
type ExpandedRows<R, E> = E extends keyof R ? R[E] : E extends `${string}:${infer N}` ? (N extends keyof R ? R[N] : never) : never;

export interface ReadOptions<T extends TableShape, K extends keyof T['row'], E extends Expandable<T>> extends CallSettings {
  where?: Where<T['where']>;
  select?: readonly K[];
  order?: { [C in keyof T['row']]?: Direction };
  expand?: { [P in E]: true | ExpandOptions };
  /** Counted from 0. */
  page?: number;
  size?: number;
}

export type ReadRow<T extends TableShape, K extends keyof T['row'], E extends Expandable<T>> = Pick<T['row'], K> & {
  [P in E as ExpandedName<P> & string]: ExpandedRows<T['relations'], P>;
};

export interface WriteSettings extends CallSettings {
  /** Only counts the affected rows. */
  dryRun?: boolean;
  /** Rejects the write if more rows would be affected. */
  maxAffected?: number;
}

type Given<R extends 'count' | 'rows', Row> = R extends 'rows' ? Row[] : number;
type Returns<R> = { return?: R };

type Numbers<Row> = keyof Row & string;
export type Aggregation<Row> = 'count' | `${'count' | 'countd' | 'sum' | 'avg' | 'min' | 'max'}.${Numbers<Row>}`;
type Part = 'year' | 'quarter' | 'month' | 'week' | 'day' | 'hour' | 'minute';

export interface AggregateOptions<T extends TableShape, A extends string> extends CallSettings {
  group?: readonly (Numbers<T['row']> | `${Numbers<T['row']>}.${Part}`)[];
  /** Aggregates by result name: `{n: 'count', s: 'sum.total'}`. */
  agg: { [N in A]: Aggregation<T['row']> };
  where?: Where<T['where']>;
  having?: object;
  order?: { [name: string]: Direction };
  page?: number;
  size?: number;
}

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
  aggregate<A extends string>(options: AggregateOptions<T, A>): Promise<({ [N in A]: unknown } & { [group: string]: unknown })[]>;
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

export interface ClientOptions {
  /** URL of the service without the path prefix. */
  url: string;
  /** The context headers, if no token is used. */
  headers?: { [name: string]: string };
  /** A Power Token. */
  token?: string;
  /** Reads integers beyond 2^53 as bigint, and decimals as strings. */
  exact?: boolean;
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
