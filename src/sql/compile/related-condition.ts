/**
 * Compiles `$has` and `$hasnot` into subqueries with their own aliases, so that columns are never
 * confused. The result is never NULL, so that it can be negated. Pure.
 */
import type { Column, Table } from '../../model/table.ts';
import type { Dialect } from '../dialect.ts';
import type { Condition, CountPlan, RelatedCondition } from '../plan.ts';

/** Scope of a condition: the prefix of its columns. The statement's own table has none. */
export interface Scope {
  readonly prefix: string;
  readonly depth: number;
  /** Table of the statement. */
  readonly root: Table | undefined;
}

export const OUTERMOST: Scope = { prefix: '', depth: 0, root: undefined };

type Compile = (given: Condition, scope: Scope) => string;

/** One step towards the related rows: rows of a table whose key equals the outer columns. */
interface Step {
  readonly rows: CountPlan;
  readonly key: readonly Column[];
  /** Additional condition on the rows. */
  readonly beyond: ((scope: Scope) => string) | undefined;
}

export function relatedCondition(plan: RelatedCondition, dialect: Dialect, scope: Scope, compile: Compile): string {
  const { from, columns, key, through } = plan.link;
  const at: Scope = scope.root === undefined ? { ...scope, root: from } : scope;
  const last: Step = { rows: plan.rows, key, beyond: undefined };
  if (through === undefined) return subquery(plan.op, from, columns, last, dialect, at, compile);
  const beyond = (inner: Scope): string => subquery('has', through.rows.table, through.references, last, dialect, inner, compile);
  return subquery(plan.op, from, columns, { rows: through.rows, key: through.columns, beyond }, dialect, at, compile);
}

function subquery(
  op: 'has' | 'hasnot',
  from: Table,
  columns: readonly Column[],
  { rows, key, beyond }: Step,
  dialect: Dialect,
  scope: Scope,
  compile: Compile,
): string {
  const depth = scope.depth + 1;
  const alias = dialect.quote(`r${depth}`);
  const inner: Scope = { prefix: `${alias}.`, depth, root: scope.root };
  const named = (column: Column): string => `${inner.prefix}${dialect.quote(column.name)}`;
  const given = [
    ...(rows.where === undefined ? [] : [`(${compile(rows.where, inner)})`]),
    ...(beyond === undefined ? [] : [`(${beyond(inner)})`]),
  ];
  const source = `FROM ${dialect.table(rows.table)} AS ${alias}`;
  const isSelf = dialect.related === 'apart from writes' && isSame(rows.table, scope.root);
  if (dialect.related !== 'uncorrelated' && !isSelf) {
    const outer = scope.depth === 0 ? `${dialect.table(from)}.` : scope.prefix;
    const links = columns.map((column, i) => `${named(key[i] as Column)} = ${outer}${dialect.quote(column.name)}`);
    return `${op === 'has' ? '' : 'NOT '}EXISTS (SELECT 1 ${source} WHERE ${[...links, ...given].join(' AND ')})`;
  }
  const outside = columns.map((column) => `${scope.prefix}${dialect.quote(column.name)}`);
  const keys = key.map(named);
  const found = `SELECT ${isSelf ? 'DISTINCT ' : ''}${keys.join(', ')} ${source} WHERE ${[...keys.map((one) => `${one} IS NOT NULL`), ...given].join(' AND ')}`;
  const list = isSelf ? `SELECT * FROM (${found}) AS ${dialect.quote(`d${depth}`)}` : found;
  const tuple = outside.length === 1 ? outside[0] : `(${outside.join(', ')})`;
  const isThere = [...outside.map((one) => `${one} IS NOT NULL`), `${tuple} IN (${list})`].join(' AND ');
  if (op === 'has') return isThere;
  return `(${outside.map((one) => `${one} IS NULL`).join(' OR ')} OR ${tuple} NOT IN (${list}))`;
}

function isSame(table: Table, other: Table | undefined): boolean {
  return other !== undefined && table.schema === other.schema && table.name === other.name;
}
