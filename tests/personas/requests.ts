// Random requests on tables of facts and notes, each with the oracle's expectation: the statuses of
// errors, or the response and the rows afterwards. Uses only the request grammar of the service.
import { type Dice, FACTS, IDS, NOTES } from './dice.ts';
import { type Claims, columnsIn, type Filter, type Grants, holds, Oracle, type Row, textOf, type Value } from './oracle.ts';

export interface Ask {
  readonly method: string;
  readonly table: 'facts' | 'notes';
  /** Id of a row. */
  readonly key?: number;
  readonly query: readonly string[];
  readonly body?: unknown;
}

export interface Expected {
  /** Accepted error statuses, if an error is expected. */
  readonly problems: readonly number[];
  readonly status?: number;
  readonly body?: unknown;
  /** `true` if the order of the rows is not defined. */
  readonly isBag?: boolean;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** The facts afterwards, if they may have changed. */
  readonly after?: readonly Row[];
}

export type Asked = readonly [Ask, Expected];

export interface World {
  facts: readonly Row[];
  readonly notes: readonly Row[];
}

/** Capabilities of the engine. */
export interface Abilities {
  readonly transactions: boolean;
}

const NAMES = [...FACTS, 'zz'];
const USUAL_LIST = 100;

/** Ascending order with NULL first. */
const compare = (one: Value, other: Value): number => (one === other ? 0 : one === null ? -1 : other === null ? 1 : one < other ? -1 : 1);
const byId = (one: Row, other: Row): number => Number(one['id']) - Number(other['id']);
export const sorted = (rows: readonly Row[]): Row[] => [...rows].sort(byId);

/** Rows by id, in order. */
export function rowsOf(rows: ReadonlyMap<Value, Row>, ids: readonly Value[]): Row[] {
  return ids.map((id) => rows.get(id)).filter((row) => row !== undefined);
}

/** A filter as a query parameter, its columns, and the rows that it matches. */
interface Condition {
  readonly text: string;
  readonly problems: readonly number[];
  readonly holds: (row: Row) => boolean;
}

const EVERYTHING: Condition = { text: '', problems: [], holds: () => true };

export class Requests {
  readonly facts: Oracle;
  readonly notes: Oracle;
  readonly #dice: Dice;
  readonly #claims: Claims;
  readonly #world: World;
  readonly #abilities: Abilities;

  constructor(dice: Dice, grants: { readonly facts: Grants; readonly notes: Grants }, claims: Claims, world: World, abilities: Abilities) {
    this.#dice = dice;
    this.#claims = claims;
    this.#world = world;
    this.#abilities = abilities;
    this.facts = new Oracle(FACTS, grants.facts, claims);
    this.notes = new Oracle(NOTES, grants.notes, claims);
  }

  /** A random read. `tables` are the names in the database. */
  read(tables: { readonly facts: string; readonly notes: string }): Asked {
    const [ask, expected] = this.#dice.one([
      () => this.#page(),
      () => this.#page(),
      () => this.#page(),
      () => this.#row(),
      () => this.#sums(),
      () => this.#related(tables.notes),
      () => this.#notesPage(tables.facts),
    ])();
    const isGone = (ask.table === 'facts' ? this.facts : this.notes).isNothing;
    return [ask, isGone ? { problems: [404] } : expected];
  }

  write(): Asked {
    const [ask, expected] = this.#dice.one([
      () => this.#update(),
      () => this.#update(),
      () => this.#patchRows(),
      () => this.#remove(),
      () => this.#insert(),
      () => this.#insert(),
    ])();
    return [ask, this.facts.isNothing ? { problems: [404] } : expected];
  }

  #condition(share: number, columns: readonly string[] = this.#dice.chance(0.85) ? [...this.facts.shownColumns, 'id'] : NAMES): Condition {
    if (!this.#dice.chance(share)) return EVERYTHING;
    return this.#conditionOf(this.#dice.asked(columns), this.facts);
  }

  #conditionOf(filter: Filter, oracle: Oracle): Condition {
    return {
      text: textOf(filter),
      problems: oracle.problemsOf(columnsIn(filter)),
      holds: (row) => holds(filter, row, this.#claims) === true,
    };
  }

  #page(): Asked {
    const dice = this.#dice;
    const { facts } = this;
    const where = this.#condition(0.6);
    const order = dice.chance(0.3) ? dice.one(NAMES) : undefined;
    const sign = dice.one([1, -1]);
    const select = dice.chance(0.3) ? [...new Set([dice.one(NAMES), dice.one(NAMES)])] : undefined;
    const [size, page] = [1 + dice.below(9), dice.below(3)];
    const isCounted = dice.chance(0.2);
    const query = [
      `pg=${page}&ps=${size}`,
      where.text,
      order === undefined ? '' : `$order=${order}.${sign > 0 ? 'asc' : 'desc'}`,
      select === undefined ? '' : `$select=${select.join(',')}`,
      isCounted ? '$count=exact' : '',
    ];
    const ask: Ask = { method: 'GET', table: 'facts', query };
    if (!facts.isGranted('read')) return [ask, { problems: [403] }];
    const problems = [
      ...where.problems,
      ...(order === undefined ? [] : facts.problemsOf([order])),
      ...(select ?? []).flatMap((column) => (facts.readable.has(column) ? [] : [400])),
      ...(size > facts.mostRows ? [400] : []),
      ...facts.lacking('read'),
    ];
    if (problems.length > 0) return [ask, { problems }];
    const found = this.#readable().filter(where.holds);
    const rows = order === undefined ? found : [...found].sort((a, b) => sign * compare(a[order] ?? null, b[order] ?? null) || byId(a, b));
    const body = rows.slice(page * size, (page + 1) * size).map((row) => facts.shown(row, select ?? facts.shownColumns));
    return [ask, { problems, status: 200, body, headers: { 'x-total-count': isCounted ? String(found.length) : undefined } }];
  }

  /** Ids of the facts that the caller may read. */
  #readable(): readonly Row[] {
    return this.#world.facts.filter((row) => this.facts.reaches('read', row));
  }

  /** A walk through all pages by cursor; `undefined` if the caller cannot order by the key. */
  walk(): { readonly query: string; readonly size: number; readonly pages: readonly (readonly Row[])[] } | undefined {
    const { facts } = this;
    const dice = this.#dice;
    const size = 1 + dice.below(6);
    if (!facts.isGranted('read') || facts.lacking('read').length > 0 || size > facts.mostRows) return undefined;
    const order = dice.one([undefined, ...facts.shownColumns.filter((column) => facts.isAskable(column))]);
    const select = dice.chance(0.5) ? [dice.one(facts.shownColumns)] : undefined;
    const where = this.#condition(0.5, facts.shownColumns);
    if (where.problems.length > 0) return undefined;
    const found = this.#readable().filter(where.holds);
    const rows = order === undefined ? found : [...found].sort((a, b) => -compare(a[order] ?? null, b[order] ?? null) || byId(a, b));
    const shown = rows.map((row) => facts.shown(row, select ?? facts.shownColumns));
    const pages = Array.from({ length: Math.max(1, Math.ceil(shown.length / size)) }, (_, i) => shown.slice(i * size, (i + 1) * size));
    const parts = [where.text, order === undefined ? '' : `$order=${order}.desc`, select === undefined ? '' : `$select=${select}`];
    return { query: [`pg=0&ps=${size}`, ...parts].filter((part) => part !== '').join('&'), size, pages };
  }

  #row(): Asked {
    const { facts } = this;
    const key = this.#dice.below(IDS + 5);
    const ask: Ask = { method: 'GET', table: 'facts', key, query: [] };
    if (!facts.isGranted('read')) return [ask, { problems: [403] }];
    const problems = [...(facts.readable.has('id') ? [] : [400]), ...facts.lacking('read')];
    if (problems.length > 0) return [ask, { problems }];
    const row = this.#readable().find(({ id }) => id === key);
    if (row === undefined) return [ask, { problems: [404] }];
    return [ask, { problems, status: 200, body: facts.shown(row, facts.shownColumns) }];
  }

  #sums(): Asked {
    const dice = this.#dice;
    const { facts } = this;
    const where = this.#condition(0.4);
    const group = dice.chance(0.6) ? dice.one(NAMES) : undefined;
    const [added, least, counted] = [dice.one(['id', 'a', 'd']), dice.one(NAMES), dice.one(NAMES)];
    const aggregates = `$agg=count,s:sum.${added},m:min.${least},n:countd.${counted}`;
    const ask: Ask = {
      method: 'GET',
      table: 'facts',
      query: ['pg=0&ps=5', where.text, aggregates, group === undefined ? '' : `$group=g:${group}`],
    };
    if (!facts.isGranted('read')) return [ask, { problems: [403] }];
    const named = [added, least, counted, ...(group === undefined ? [] : [group])];
    const problems = [...where.problems, ...facts.problemsOf(named), ...(facts.mostRows < 5 ? [400] : []), ...facts.lacking('read')];
    if (problems.length > 0) return [ask, { problems }];
    const found = this.#readable().filter(where.holds);
    const values = group === undefined ? [null] : [...new Set(found.map((row) => row[group] ?? null))].sort(compare);
    const body = values.map((value) => {
      const rows = group === undefined ? found : found.filter((row) => (row[group] ?? null) === value);
      const of = (column: string): Value[] => rows.map((row) => row[column] ?? null).filter((one) => one !== null);
      const numbers = of(added) as number[];
      return {
        ...(group === undefined ? {} : { g: value }),
        count: rows.length,
        s: numbers.length === 0 ? null : numbers.reduce((sum, one) => sum + one, 0),
        m: of(least).sort(compare)[0] ?? null,
        n: new Set(of(counted)).size,
      };
    });
    return [ask, { problems, status: 200, body: body.slice(0, 5) }];
  }

  /** `true` if the relation between facts and notes is visible to the caller. */
  get #isRelated(): boolean {
    return this.notes.isGranted('read') && this.facts.isAskable('id') && this.notes.isAskable('fact');
  }

  #notesOf(fact: Row, where: Condition): readonly Row[] {
    return this.#world.notes.filter((note) => note['fact'] === fact['id'] && this.notes.reaches('read', note) && where.holds(note));
  }

  /** Facts with their notes, or facts filtered by their notes. */
  #related(table: string): Asked {
    const dice = this.#dice;
    const { facts, notes } = this;
    const inner = dice.chance(0.5) ? this.#conditionOf(dice.filter([...NOTES, 'zz'], 'values', 2), notes) : EVERYTHING;
    const kind = dice.one(['expand', 'has', 'hasnot'] as const);
    const options = inner.text === '' ? '' : `(${inner.text})`;
    const query = ['pg=0&ps=4', kind === 'expand' ? `$expand=rel:${table}${options}` : `$${kind}=${table}${options}`];
    const ask: Ask = { method: 'GET', table: 'facts', query };
    if (!facts.isGranted('read')) return [ask, { problems: [403] }];
    const problems = [
      ...(this.#isRelated ? [] : [400]),
      ...inner.problems,
      ...(facts.mostRows < 4 ? [400] : []),
      ...facts.lacking('read'),
      ...notes.lacking('read'),
    ];
    if (problems.length > 0) return [ask, { problems }];
    const isWanted = (fact: Row): boolean => kind === 'expand' || this.#notesOf(fact, inner).length > 0 === (kind === 'has');
    const most = Math.min(USUAL_LIST, notes.mostRows);
    const body = this.#readable()
      .filter(isWanted)
      .slice(0, 4)
      .map((fact) => {
        const found = this.#notesOf(fact, inner);
        const shown = facts.shown(fact, facts.shownColumns) as Record<string, unknown>;
        if (kind !== 'expand') return shown;
        return { ...shown, rel: found.slice(0, most).map((note) => notes.shown(note, notes.shownColumns)) };
      });
    return [ask, { problems, status: 200, body }];
  }

  /** Notes with their facts. */
  #notesPage(table: string): Asked {
    const { facts, notes } = this;
    const isExpanded = this.#dice.chance(0.6);
    const ask: Ask = { method: 'GET', table: 'notes', query: ['pg=0&ps=5', isExpanded ? `$expand=rel:${table}` : ''] };
    if (!notes.isGranted('read')) return [ask, { problems: [403] }];
    const problems = [...(notes.mostRows < 5 ? [400] : []), ...notes.lacking('read')];
    if (isExpanded) {
      if (!this.#isRelated || !facts.isGranted('read')) problems.push(400);
      problems.push(...facts.lacking('read').filter(() => facts.lacksRule('read')));
    }
    if (problems.length > 0) return [ask, { problems }];
    const found = this.#world.notes.filter((note) => notes.reaches('read', note)).slice(0, 5);
    const body = found.map((note) => {
      const shown = notes.shown(note, notes.shownColumns);
      if (!isExpanded) return shown;
      const fact = this.#readable().find(({ id }) => id === note['fact']);
      return { ...shown, rel: fact === undefined ? null : facts.shown(fact, facts.shownColumns) };
    });
    return [ask, { problems, status: 200, body }];
  }

  /** Response of a write: a count, or rows if requested. */
  #answer(ask: Ask, expected: { problems: readonly number[]; written: readonly Row[]; after: readonly Row[]; isOrdered?: boolean }): Asked {
    const { facts } = this;
    const status = ask.method === 'POST' ? 201 : 200;
    const { problems, written, after, isOrdered = false } = expected;
    const isDry = this.#abilities.transactions && this.#dice.chance(0.15);
    const isReturned = this.#abilities.transactions && this.#dice.chance(0.3);
    const query = [...ask.query, isDry ? '$dry_run=true' : '', isReturned ? '$return=rows' : ''];
    const kept = isDry ? this.#world.facts : after;
    if (!isReturned)
      return [
        { ...ask, query },
        { problems, status, body: { rows_affected: written.length }, after: kept },
      ];
    const refused = [...(facts.isGranted('read') ? [] : [403]), ...facts.lacking('read')];
    const body = written.filter((row) => facts.reaches('read', row)).map((row) => facts.shown(row, facts.shownColumns));
    const headers = { 'x-rows-affected': String(written.length) };
    return [
      { ...ask, query },
      { problems: [...problems, ...refused], status, body, isBag: !isOrdered, headers, after: kept },
    ];
  }

  /** The target of a write: rows that match a filter, or the row of a key. */
  #target(): { readonly ask: Pick<Ask, 'key' | 'query'>; readonly where: Condition; readonly isRow: boolean } {
    if (this.#dice.chance(0.75)) {
      const where = this.#condition(1);
      return { ask: { query: [where.text] }, where, isRow: false };
    }
    const key = this.#dice.below(IDS + 5);
    const problems = this.facts.readable.has('id') ? [] : [400];
    return { ask: { key, query: [] }, where: { text: '', problems, holds: ({ id }) => id === key }, isRow: true };
  }

  /** PUT or PATCH of matching rows. */
  #update(): Asked {
    const dice = this.#dice;
    const { facts } = this;
    const { ask: target, where, isRow } = this.#target();
    const isPut = dice.chance(0.5);
    const columns = isPut ? [dice.one(['a', 'b', 'c', 'd', 'zz'])] : dice.some(['a', 'b', 'c', 'd', 'zz'], 0.3);
    if (columns.length === 0) columns.push('d');
    const changes: Row = Object.fromEntries(columns.map((column) => [column, dice.value(column)]));
    const ask: Ask = isPut
      ? { method: 'PUT', table: 'facts', ...target, query: [...target.query, `set=${columns[0]}.${changes[columns[0] ?? '']}`] }
      : { method: 'PATCH', table: 'facts', ...target, body: changes };
    if (!facts.isGranted('update')) return [ask, { problems: [403] }];
    const problems = [
      ...where.problems,
      ...columns.flatMap((column) => facts.problemOfGiving('update', column, 400)),
      ...facts.lacking('update'),
    ];
    if (problems.length > 0) return [ask, { problems }];
    const hits = new Set(this.#world.facts.filter((row) => facts.reaches('update', row) && where.holds(row)));
    if (isRow && hits.size === 0) return [ask, { problems: [404] }];
    const changed = (row: Row): Row => ({ ...row, ...changes, ...facts.presets('update') });
    const after = this.#world.facts.map((row) => (hits.has(row) ? changed(row) : row));
    return this.#answer(ask, { problems, written: [...hits].map(changed), after });
  }

  /** PATCH of rows by their keys. */
  #patchRows(): Asked {
    const dice = this.#dice;
    const { facts } = this;
    const ids = [...new Set([dice.below(IDS), dice.below(IDS), dice.below(IDS)])].slice(0, 1 + dice.below(3));
    const column = dice.one(['a', 'b', 'c', 'd']);
    const rows = ids.map((id): Row => {
      const name = dice.chance(0.8) ? column : 'd';
      return { id, [name]: dice.value(name) };
    });
    const ask: Ask = { method: 'PATCH', table: 'facts', query: [], body: rows };
    if (!this.#abilities.transactions) return [ask, { problems: [422, 403] }];
    if (!facts.isGranted('update')) return [ask, { problems: [403] }];
    const given = rows.flatMap((row) => Object.keys(row).filter((name) => name !== 'id'));
    const problems = [
      ...(facts.readable.has('id') ? [] : [400]),
      ...given.flatMap((name) => facts.problemOfGiving('update', name, 400)),
      ...facts.lacking('update'),
    ];
    if (problems.length > 0) return [ask, { problems }];
    const there = new Map(this.#world.facts.map((row) => [row['id'], row]));
    const isAll = ids.every((id) => {
      const row = there.get(id);
      return row !== undefined && facts.reaches('update', row);
    });
    if (!isAll) return [ask, { problems: [404] }];
    const changes = new Map(rows.map((row) => [row['id'], row]));
    const changed = (row: Row): Row => ({ ...row, ...changes.get(row['id'] ?? null), ...facts.presets('update') });
    const after = this.#world.facts.map((row) => (changes.has(row['id'] ?? null) ? changed(row) : row));
    const written = ids.flatMap((id) => after.filter((row) => row['id'] === id));
    return this.#answer(ask, { problems, written, after, isOrdered: true });
  }

  #remove(): Asked {
    const { facts } = this;
    const { ask: target, where, isRow } = this.#target();
    // Keep some rows for later requests.
    const few = isRow ? undefined : [this.#dice.below(IDS), this.#dice.below(IDS), this.#dice.below(IDS)];
    const query = few === undefined ? target.query : [...target.query, `id=in.${few.join(',')}`];
    const ask: Ask = { method: 'DELETE', table: 'facts', ...target, query };
    if (!facts.isGranted('delete')) return [ask, { problems: [403] }];
    const problems = [...where.problems, ...(few === undefined ? [] : facts.problemsOf(['id'])), ...facts.lacking('delete')];
    if (problems.length > 0) return [ask, { problems }];
    const isHit = (row: Row): boolean => facts.reaches('delete', row) && where.holds(row) && few?.includes(Number(row['id'])) !== false;
    const written = this.#world.facts.filter(isHit);
    if (isRow && written.length === 0) return [ask, { problems: [404] }];
    return this.#answer(ask, { problems, written, after: this.#world.facts.filter((row) => !written.includes(row)) });
  }

  #insert(): Asked {
    const dice = this.#dice;
    const { facts } = this;
    const { transactions } = this.#abilities;
    const isUpsert = transactions && dice.chance(0.4);
    const ids = [...new Set([dice.below(IDS), dice.below(IDS)])].slice(0, 1 + dice.below(2));
    const taken = new Set(this.#world.facts.map(({ id }) => id));
    // Without constraints the id would exist twice.
    const free = transactions ? ids : ids.map((id) => (taken.has(id) ? 1000 + dice.below(1_000_000) : id));
    const given = dice.some(['a', 'b', 'd'], 0.4).concat(dice.chance(0.05) ? ['zz'] : [], dice.chance(0.9) ? ['c'] : []);
    const body = free.map((id): Row => ({ id, ...Object.fromEntries(given.map((column) => [column, dice.value(column)])) }));
    const ask: Ask = { method: 'POST', table: 'facts', query: [isUpsert ? '$upsert=true' : ''], body };
    if (!facts.isGranted('insert') || (isUpsert && !facts.isGranted('update'))) return [ask, { problems: [403, 422] }];
    const presets = facts.presets('insert');
    const problems = ['id', ...given].flatMap((column) => facts.problemOfGiving('insert', column, 422));
    // A row that cannot be inserted may update an existing one.
    const isNew = given.includes('c') || 'c' in presets;
    if (isNew) problems.push(...facts.lacking('insert'));
    else if (!isUpsert) problems.push(422, ...facts.lacking('insert'));
    if (isUpsert) problems.push(...facts.lacking('update').filter(() => facts.lacksRule('update')));
    if (problems.length > 0) return [ask, { problems }];
    const after = new Map(this.#world.facts.map((row): [Value, Row] => [row['id'] ?? null, row]));
    for (const row of body) {
      const id = row['id'] ?? null;
      const there = after.get(id);
      if (there === undefined && !isNew) return [ask, { problems: [422, 409] }];
      if (there === undefined) after.set(id, { a: null, b: null, d: 5, ...row, ...presets });
      else if (!isUpsert || !facts.reaches('update', there)) return [ask, { problems: isNew ? [409] : [409, 422] }];
      else {
        const both = Object.entries(row).filter(([column]) => column !== 'id' && facts.columns('update').has(column));
        after.set(id, { ...there, ...Object.fromEntries(both) });
      }
    }
    const written = rowsOf(
      after,
      body.map(({ id = null }) => id),
    );
    return this.#answer(ask, { problems, written, after: [...after.values()], isOrdered: true });
  }
}
