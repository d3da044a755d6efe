/**
 * UPDATE and DELETE are mutations: the server keeps their text and applies it to the parts of the
 * table in the background. It does not count the rows, so another query does before. A failed
 * mutation is tried again for ever and blocks those after it: each carries a tag by which it is
 * found and withdrawn.
 */
import type { ParamType } from '../../../sql/statement.ts';
import type { ClickhouseStatement, CountedWrite } from '../statement.ts';

/** Name of the parameter that tags a mutation. */
export const TAG = 'tag';

type MaxRows = CountedWrite['maxRows'];

export function updateOf(table: string, set: string, where: string, types: readonly ParamType[], maxRows?: MaxRows): ClickhouseStatement {
  const text = `ALTER TABLE ${table} UPDATE ${set} WHERE ${tagged(where)}`;
  return { text, types, counted: { table, count: countOf(table, where), otherwise: [], maxRows } };
}

/** A lightweight DELETE only marks rows; table engines that cannot (Memory) rewrite instead. */
export function deleteOf(table: string, where: string, types: readonly ParamType[], maxRows?: MaxRows): ClickhouseStatement {
  const text = `DELETE FROM ${table} WHERE ${tagged(`(${where})`)}`;
  const otherwise = [`ALTER TABLE ${table} DELETE WHERE ${tagged(where)}`];
  return { text, types, counted: { table, count: countOf(table, where), otherwise, maxRows } };
}

const countOf = (table: string, where: string): string => `SELECT count() FROM ${table} WHERE ${where}`;

const tagged = (where: string): string => `(${where}) AND {${TAG}:String} != ''`;
