// The oracle: derives from raw rows and the document what a persona grants. Must not import the
// service.
export type Value = number | string | null;
export type Row = Readonly<Record<string, Value>>;

export type Filter =
  | { readonly op: 'eq' | 'ne' | 'lt' | 'gt'; readonly column: string; readonly value: Value | Claim }
  | { readonly op: 'in' | 'nin'; readonly column: string; readonly values: readonly Value[] | Claim }
  | { readonly op: 'null' | 'notnull'; readonly column: string }
  | { readonly op: 'or' | 'and'; readonly of: readonly Filter[] }
  | { readonly op: 'not'; readonly of: Filter };

export interface Claim {
  readonly claim: string;
}

export type Claims = Readonly<Record<string, Value | readonly Value[]>>;

export const isNumber = (column: string): boolean => ['id', 'a', 'd', 'fact'].includes(column);

export interface Grant {
  readonly columns?: readonly string[];
  readonly except?: readonly string[];
  readonly rows?: readonly Filter[];
  readonly mask?: Readonly<Record<string, string | null>>;
  readonly set?: Readonly<Record<string, Value | Claim>>;
  readonly max_page_size?: number;
}

export type Grants = { readonly [K in 'read' | 'insert' | 'update' | 'delete']?: Grant };

const isClaim = (value: unknown): value is Claim => typeof value === 'object' && value !== null && 'claim' in value;

function claimed(value: unknown, claims: Claims): unknown {
  if (!isClaim(value)) return value;
  return claims[value.claim];
}

/** Three-valued logic of SQL; `null` is unknown. */
export function holds(filter: Filter, row: Row, claims: Claims): boolean | null {
  switch (filter.op) {
    case 'not': {
      const inner = holds(filter.of, row, claims);
      return inner === null ? null : !inner;
    }
    case 'and': {
      const parts = filter.of.map((part) => holds(part, row, claims));
      return parts.includes(false) ? false : parts.includes(null) ? null : true;
    }
    case 'or': {
      const parts = filter.of.map((part) => holds(part, row, claims));
      return parts.includes(true) ? true : parts.includes(null) ? null : false;
    }
    case 'null':
      return row[filter.column] === null;
    case 'notnull':
      return row[filter.column] !== null;
    case 'in':
    case 'nin': {
      const list = (claimed(filter.values, claims) ?? []) as readonly Value[];
      if (list.length === 0) return filter.op === 'nin';
      const value = row[filter.column] ?? null;
      return value === null ? null : list.includes(value) === (filter.op === 'in');
    }
    default: {
      const value = row[filter.column] ?? null;
      const other = claimed(filter.value, claims) as Value;
      if (value === null || other === null) return null;
      return { eq: value === other, ne: value !== other, lt: value < other, gt: value > other }[filter.op];
    }
  }
}

export function columnsIn(filter: Filter): readonly string[] {
  if ('column' in filter) return [filter.column];
  return filter.op === 'not' ? columnsIn(filter.of) : filter.of.flatMap(columnsIn);
}

function claimsIn(filter: Filter): readonly string[] {
  if (filter.op === 'not') return claimsIn(filter.of);
  if (filter.op === 'and' || filter.op === 'or') return filter.of.flatMap(claimsIn);
  const given = 'values' in filter ? filter.values : 'value' in filter ? filter.value : null;
  return isClaim(given) ? [given.claim] : [];
}

export function textOf(filter: Filter): string {
  const shown = (value: unknown): string => (isClaim(value) ? `?:claims.${value.claim}` : String(value));
  switch (filter.op) {
    case 'and':
    case 'or':
      return `$${filter.op}=(${filter.of.map(textOf).join(',')})`;
    case 'not':
      return `$not=(${textOf(filter.of)})`;
    case 'null':
    case 'notnull':
      return `$${filter.op}=${filter.column}`;
    case 'in':
    case 'nin':
      return `${filter.column}=${filter.op}.${isClaim(filter.values) ? shown(filter.values) : filter.values.join(',')}`;
    default:
      return `${filter.column}=${filter.op}.${shown(filter.value)}`;
  }
}

/** Grants of the document. */
export function documentOf(grants: Grants): object {
  const shown = (value: Value | Claim): Value => (isClaim(value) ? `?:claims.${value.claim}` : value);
  return Object.fromEntries(
    Object.entries(grants).map(([operation, grant]) => [
      operation,
      {
        ...grant,
        ...(grant.rows && { rows: grant.rows.map(textOf) }),
        ...(grant.set && { set: Object.fromEntries(Object.entries(grant.set).map(([column, value]) => [column, shown(value)])) }),
      },
    ]),
  );
}

export class Oracle {
  readonly #grants: Grants;
  readonly #claims: Claims;
  readonly #columns: readonly string[];
  readonly readable: ReadonlySet<string>;

  /** `columns` lists the columns of the table in order. */
  constructor(columns: readonly string[], grants: Grants, claims: Claims) {
    this.#columns = columns;
    this.#grants = grants;
    this.#claims = claims;
    this.readable = this.columns('read');
  }

  get isNothing(): boolean {
    return Object.keys(this.#grants).length === 0;
  }

  /** Readable columns in table order. */
  get shownColumns(): readonly string[] {
    return this.#columns.filter((column) => this.readable.has(column));
  }

  /** Readable or writable columns in table order, as metadata shows them. */
  get knownColumns(): readonly string[] {
    const known = new Set([...this.readable, ...this.columns('insert'), ...this.columns('update')]);
    return this.#columns.filter((column) => known.has(column));
  }

  /** `true` if a column may be used in filters, orders, aggregates and relations. */
  isAskable(column: string): boolean {
    return this.readable.has(column) && !this.isMasked(column);
  }

  columns(operation: 'read' | 'insert' | 'update'): ReadonlySet<string> {
    const grant = this.#grants[operation];
    if (grant === undefined) return new Set();
    if (grant.columns !== undefined) return new Set(grant.columns);
    const ruled = operation === 'update' ? (grant.rows ?? []).flatMap(columnsIn) : [];
    const without = new Set([...(grant.except ?? []), ...Object.keys(grant.set ?? {}), ...ruled]);
    return new Set(this.#columns.filter((column) => !without.has(column)));
  }

  isGranted(operation: keyof Grants): boolean {
    return this.#grants[operation] !== undefined;
  }

  isMasked(column: string): boolean {
    return column in (this.#grants.read?.mask ?? {});
  }

  get mostRows(): number {
    return this.#grants.read?.max_page_size ?? 1000;
  }

  /** 403 if the caller lacks a claim that the operation needs. */
  lacking(operation: keyof Grants): readonly number[] {
    const { rows = [], set = {} } = this.#grants[operation] ?? {};
    const needed = [...rows.flatMap(claimsIn), ...Object.values(set).flatMap((value) => (isClaim(value) ? [value.claim] : []))];
    return needed.every((claim) => claim in this.#claims) ? [] : [403];
  }

  /** `true` if the row rule needs a claim that the caller lacks. */
  lacksRule(operation: keyof Grants): boolean {
    return (this.#grants[operation]?.rows ?? []).flatMap(claimsIn).some((claim) => !(claim in this.#claims));
  }

  /** `true` if the rule of the operation matches the row. */
  reaches(operation: 'read' | 'update' | 'delete', row: Row): boolean {
    return (this.#grants[operation]?.rows ?? []).every((rule) => holds(rule, row, this.#claims) === true);
  }

  presets(operation: 'insert' | 'update'): Row {
    const set = Object.entries(this.#grants[operation]?.set ?? {});
    return Object.fromEntries(set.map(([column, value]) => [column, claimed(value, this.#claims) as Value]));
  }

  presetNames(operation: 'insert' | 'update'): readonly string[] {
    return Object.keys(this.#grants[operation]?.set ?? {});
  }

  shown(row: Row, columns: readonly string[]): Row {
    const mask = this.#grants.read?.mask ?? {};
    return Object.fromEntries(columns.map((column) => [column, column in mask ? (mask[column] ?? null) : (row[column] ?? null)]));
  }

  /** Status of a filter on these columns. */
  problemsOf(columns: readonly string[]): readonly number[] {
    return columns.flatMap((column) => (this.isAskable(column) ? [] : [400]));
  }

  /** Status of writing a column. */
  problemOfGiving(operation: 'insert' | 'update', column: string, unknown: number): readonly number[] {
    if (this.columns(operation).has(column)) return [];
    const known = [this.readable, this.columns('insert'), this.columns('update')].some((columns) => columns.has(column));
    return known || this.presetNames(operation).includes(column) ? [403] : [unknown];
  }
}
