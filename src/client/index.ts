/**
 * Runtime of the typed client, exported as `millrace/client`. No dependencies, needs only fetch.
 * `millrace client generate` writes the types; the runtime treats names and objects alike.
 */
import { writeExact } from './exact-json.ts';
import { type ClientAnswer, HttpSender, MillraceError } from './transport.ts';
import type { CallSettings, ClientOptions, EndpointShapes, MillraceClient, ServiceFacts, TableShapes } from './types.ts';
import { aggregateToQuery, type QueryPair, quoteName, quoteValue, whereToQuery } from './where.ts';

export type {
  AggregateOptions,
  CallOptions,
  ClientOptions,
  ExpandOptions,
  MillraceClient,
  NullFilter,
  ReadDecimal,
  ReadInteger,
  ReadOptions,
  ServiceFacts,
  TableClient,
  TableShape,
  TextFilter,
  ValueFilter,
  Where,
} from './types.ts';
export { MillraceError };

/** Options of all methods. The types of each method restrict them. */
interface AnyOptions extends CallSettings {
  select?: readonly string[];
  where?: object;
  order?: { [column: string]: string };
  size?: number;
  expand?: Expanded;
  page?: number;
  set?: object;
  group?: readonly string[];
  agg?: { [name: string]: string };
  having?: object;
  return?: string;
  dryRun?: boolean;
  maxAffected?: number;
  upsert?: boolean | readonly string[];
}

type Expanded = { [relation: string]: true | AnyOptions } | undefined;

/** Longer queries are sent in a body. */
const MAX_QUERY_CHARS = 4000;
const PAGE = 100;

const isGiven = (pair: readonly [string, string | undefined]): pair is QueryPair => pair[1] !== undefined;
const names = (list: readonly string[] | undefined): string | undefined => list?.map(quoteName).join(',');
const ordered = (order: { [column: string]: string } | undefined): string | undefined =>
  order === undefined
    ? undefined
    : Object.entries(order)
        .map(([column, way]) => `${quoteName(column)}.${way}`)
        .join(',');

/** A relation, by the name of its table or in the grammar of `$expand`, with an optional alias. */
const relation = (item: string): string => {
  const [, alias = '', name = ''] = /^(\w+:)?(.*)/s.exec(item) ?? [];
  return alias + (/^\w+(?:!|$)|^"/.test(name) ? name : quoteName(name));
};

function expansion(expand: Expanded): string | undefined {
  if (expand === undefined) return undefined;
  return Object.entries(expand)
    .map(([name, options]) => {
      if (options === true) return relation(name);
      const inside: (readonly [string, string | undefined])[] = [
        ['$select', names(options.select)],
        ['$order', ordered(options.order)],
        ['$ps', options.size === undefined ? undefined : String(options.size)],
        ['$expand', expansion(options.expand)],
        ...whereToQuery(options.where ?? {}),
      ];
      return `${relation(name)}(${inside
        .filter(isGiven)
        .map(([key, value]) => `${key}=${value}`)
        .join(';')})`;
    })
    .join(',');
}

type Loose = Record<string, unknown>;

/** `a` of `lines:a!column`, without its quotes. */
const tableOf = (item: string): string => {
  const name = /^(?:(?:"(?:[^"\\]|\\.)*"|[^":!]*):)?("(?:[^"\\]|\\.)*"|[^!]*)/.exec(item)?.[1] ?? '';
  return name[0] === '"' ? name.slice(1, -1).replace(/\\(.)/g, '$1') : name;
};
const keyOf = (item: string): string => /^([^":!]+):/.exec(item)?.[1] ?? tableOf(item);

/** Converts a number that was read exactly, NaN or an infinity. A masked value stays as it is. */
const asNumber = (value: unknown): unknown =>
  typeof value === 'bigint' || (typeof value === 'string' && /^(?:NaN|[+-]?(?:[\d.]+(?:[eE][+-]?\d+)?|Infinity))$/.test(value))
    ? Number(value)
    : value;
const asDecimal = (value: unknown): unknown => (typeof value === 'number' || typeof value === 'bigint' ? String(value) : value);

class Table {
  readonly #transport: HttpSender;
  readonly #path: string;
  readonly #database: string;
  readonly #ref: string;
  readonly #facts: ServiceFacts;

  constructor(transport: HttpSender, database: string, name: string, facts: ServiceFacts) {
    this.#transport = transport;
    // The name of a table may contain a slash, which is not one of the path.
    this.#path = `api/rest/auto/v1/${[...database.split('/'), name].map(encodeURIComponent).join('/')}`;
    this.#database = database;
    this.#ref = `${database}/${name}`;
    this.#facts = facts;
  }

  /** Decimals are strings with `exact` only. */
  #asDecimal(value: unknown): unknown {
    return this.#transport.isExact ? asDecimal(value) : asNumber(value);
  }

  /** Converts floats and decimals to the types of their columns, in related rows as well. */
  #rows(body: unknown, expand?: Expanded, ref = this.#ref): unknown {
    if (body === null || typeof body !== 'object') return body;
    const { floats, decimals = {} } = this.#facts;
    for (const row of (Array.isArray(body) ? body : [body]) as Loose[]) {
      for (const name of floats[ref] ?? []) if (name in row) row[name] = asNumber(row[name]);
      for (const name of decimals[ref] ?? []) if (name in row) row[name] = this.#asDecimal(row[name]);
      for (const [item, options] of Object.entries(expand ?? {}))
        this.#rows(row[keyOf(item)], options === true ? undefined : options.expand, `${this.#database}/${tableOf(item)}`);
    }
    return body;
  }

  async #get(query: readonly QueryPair[], settings: CallSettings, row = ''): Promise<ClientAnswer> {
    const isLong = row === '' && query.reduce((sum, [name, value]) => sum + name.length + value.length, 0) > MAX_QUERY_CHARS;
    const body = new URLSearchParams(isLong ? query.map(([name, value]): [string, string] => [name, value]) : []).toString();
    const request = isLong
      ? { method: 'POST', path: `${this.#path}/query`, query: [], body, type: 'application/x-www-form-urlencoded' }
      : { method: 'GET', path: this.#path + row, query };
    return this.#transport.send({ ...request, isRead: true }, settings);
  }

  #query({ where = {}, select, order, expand, page = 0, size = PAGE }: AnyOptions): readonly QueryPair[] {
    const all: (readonly [string, string | undefined])[] = [
      ['pg', String(page)],
      ['ps', String(size)],
      ...whereToQuery(where),
      ['$select', names(select)],
      ['$order', ordered(order)],
      ['$expand', expansion(expand)],
    ];
    return all.filter(isGiven);
  }

  async read(options: AnyOptions = {}): Promise<unknown> {
    return this.#rows((await this.#get(this.#query(options), options)).body, options.expand);
  }

  async row(key: unknown, options: AnyOptions = {}): Promise<unknown> {
    const text = (Array.isArray(key) ? key : [key]).map(quoteValue).join(',');
    const all: (readonly [string, string | undefined])[] = [
      ['$select', names(options.select)],
      ['$expand', expansion(options.expand)],
    ];
    return this.#rows((await this.#get(all.filter(isGiven), options, `/${encodeURIComponent(text)}`)).body, options.expand);
  }

  async #write(method: string, query: readonly QueryPair[], options: AnyOptions, body?: unknown): Promise<unknown> {
    const { dryRun, maxAffected, upsert } = options;
    const all: (readonly [string, string | undefined])[] = [
      ...query,
      ['$return', options.return],
      ['$dry_run', dryRun === true ? 'true' : undefined],
      ['$max_affected', maxAffected === undefined ? undefined : String(maxAffected)],
      ['$upsert', typeof upsert === 'object' ? names(upsert) : upsert === true ? 'true' : undefined],
    ];
    const text = body === undefined ? {} : { body: writeExact(body) };
    const answer = await this.#transport.send({ method, path: this.#path, query: all.filter(isGiven), ...text, isRead: false }, options);
    return options.return === 'rows' ? this.#rows(answer.body) : (answer.body as { rows_affected: number }).rows_affected;
  }

  insert(rows: readonly object[], options: AnyOptions = {}): Promise<unknown> {
    return this.#write('POST', [], options, rows);
  }

  async update(options: AnyOptions): Promise<unknown> {
    return this.#write('PATCH', whereToQuery(options.where ?? {}), options, options.set);
  }

  async delete(options: AnyOptions): Promise<unknown> {
    return this.#write('DELETE', whereToQuery(options.where ?? {}), options);
  }

  async aggregate(options: AnyOptions): Promise<unknown> {
    const all: QueryPair[] = [
      ...this.#query(options).filter(([name]) => name !== '$select' && name !== '$expand'),
      ...aggregateToQuery(options),
    ];
    const { body } = await this.#get(all, options);
    return this.#sums(body as Loose[], options.agg ?? {});
  }

  /** A sum has the type of its column. An average is a decimal, except of floats. */
  #sums(rows: Loose[], agg: { [name: string]: string }): Loose[] {
    const { floats, decimals = {} } = this.#facts;
    const has = (list: readonly string[] | undefined, column: string): boolean => list?.includes(column) === true;
    const kinds = Object.entries(agg).map(([name, what]): [string, typeof asNumber | undefined] => {
      const dot = what.indexOf('.');
      const column = what.slice(dot + 1).replace(/^"(.*)"$/, '$1');
      if (dot < 0 || what.startsWith('count')) return [name, undefined];
      if (has(floats[this.#ref], column)) return [name, asNumber];
      const isDecimal = what.startsWith('avg') || has(decimals[this.#ref], column);
      return [name, isDecimal ? (value) => this.#asDecimal(value) : undefined];
    });
    this.#rows(rows);
    for (const row of rows) for (const [name, convert] of kinds) if (convert !== undefined) row[name] = convert(row[name]);
    return rows;
  }

  async *pages(options: AnyOptions = {}): AsyncGenerator<unknown[]> {
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: QueryPair[] = [...this.#query({ ...options, page: 0 }), ['$after', cursor]];
      const { body, headers } = await this.#get(query, options);
      const rows = this.#rows(body, options.expand) as unknown[];
      if (rows.length > 0) yield rows;
      cursor = headers.get('x-next-cursor');
    }
  }

  async *rows(options: AnyOptions = {}): AsyncGenerator<unknown> {
    for await (const page of this.pages(options)) yield* page;
  }
}

/** Generated files call this with their facts. Without type arguments, any table is allowed. */
export function createClient<S = TableShapes, C = EndpointShapes>(options: ClientOptions, facts: ServiceFacts): MillraceClient<S, C> {
  const transport = new HttpSender(options, facts);
  const tables = new Map<string, Table>();
  const table = (database: string, name: string): Table => {
    const ref = `${database}/${name}`;
    const known = tables.get(ref) ?? new Table(transport, database, name, facts);
    tables.set(ref, known);
    return known;
  };
  const db = (name: string): object =>
    new Proxy({}, { get: (_, key) => (typeof key === 'string' && key !== 'then' ? table(name, key) : undefined) });
  return {
    db,
    call: (uri: string, input?: object, more?: object) => call(transport, facts, uri, input, more),
  } as unknown as MillraceClient<S, C>;
}

const textsOf = (input: Map<string, unknown>): QueryPair[] =>
  [...input].flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((item: unknown): QueryPair => {
      const isPlain = typeof item !== 'object' || item === null || item instanceof Date;
      return [name, item instanceof Date ? item.toISOString() : isPlain ? String(item) : writeExact(item)];
    }),
  );

/** Encodes a body for the endpoint. Files of a multipart form are blobs. */
function bodyOf(input: Map<string, unknown>, kind: string | undefined): { body: string | FormData; type?: string | undefined } {
  if (kind === 'form') {
    const form = new URLSearchParams(textsOf(input).map(([name, value]): [string, string] => [name, value]));
    return { body: form.toString(), type: 'application/x-www-form-urlencoded' };
  }
  if (kind !== 'multipart') return { body: writeExact(Object.fromEntries(input)) };
  const form = new FormData();
  for (const [name, value] of input)
    for (const item of Array.isArray(value) ? value : [value])
      if (item instanceof Blob) form.append(name, item);
      else for (const [key, text] of textsOf(new Map([[name, item]]))) form.append(key, text);
  return { body: form, type: undefined };
}

async function call(
  transport: HttpSender,
  { org, project, calls = {} }: ServiceFacts,
  uri: string,
  input: object = {},
  options: CallSettings & { method?: string; version?: string } = {},
): Promise<unknown> {
  const known = calls[uri] ?? {};
  // The method of an endpoint that has only one is optional.
  const [only = 'get', ...others] = Object.keys(known);
  const { method = others.length > 0 || 'get' in known ? 'get' : only, version } = options;
  const rest = new Map<string, unknown>(Object.entries(input).filter(([, value]) => value !== undefined));
  const path = uri.replace(/\{([^/}]*)\}/g, (_, name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    return encodeURIComponent(String(value));
  });
  const inQuery = method === 'get' || method === 'delete';
  const query: QueryPair[] = [...(inQuery ? textsOf(rest) : []), ...(version === undefined ? [] : [['version', version] as const])];
  const body = inQuery ? {} : bodyOf(rest, known[method]);
  const request = { method: method.toUpperCase(), path: `api/rest/v1/${org}/${project}/${path}`, query, ...body, isRead: method === 'get' };
  return (await transport.send(request, options)).body;
}
