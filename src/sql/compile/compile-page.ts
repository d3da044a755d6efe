/**
 * The statement that reads a page: plainly, with rows of other tables joined to it, or, far behind the beginning of a table, by its keys. They are found
 * first, and then their rows, so that of those that are passed over no more than the key is read. Pure, as `compile.ts`.
 */
import type { Table } from '../../model/table.ts';
import type { BoundStatement, Dialect } from '../dialect.ts';
import type { Authorized, SelectPlan } from '../plan.ts';
import { compileSelect, orderBy, Parameters, rowsOf, selecting, source } from './compile.ts';
import { compileJoined } from './joined-rows.ts';
import { unusedName } from './related-rows.ts';

/** From here on what is saved is more than what it takes to find rows by their keys, if they are a hundredth of those that are passed over at most. */
const FAR = 5000;
const SKIPPED_FOR_EACH = 100;

export function compilePage(plan: Authorized<SelectPlan>, dialect: Dialect): BoundStatement {
  if (plan.joined !== undefined) return compileJoined(plan, plan.joined, dialect);
  return isDeep(plan, dialect) ? compileDeep(plan, dialect) : compileSelect(plan, dialect);
}

/** Ordered by the key and narrowed by nothing, so that its index tells which rows they are. */
function isDeep({ table, where, order, limit, offset, lock }: SelectPlan, dialect: Dialect): boolean {
  if (offset < FAR || offset < limit * SKIPPED_FOR_EACH || dialect.keysFirst !== true) return false;
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

/** Servers may not tell capital letters from small ones. */
const nameBeside = ({ name }: Table): string => (name.toLowerCase() === 'page' ? 'keys' : 'page');
