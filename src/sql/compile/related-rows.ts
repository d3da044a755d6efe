/**
 * Compiles the read of related rows for a list of keys, limited per key. The key of each row
 * follows its columns. Pure.
 */
import type { Column, Table } from '../../model/table.ts';
import { memo, memoPair } from '../../util/memo.ts';
import type { BoundStatement, Dialect } from '../dialect.ts';
import type { Link, RelatedRows, SelectPlan } from '../plan.ts';
import type { Operand } from '../statement.ts';
import { condition, Parameters } from './compile.ts';

/** `keys` are values of the compared columns, of the junction or of the table itself. */
export function compileRelated(rows: RelatedRows, keys: readonly (readonly Operand[])[], dialect: Dialect): BoundStatement {
  const { link, select } = rows;
  const bind = new Parameters(dialect);
  const { table, limit, where } = select;
  const parts = partsOf(select, link)(dialect);
  const given: string[] = [];
  let source = dialect.table(table);
  if (link.through === undefined) given.push(isOneOf(link.key, keys, dialect, bind));
  else source += ` JOIN (${pairs(link, parts.names, keys, dialect, bind)}) AS ${dialect.quote('j')} ON ${joinOn(link, table, dialect)}`;
  if (where !== undefined) given.push(`(${condition(where, dialect, bind, 'strict')})`);
  const tail = `${source}${given.length === 0 ? '' : ` WHERE ${given.join(' AND ')}`}`;
  const text = limit === 0 ? `SELECT ${parts.items} FROM ${tail}` : limited(select, parts, tail, dialect);
  const { types } = bind;
  const { columns } = parts;
  const statement = select.kinds === 'described' ? { text, types, columns } : { text, types, columns, onOtherKinds: 'fail' as const };
  return { statement, params: bind.values };
}

/** Parts of the statement that are the same for all keys. */
interface Parts {
  /** Names of the key columns in the statement. */
  readonly names: readonly string[];
  readonly group: readonly string[];
  readonly columns: readonly Column[];
  readonly items: string;
  readonly ordered: string;
}

const partsOf = memoPair((select: SelectPlan, link: Link) => memo((dialect: Dialect) => makeParts(select, link, dialect)));

function makeParts(select: SelectPlan, { key, through }: Link, dialect: Dialect): Parts {
  const { table, order } = select;
  const names = through === undefined ? key.map(({ name }) => name) : through.columns.map((_, i) => unusedName(table, `k${i}`));
  const shown = through === undefined ? key : through.columns.map((column, i) => ({ ...column, name: names[i] ?? '' }));
  const columns = [...select.columns, ...shown.map((column) => dialect.equalityColumn?.(column) ?? column)];
  return {
    names,
    group: names.map((name) => dialect.quote(name)),
    columns,
    items: columns.map((column) => dialect.selectItem(column)).join(', '),
    ordered: order.map((term) => dialect.orderItem(term.column, term.direction)).join(', '),
  };
}

function limited({ table, columns, order, limit }: SelectPlan, { items, group, ordered }: Parts, tail: string, dialect: Dialect): string {
  const by = ordered === '' ? '' : `ORDER BY ${ordered}`;
  if (dialect.limitPerGroup !== undefined) return `SELECT ${items} FROM ${tail} ${by} ${dialect.limitPerGroup(limit, group)}`;
  const number = dialect.quote(unusedName(table, 'n'));
  const needed = new Set([...columns, ...order.map(({ column }) => column)].map(({ name }) => dialect.quote(name)));
  for (const name of group) needed.add(name);
  const numbered = `ROW_NUMBER() OVER (PARTITION BY ${group.join(', ')} ${by}) AS ${number}`;
  const inner = `SELECT ${[...needed].join(', ')}, ${numbered} FROM ${tail}`;
  return `SELECT ${items} FROM (${inner}) AS ${dialect.quote('related')} WHERE ${number} <= ${limit} ORDER BY ${number}`;
}

/** Distinct pairs of keys in a junction: of the parent rows, and of the related rows. */
function pairs(link: Link, names: readonly string[], keys: readonly (readonly Operand[])[], dialect: Dialect, bind: Parameters): string {
  const { through } = link;
  if (through === undefined) return '';
  const { rows, columns, references } = through;
  const ours = columns.map(({ name }, i) => `${dialect.quote(name)} AS ${dialect.quote(names[i] ?? '')}`);
  const theirs = references.map(({ name }, i) => `${dialect.quote(name)} AS ${dialect.quote(`other k${i}`)}`);
  const given = [isOneOf(columns, keys, dialect, bind), ...references.map(({ name }) => `${dialect.quote(name)} IS NOT NULL`)];
  if (rows.where !== undefined) given.push(`(${condition(rows.where, dialect, bind, 'strict')})`);
  return `SELECT DISTINCT ${[...ours, ...theirs].join(', ')} FROM ${dialect.table(rows.table)} WHERE ${given.join(' AND ')}`;
}

function joinOn({ key }: Link, table: Table, dialect: Dialect): string {
  return key
    .map(({ name }, i) => `${dialect.table(table)}.${dialect.quote(name)} = ${dialect.quote('j')}.${dialect.quote(`other k${i}`)}`)
    .join(' AND ');
}

/** Pads the list with its last key, so that few different texts occur. */
function isOneOf(columns: readonly Column[], keys: readonly (readonly Operand[])[], dialect: Dialect, bind: Parameters): string {
  const [only] = columns;
  const padded = [...keys];
  const last = keys.at(-1);
  if (only !== undefined && columns.length === 1) {
    const name = dialect.quote(only.name);
    if (dialect.memberOfArray !== undefined)
      return dialect.memberOfArray(
        only,
        name,
        keys.map(([value = '']) => value),
        bind,
      );
    for (let i = keys.length; last !== undefined && i < powerOfTwo(keys.length); i++) padded.push(last);
    return dialect.predicates(only, name, bind, 'plain').member(
      padded.map(([value = '']) => value),
      false,
    );
  }
  for (let i = keys.length; last !== undefined && i < powerOfTwo(keys.length); i++) padded.push(last);
  const alternatives = padded.map((key) =>
    columns
      .map((column, i) => dialect.predicates(column, dialect.quote(column.name), bind, 'plain').compare('=', key[i] ?? ''))
      .join(' AND '),
  );
  return `((${alternatives.join(') OR (')}))`;
}

const powerOfTwo = (n: number): number => 2 ** Math.ceil(Math.log2(Math.max(n, 1)));

/** Returns a name that is not a column of the table. */
export function unusedName(table: Table, preferred: string): string {
  let name = preferred;
  while (table.byName.has(name)) name = `_${name}`;
  return name;
}
