/**
 * The runtime of the typed client, exported as `millrace/client`: no dependencies, fetch only. `millrace client generate` writes the types; everything
 * here works on names and objects.
 */
import { writeExact } from './exact-json.ts';
import { type ClientAnswer, HttpSender, MillraceError } from './transport.ts';
import type { CallSettings, ClientOptions, EndpointShapes, ExpandOptions, MillraceClient, ServiceFacts, TableShapes } from './types.ts';
import { type QueryPair, quoteName, quoteValue, whereToQuery } from './where.ts';

export type {
  AggregateOptions,
  CallOptions,
  ClientOptions,
  ExpandOptions,
  MillraceClient,
  NullFilter,
  ReadOptions,
  ServiceFacts,
  TableClient,
  TableShape,
  TextFilter,
  ValueFilter,
  Where,
} from './types.ts';
export { MillraceError };

/** Options of all methods together; the types of each let through what it takes. */
interface AnyOptions extends CallSettings, ExpandOptions {
  page?: number;
  set?: object;
  group?: readonly string[];
  agg?: { [name: string]: string };
  having?: object;
  return?: string;
  dryRun?: boolean;
  maxAffected?: number;
  upsert?: boolean;
}

/** Longer queries travel in a body. */
const LONGEST_QUERY = 4000;
const PAGE = 100;

const isGiven = (pair: readonly [string, string | undefined]): pair is QueryPair => pair[1] !== undefined;
const names = (list: readonly string[] | undefined): string | undefined => list?.map(quoteName).join(',');
const ordered = (order: { [column: string]: string } | undefined): string | undefined =>
  order === undefined
    ? undefined
    : Object.entries(order)
        .map(([column, way]) => `${quoteName(column)}.${way}`)
        .join(',');
const grouped = (where: object): string =>
  `(${whereToQuery(where)
    .map(([name, value]) => `${name}=${value}`)
    .join(',')})`;

function expansion(expand: ExpandOptions['expand']): string | undefined {
  if (expand === undefined) return undefined;
  return Object.entries(expand)
    .map(([name, options]) => {
      if (options === true) return name;
      const inside: (readonly [string, string | undefined])[] = [
        ['$select', names(options.select)],
        ['$order', ordered(options.order)],
        ['$ps', options.size === undefined ? undefined : String(options.size)],
        ['$expand', expansion(options.expand)],
        ...whereToQuery(options.where ?? {}),
      ];
      return `${name}(${inside
        .filter(isGiven)
        .map(([key, value]) => `${key}=${value}`)
        .join(';')})`;
    })
    .join(',');
}

class Table {
  readonly #transport: HttpSender;
  readonly #path: string;
  readonly #floats: readonly string[];

  constructor(transport: HttpSender, ref: string, floats: readonly string[]) {
    this.#transport = transport;
    this.#path = `api/rest/auto/v1/${ref.split('/').map(encodeURIComponent).join('/')}`;
    this.#floats = floats;
  }

  /** Floats stay numbers. */
  #rows(body: unknown): unknown {
    if (!this.#transport.isExact || this.#floats.length === 0) return body;
    for (const row of (Array.isArray(body) ? body : [body]) as Record<string, unknown>[])
      for (const name of this.#floats) {
        const value = row[name];
        if (typeof value === 'string' && value !== '' && Number.isFinite(Number(value))) row[name] = Number(value);
      }
    return body;
  }

  async #get(query: readonly QueryPair[], settings: CallSettings, row = ''): Promise<ClientAnswer> {
    const isLong = row === '' && query.reduce((sum, [name, value]) => sum + name.length + value.length, 0) > LONGEST_QUERY;
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
    return this.#rows((await this.#get(this.#query(options), options)).body);
  }

  async row(key: unknown, options: AnyOptions = {}): Promise<unknown> {
    const text = (Array.isArray(key) ? key : [key]).map(quoteValue).join(',');
    const all: (readonly [string, string | undefined])[] = [
      ['$select', names(options.select)],
      ['$expand', expansion(options.expand)],
    ];
    return this.#rows((await this.#get(all.filter(isGiven), options, `/${encodeURIComponent(text)}`)).body);
  }

  async #write(method: string, query: readonly QueryPair[], options: AnyOptions, body?: unknown): Promise<unknown> {
    const { dryRun, maxAffected, upsert } = options;
    const all: (readonly [string, string | undefined])[] = [
      ...query,
      ['$return', options.return],
      ['$dry_run', dryRun === true ? 'true' : undefined],
      ['$max_affected', maxAffected === undefined ? undefined : String(maxAffected)],
      ['$upsert', upsert === true ? 'true' : undefined],
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
    const { agg = {}, group, having } = options;
    const sums = Object.entries(agg).map(([name, what]) => `${quoteName(name)}:${what}`);
    const all: (readonly [string, string | undefined])[] = [
      ...this.#query(options).filter(([name]) => name !== '$select' && name !== '$expand'),
      ['$agg', sums.length === 0 ? undefined : sums.join(',')],
      ['$group', group?.join(',')],
      ['$having', having === undefined ? undefined : grouped(having)],
    ];
    return (await this.#get(all.filter(isGiven), options)).body;
  }

  async *pages(options: AnyOptions = {}): AsyncGenerator<unknown[]> {
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: QueryPair[] = [...this.#query({ ...options, page: 0 }), ['$after', cursor]];
      const { body, headers } = await this.#get(query, options);
      const rows = this.#rows(body) as unknown[];
      if (rows.length > 0) yield rows;
      cursor = headers.get('x-next-cursor');
    }
  }

  async *rows(options: AnyOptions = {}): AsyncGenerator<unknown> {
    for await (const page of this.pages(options)) yield* page;
  }
}

/** Generated files call this with what they know; its own types are those of any table. */
export function createClient<S = TableShapes, C = EndpointShapes>(options: ClientOptions, facts: ServiceFacts): MillraceClient<S, C> {
  const transport = new HttpSender(options, facts);
  const tables = new Map<string, Table>();
  const table = (ref: string): Table => {
    const known = tables.get(ref) ?? new Table(transport, ref, facts.floats[ref] ?? []);
    tables.set(ref, known);
    return known;
  };
  const db = (name: string): object =>
    new Proxy({}, { get: (_, key) => (typeof key === 'string' && key !== 'then' ? table(`${name}/${key}`) : undefined) });
  return {
    db,
    call: (uri: string, input?: object, more?: object) => call(transport, facts, uri, input, more),
  } as unknown as MillraceClient<S, C>;
}

async function call(
  transport: HttpSender,
  { org, project }: ServiceFacts,
  uri: string,
  input: object = {},
  options: CallSettings & { method?: string; version?: string } = {},
): Promise<unknown> {
  const { method = 'get', version } = options;
  const rest = new Map<string, unknown>(Object.entries(input).filter(([, value]) => value !== undefined));
  const path = uri.replace(/\{([^/}]*)\}/g, (_, name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    return encodeURIComponent(String(value));
  });
  const inQuery = method === 'get' || method === 'delete';
  const texts = [...rest].flatMap(([name, value]): QueryPair[] =>
    (Array.isArray(value) ? value : [value]).map((item: unknown) => [name, typeof item === 'object' ? writeExact(item) : String(item)]),
  );
  const query: QueryPair[] = [...(inQuery ? texts : []), ...(version === undefined ? [] : [['version', version] as const])];
  const body = inQuery ? {} : { body: writeExact(Object.fromEntries(rest)) };
  const request = { method: method.toUpperCase(), path: `api/rest/v1/${org}/${project}/${path}`, query, ...body, isRead: method === 'get' };
  return (await transport.send(request, options)).body;
}
