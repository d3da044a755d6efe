/** The types of the client: what a generated file fills in, and what is made of it. No code. */

/** Of a column that can only be asked whether it is NULL. */
export type NullFilter = null | { null?: boolean };

interface Compared<V> {
  eq?: V;
  ne?: V;
  lt?: V;
  le?: V;
  gt?: V;
  ge?: V;
  /** Both ends included. */
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
  /** Contains, in any case. */
  il?: string;
}

export type ValueFilter<V> = null | V | Compared<V>;
export type TextFilter<V extends string = string> = null | V | (Compared<V> & Searched);

/** Conditions by column, all of which hold. */
export type Where<F> = F & { $or?: readonly Where<F>[]; $and?: readonly Where<F>[]; $not?: Where<F> };

/** What a generated file says of a table. */
export interface TableShape {
  row: object;
  insert: object;
  update: object;
  where: object;
  /** The value of the primary key, or a tuple of its values. */
  key: unknown;
  /** Rows of other tables that `expand` brings, by their names. */
  relations: object;
}

export type TableShapes = { [ref: string]: TableShape };
export type EndpointShapes = { [uri: string]: { [method: string]: { input: object; output: unknown } } };

export interface CallSettings {
  signal?: AbortSignal;
  /** Milliseconds; the client's own when absent. */
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
/** A relation, or one under a name that the caller chooses: `giver:customer!from_id`. */
export type Expandable<T extends TableShape> = Relation<T> | `${string}:${Relation<T>}`;

type Named<E> = E extends `"${infer Q}"${string}` ? Q : E extends `${infer N}!${string}` ? N : E;
/** The name under which related rows stand in a row. */
type ExpandedName<E> = E extends `"${string}` ? Named<E> : E extends `${infer A}:${string}` ? A : Named<E>;
type ExpandedRows<R, E> = E extends keyof R ? R[E] : E extends `${string}:${infer N}` ? (N extends keyof R ? R[N] : never) : never;

export interface ReadOptions<T extends TableShape, K extends keyof T['row'], E extends Expandable<T>> extends CallSettings {
  where?: Where<T['where']>;
  select?: readonly K[];
  order?: { [C in keyof T['row']]?: Direction };
  expand?: { [P in E]: true | ExpandOptions };
  /** From 0. */
  page?: number;
  size?: number;
}

export type ReadRow<T extends TableShape, K extends keyof T['row'], E extends Expandable<T>> = Pick<T['row'], K> & {
  [P in E as ExpandedName<P> & string]: ExpandedRows<T['relations'], P>;
};

export interface WriteSettings extends CallSettings {
  /** Counts, and changes nothing. */
  dryRun?: boolean;
  /** When more rows would be affected, nothing is changed. */
  maxAffected?: number;
}

type Given<R extends 'count' | 'rows', Row> = R extends 'rows' ? Row[] : number;
type Returns<R> = { return?: R };

type Numbers<Row> = keyof Row & string;
export type Aggregation<Row> = 'count' | `${'count' | 'countd' | 'sum' | 'avg' | 'min' | 'max'}.${Numbers<Row>}`;
type Part = 'year' | 'quarter' | 'month' | 'week' | 'day' | 'hour' | 'minute';

export interface AggregateOptions<T extends TableShape, A extends string> extends CallSettings {
  group?: readonly (Numbers<T['row']> | `${Numbers<T['row']>}.${Part}`)[];
  /** By the names of the answer: `{n: 'count', s: 'sum.total'}`. */
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
  /** The row of a key; rejects when there is none. */
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
  /** Page after page, by cursors. */
  pages<K extends keyof T['row'] = keyof T['row']>(
    options?: Omit<ReadOptions<T, K, never>, 'page' | 'expand'>,
  ): AsyncIterable<Pick<T['row'], K>[]>;
  /** Row after row, by cursors. */
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
  /** Calls a Custom endpoint; `get` when no method is named. */
  call<U extends keyof C, M extends keyof C[U] = 'get' extends keyof C[U] ? 'get' : keyof C[U]>(
    uri: U,
    input?: C[U][M] extends { input: infer I } ? I : never,
    options?: CallOptions<M>,
  ): Promise<C[U][M] extends { output: infer O } ? O : unknown>;
}

export interface ClientOptions {
  /** Where the service is, without the path prefix. */
  url: string;
  /** The context headers, where no token is used. */
  headers?: { [name: string]: string };
  /** A Power Token. */
  token?: string;
  /** Integers beyond 2^53 are bigints, and decimals texts. */
  exact?: boolean;
  /** Milliseconds that a request may take; 30,000 when nothing is said. */
  timeout?: number;
  /** How often a read is tried again; 2 when nothing is said. */
  retries?: number;
  /** Instead of the runtime's own. */
  fetch?: typeof fetch;
}

/** What a generated file knows of the service. */
export interface ServiceFacts {
  prefix: string;
  org: string;
  project: string;
  /** Columns of floats, by table: they stay numbers when numbers are exact. */
  floats: { [ref: string]: readonly string[] };
  /** Columns of decimals, by table: they are texts when numbers are exact, also where they have no fraction. */
  decimals?: { [ref: string]: readonly string[] };
  /** How each endpoint takes its input, by uri and method. */
  calls?: { [uri: string]: { [method: string]: 'json' | 'form' | 'multipart' } };
}
