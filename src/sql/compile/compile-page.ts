/**
 * Compiles the statement of a page: plain, with joined rows, or by keys for a deep page, so that
 * skipped rows are read from the index only. Pure.
 */
import type { Table } from '../../model/table.ts';
import type { BoundStatement, Dialect } from '../dialect.ts';
import type { Authorized, SelectPlan } from '../plan.ts';
import { compileSelect, orderBy, Parameters, rowsOf, selecting, source } from './compile.ts';
import { compileJoined } from './joined-rows.ts';
import { unusedName } from './related-rows.ts';

/**
 * Offset from which reading by keys is faster, if at least 100 rows are skipped for each row read.
 */
const DEEP_OFFSET = 5000;
const SKIPPED_PER_ROW = 100;

export function compilePage(plan: Authorized<SelectPlan>, dialect: Dialect): BoundStatement {
  if (plan.joined !== undefined) return compileJoined(plan, plan.joined, dialect);
  return isDeep(plan, dialect) ? compileDeep(plan, dialect) : compileSelect(plan, dialect);
}

/**
 * `true` if the page is deep, unfiltered and ordered by the primary key, whose index then finds it.
 */
function isDeep({ table, where, order, limit, offset, lock }: SelectPlan, dialect: Dialect): boolean {
  if (offset < DEEP_OFFSET || offset < limit * SKIPPED_PER_ROW || dialect.keysFirst !== true) return false;
  const { kind, primaryKey } = table;
  if (kind !== 'table' || where !== undefined || lock === true || primaryKey.length === 0) return false;
  return order.length === primaryKey.length && primaryKey.every((part) => order.some(({ column }) => column === part));
}

function compileDeep(plan: SelectPlan, dialect: Dialect): BoundStatement {
  const bind = new Parameters(dialect);
  const { table, order } = plan;
  const { quote } = dialect;
  const key = table.primaryKey.map(({ name }, i) => ({ name: quote(name), found: quote(unusedName(table, `key ${i}`)) }));
  const keys = `SELECT ${key.map(({ name, found }) => `${name} AS ${found}`).join(', ')} FROM ${dialect.table(table)}`;
  const on = key.map(({ name, found }) => `${name} = ${found}`).join(' AND ');
  const page = `JOIN (${keys}${rowsOf(plan, dialect, bind)}) AS ${quote(nameBeside(table))} ON ${on}`;
  return { statement: selecting(plan, `${source(plan, dialect)} ${page}${orderBy(order, dialect)}`, bind), params: bind.values };
}

/** Avoids the table's own name; servers may ignore case. */
const nameBeside = ({ name }: Table): string => (name.toLowerCase() === 'page' ? 'keys' : 'page');
