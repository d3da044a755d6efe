/**
 * Resolves the relations that a request names, within the caller's rights. An unknown or ambiguous
 * name is rejected with the choices. Pure.
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
import { authorize, reachableTable, visibleKeys } from './authorize.ts';
import { conditionOf } from './filters.ts';

/** Relations that a caller may use from a table. */
export class Reach {
  readonly access: Access;
  readonly neighbours: Neighbours;
  readonly #keys: readonly ForeignKey[];
  readonly #relations = new Map<string, readonly Relation[]>();
  #visibleTables: ReadonlyMap<string, Table> | undefined;
  /** Names of the visible tables, which differ from their own in other schemas. */
  readonly #names = new Map<Table, string>();

  constructor(neighbours: Neighbours, access: Access) {
    this.access = access;
    this.neighbours = neighbours;
    this.#keys = visibleKeys(neighbours.keys, access);
  }

  get #tables(): ReadonlyMap<string, Table> {
    if (this.#visibleTables !== undefined) return this.#visibleTables;
    const visible = new Map<string, Table>();
    for (const [name, found] of this.neighbours.tables) {
      const table = reachableTable(found, this.access);
      if (table === undefined) continue;
      visible.set(name, table);
      this.#names.set(table, name);
    }
    this.#visibleTables = visible;
    return visible;
  }

  /** Finds the only relation that matches a selector; throws otherwise. */
  find(from: Table, selector: RelatedSelector): ResolvedRelation {
    const name = this.#names.get(from) ?? from.name;
    const relations = this.#from(from, name);
    const found = matching(relations, selector.table, selector.hint);
    const [relation] = found;
    const table = this.#tables.get(selector.table);
    if (relation === undefined || table === undefined || found.length > 1) throw refusal(name, selector, relations);
    return { relation, table, link: this.#link(from, table, relation) };
  }

  #from(table: Table, name: string): readonly Relation[] {
    let known = this.#relations.get(name);
    if (known === undefined) {
      known = relationsOf(name, this.#keys).filter((relation) => this.#isReachable(table, relation));
      this.#relations.set(name, known);
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

/** A relation over columns that the caller may not read does not exist. */
const has = (table: Table | undefined, names: readonly string[]): boolean =>
  table !== undefined && names.every((name) => isShown(table, name));

function isShown({ byName, viewRights }: Table, name: string): boolean {
  const column = byName.get(name);
  return column !== undefined && (viewRights === undefined || (viewRights.readable.has(column) && !viewRights.masked.has(column)));
}

const columnsOf = (table: Table, names: readonly string[]): readonly Column[] => names.flatMap((name) => table.byName.get(name) ?? []);

const MAX_LISTED = 20;

function refusal(from: string, { table, hint }: RelatedSelector, relations: readonly Relation[]): Error {
  const names = namesOf(relations);
  const sameTable = names.filter((_, i) => relations[i]?.table === table);
  const shown = (list: readonly string[]): string => list.slice(0, MAX_LISTED).join(', ') + (list.length > MAX_LISTED ? ' …' : '');
  if (sameTable.length === 0) return apiError('relation_unknown', from, quotedName(table), shown(names));
  if (hint === undefined) return apiError('relation_ambiguous', from, quotedName(table), shown(sameTable));
  return apiError('relation_hint', `${quotedName(table)}!${hint.name}${hint.rest === undefined ? '' : `.${hint.rest}`}`, shown(sameTable));
}

/** Adds the conditions of `$has` and `$hasnot` to filters. */
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
      const found = reach.find(table, filter.selector);
      const rows = matchingRows(filter.selector, found.table, reach);
      return { ...filter, condition: { op: filter.op, link: found.link, rows } };
    }
    default:
      return filter;
  }
}

function matchingRows(selector: RelatedSelector, table: Table, reach: Reach): Authorized<CountPlan> {
  return authorize<CountPlan>({ table, where: conditionWith(selector.filters, table, reach) }, reach.access, 'read');
}

export function conditionWith(filters: readonly RawFilter[], table: Table, reach: Reach): Condition | undefined {
  return conditionOf(withRelations(filters, table, reach), table);
}

/** Parts of a request that use relations. */
export interface RelatedReferences {
  readonly filters: readonly RawFilter[];
  readonly expand: readonly ExpandItem[];
}

/** `undefined` if the request uses no relation. */
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

/** Resolves the relations in the filters of a request. */
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

/**
 * Tables that a request needs: the named tables, and the junctions between them. `keys` are those
 * that the caller may know, since the error of an unknown relation lists choices among the tables.
 */
export function tablesReached(from: string, { filters, expand }: RelatedReferences, keys: readonly DeclaredKey[]): ReadonlySet<string> {
  const names = new Set([from]);
  const all = keys.map((key): ForeignKey => ({ ...key, unique: false }));
  const visit = (start: string, selector: RelatedSelector): void => {
    const relations = relationsOf(start, all);
    const matches = relations.filter(({ table }) => table === selector.table);
    // If the relation does not exist, the error lists the choices.
    for (const { table, through } of matches.length > 0 ? matches : relations.slice(0, MAX_LISTED)) {
      names.add(table);
      if (through !== undefined) names.add(through.table);
    }
    for (const filter of selector.filters) visitFilter(selector.table, filter);
  };
  const visitFilter = (start: string, filter: RawFilter): void => {
    if (filter.op === 'has' || filter.op === 'hasnot') visit(start, filter.selector);
    else if (filter.op === 'not') visitFilter(start, filter.of);
    else if (filter.op === 'and' || filter.op === 'or') for (const part of filter.of) visitFilter(start, part);
  };
  const expandFrom = (start: string, items: readonly ExpandItem[]): void => {
    for (const item of items) {
      visit(start, item);
      expandFrom(item.table, item.expand);
    }
  };
  for (const filter of filters) visitFilter(from, filter);
  expandFrom(from, expand);
  return names;
}
