/**
 * Which relation a request means, and what it may see of it: the tables around its own, less what the caller may not read. A name that means none or
 * several is refused with the choices.
 */
import { apiError } from '../../errors.ts';
import {
  type DeclaredKey,
  type ForeignKey,
  matching,
  type Neighbours,
  namesOf,
  quotedName,
  type Relation,
  relationsOf,
} from '../../model/relation.ts';
import type { Column, Table } from '../../model/table.ts';
import type { Authorized, Condition, CountPlan, Link } from '../../sql/plan.ts';
import type { ExpandItem } from '../request/expand-syntax.ts';
import type { RawFilter, RelatedSelector } from '../request/filter-syntax.ts';
import type { AutoRequest } from '../request/request.ts';
import type { Access } from './access.ts';
import { authorize, reachableTable } from './authorize.ts';
import { conditionOf } from './filters.ts';

/** What a request may reach from its table. */
export class Reach {
  readonly access: Access;
  readonly neighbours: Neighbours;
  readonly #keys: readonly ForeignKey[];
  readonly #relations = new Map<string, readonly Relation[]>();
  #seen: ReadonlyMap<string, Table> | undefined;

  constructor(neighbours: Neighbours, access: Access) {
    this.access = access;
    this.neighbours = neighbours;
    this.#keys = neighbours.keys;
  }

  get #tables(): ReadonlyMap<string, Table> {
    if (this.#seen !== undefined) return this.#seen;
    const seen = new Map<string, Table>();
    for (const [name, found] of this.neighbours.tables) {
      const table = reachableTable(found, this.access);
      if (table !== undefined) seen.set(name, table);
    }
    this.#seen = seen;
    return seen;
  }

  /** The one relation from a table that is wanted. */
  find(from: Table, wanted: RelatedSelector): ResolvedRelation {
    const relations = this.#from(from);
    const left = matching(relations, wanted.table, wanted.hint);
    const [relation] = left;
    const table = this.#tables.get(wanted.table);
    if (relation === undefined || table === undefined || left.length > 1) throw refusal(from, wanted, relations);
    return { relation, table, link: this.#link(from, table, relation) };
  }

  #from(table: Table): readonly Relation[] {
    let known = this.#relations.get(table.name);
    if (known === undefined) {
      known = relationsOf(table.name, this.#keys).filter((relation) => this.#isReachable(table, relation));
      this.#relations.set(table.name, known);
    }
    return known;
  }

  #isReachable(from: Table, { table, columns, references, through }: Relation): boolean {
    const isThere = has(from, columns) && has(this.#tables.get(table), references);
    if (through === undefined || !isThere) return isThere;
    return has(this.#tables.get(through.table), [...through.columns, ...through.references]);
  }

  #link(from: Table, table: Table, { columns, references, through }: Relation): Link {
    const link = { from, columns: columnsOf(from, columns), key: columnsOf(table, references) };
    const junction = through === undefined ? undefined : this.#tables.get(through.table);
    if (through === undefined || junction === undefined) return link;
    const rows = authorize<CountPlan>({ table: junction, where: undefined }, this.access, 'read');
    return {
      ...link,
      through: { rows, columns: columnsOf(junction, through.columns), references: columnsOf(junction, through.references) },
    };
  }
}

interface ResolvedRelation {
  readonly relation: Relation;
  readonly table: Table;
  readonly link: Link;
}

/** Over columns that the caller may not read there is no relation. */
const has = (table: Table | undefined, names: readonly string[]): boolean =>
  table !== undefined && names.every((name) => isShown(table, name));

function isShown({ byName, viewRights }: Table, name: string): boolean {
  const column = byName.get(name);
  return column !== undefined && (viewRights === undefined || (viewRights.readable.has(column) && !viewRights.masked.has(column)));
}

const columnsOf = (table: Table, names: readonly string[]): readonly Column[] => names.flatMap((name) => table.byName.get(name) ?? []);

const MAX_LISTED = 20;

function refusal(from: Table, { table, hint }: RelatedSelector, relations: readonly Relation[]): Error {
  const names = namesOf(relations);
  const there = names.filter((_, i) => relations[i]?.table === table);
  const shown = (list: readonly string[]): string => list.slice(0, MAX_LISTED).join(', ') + (list.length > MAX_LISTED ? ' …' : '');
  if (there.length === 0) return apiError('relation_unknown', from.name, quotedName(table), shown(names));
  if (hint === undefined) return apiError('relation_ambiguous', from.name, quotedName(table), shown(there));
  return apiError('relation_hint', `${quotedName(table)}!${hint.name}${hint.rest === undefined ? '' : `.${hint.rest}`}`, shown(there));
}

/** The same filters, with the conditions that their relations mean. */
function withRelations(filters: readonly RawFilter[], table: Table, reach: Reach): readonly RawFilter[] {
  return filters.map((filter) => withRelation(filter, table, reach));
}

function withRelation(filter: RawFilter, table: Table, reach: Reach): RawFilter {
  switch (filter.op) {
    case 'and':
    case 'or':
      return { op: filter.op, of: withRelations(filter.of, table, reach) };
    case 'not':
      return { op: 'not', of: withRelation(filter.of, table, reach) };
    case 'has':
    case 'hasnot': {
      const found = reach.find(table, filter.wanted);
      const rows = matchingRows(filter.wanted, found.table, reach);
      return { ...filter, found: { op: filter.op, link: found.link, rows } };
    }
    default:
      return filter;
  }
}

function matchingRows(wanted: RelatedSelector, table: Table, reach: Reach): Authorized<CountPlan> {
  return authorize<CountPlan>({ table, where: conditionWith(wanted.filters, table, reach) }, reach.access, 'read');
}

export function conditionWith(filters: readonly RawFilter[], table: Table, reach: Reach): Condition | undefined {
  return conditionOf(withRelations(filters, table, reach), table);
}

/** What a request reaches from its own table, level by level. */
export interface RelatedReferences {
  readonly filters: readonly RawFilter[];
  readonly expand: readonly ExpandItem[];
}

/** Undefined when it reaches nothing. */
export function relatedReferences(request: AutoRequest): RelatedReferences | undefined {
  const filters = filtersOf(request);
  const expand = request.do === 'read' || request.do === 'row' ? request.expand : undefined;
  if (expand === undefined && !filters.some(hasRelatedFilter)) return undefined;
  return { filters, expand: expand ?? [] };
}

const NO_FILTERS: readonly RawFilter[] = [];

function filtersOf(request: AutoRequest): readonly RawFilter[] {
  if (request.do === 'read' || request.do === 'group') return request.filters;
  if (request.do === 'update' || request.do === 'delete') return 'filters' in request.where ? request.where.filters : NO_FILTERS;
  return NO_FILTERS;
}

/** The same request, with the conditions that its relations mean. */
export function resolveRelations(request: AutoRequest, table: Table, reach: Reach): AutoRequest {
  if (request.do === 'read' || request.do === 'group') return { ...request, filters: withRelations(request.filters, table, reach) };
  const isFiltered = (request.do === 'update' || request.do === 'delete') && 'filters' in request.where;
  return isFiltered ? { ...request, where: { filters: withRelations(filtersOf(request), table, reach) } } : request;
}

function hasRelatedFilter(filter: RawFilter): boolean {
  if (filter.op === 'has' || filter.op === 'hasnot') return true;
  if (filter.op === 'not') return hasRelatedFilter(filter.of);
  return (filter.op === 'and' || filter.op === 'or') && filter.of.some(hasRelatedFilter);
}

/** The tables that take part: those that are named, and every junction between two of them. */
export function tablesReached(from: string, { filters, expand }: RelatedReferences, keys: readonly DeclaredKey[]): ReadonlySet<string> {
  const names = new Set([from]);
  const all = keys.map((key): ForeignKey => ({ ...key, unique: false }));
  const visit = (start: string, wanted: RelatedSelector): void => {
    const relations = relationsOf(start, all);
    const meant = relations.filter(({ table }) => table === wanted.table);
    // When there is none, the choices are told.
    for (const { table, through } of meant.length > 0 ? meant : relations.slice(0, MAX_LISTED)) {
      names.add(table);
      if (through !== undefined) names.add(through.table);
    }
    for (const filter of wanted.filters) look(wanted.table, filter);
  };
  const look = (start: string, filter: RawFilter): void => {
    if (filter.op === 'has' || filter.op === 'hasnot') visit(start, filter.wanted);
    else if (filter.op === 'not') look(start, filter.of);
    else if (filter.op === 'and' || filter.op === 'or') for (const part of filter.of) look(start, part);
  };
  const expandFrom = (start: string, items: readonly ExpandItem[]): void => {
    for (const item of items) {
      visit(start, item);
      expandFrom(item.table, item.expand);
    }
  };
  for (const filter of filters) look(from, filter);
  expandFrom(from, expand);
  return names;
}
