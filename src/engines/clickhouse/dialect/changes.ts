/**
 * UPDATE and DELETE, which are mutations here: the server keeps the text of one, and applies it to the parts of the table in the background. It does not
 * count what it changes, so another query does before it. A mutation that has failed is tried again for ever, and all behind it fail with it: each
 * carries a tag, by which it is found and withdrawn.
 */
import type { RowLimit } from '../../../sql/plan.ts';
import type { ParamType } from '../../../sql/statement.ts';
import type { ClickhouseStatement, Mutation } from '../statement.ts';

/** The name of the parameter that tags a mutation. */
export const TAG = 'tag';

export function updateOf(table: string, set: string, where: string, types: readonly ParamType[], maxRows?: RowLimit): ClickhouseStatement {
  return changing({ table, set, where, width: types.length }, types, [], maxRows);
}

/** A lightweight DELETE only marks rows; table engines that cannot (Memory) rewrite instead. */
export function deleteOf(table: string, where: string, types: readonly ParamType[], maxRows?: RowLimit): ClickhouseStatement {
  const otherwise = [`ALTER TABLE ${table} DELETE WHERE ${tagged(where)}`];
  return changing({ table, set: undefined, where, width: types.length }, types, otherwise, maxRows);
}

function changing(change: Mutation, types: readonly ParamType[], otherwise: readonly string[], maxRows: RowLimit): ClickhouseStatement {
  const { table, where } = change;
  const count = `SELECT count() FROM ${table} WHERE ${where}`;
  return {
    text: changeEach(change, [0]),
    types,
    counted: { count, otherwise, maxRows: maxRows, change: isNumbered(change) ? change : undefined },
  };
}

/** One row with a number for each of so many changes of the same text: the rows that it will hit. */
export function countEach({ table, where, width }: Mutation, changes: number): string {
  const conditions = Array.from({ length: changes }, (_, i) => nth(where, i, width));
  return `SELECT ${conditions.map((one) => `countIf(${one})`).join(', ')} FROM ${table} WHERE ${anyOf(conditions)}`;
}

/** These changes of the same text as one mutation, in their order. */
export function changeEach({ table, set, where, width }: Mutation, which: readonly number[]): string {
  if (set === undefined) return `DELETE FROM ${table} WHERE ${tagged(anyOf(which.map((i) => nth(where, i, width))))}`;
  const updates = which.map((i) => `UPDATE ${nth(set, i, width)} WHERE ${tagged(nth(where, i, width))}`);
  return `ALTER TABLE ${table} ${updates.join(', ')}`;
}

/** The number that a parameter of the n-th change has among those of all. */
export function nthNumber(number: number, n: number, width: number): number {
  return number + n * width;
}

const tagged = (where: string): string => `(${where}) AND {${TAG}:String} != ''`;

const anyOf = (conditions: readonly string[]): string => conditions.map((one) => `(${one})`).join(' OR ');

const NUMBER = /\{p(\d+):/g;

function nth(text: string, n: number, width: number): string {
  return n === 0 ? text : text.replace(NUMBER, (_, number: string) => `{p${nthNumber(Number(number), n, width)}:`);
}

/** A name of the catalogue may look like a parameter. */
function isNumbered({ set = '', where, width }: Mutation): boolean {
  return `${set} ${where}`.match(NUMBER)?.length === width;
}
