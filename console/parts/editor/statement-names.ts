/** Tables that a statement names, and what completion may propose at a place of it. Pure. */

export interface NamedTable {
  readonly table: string;
  readonly alias: string | undefined;
}

const TABLES = /\b(?:from|join|update|into)\s+(["`]?[\w.]+["`]?)(?:\s+(?:as\s+)?(\w+))?/gi;
const NO_ALIAS = /^(?:on|where|set|join|left|right|inner|cross|full|using|group|order|limit|values|select|natural|returning|as)$/i;

export function tablesIn(statement: string): readonly NamedTable[] {
  return [...statement.matchAll(TABLES)].map(([, table = '', alias]) => ({
    table: table.replace(/["`]/g, '').replace(/^.*\./, ''),
    alias: alias === undefined || NO_ALIAS.test(alias) ? undefined : alias,
  }));
}

export type SqlPlace =
  | { readonly kind: 'table' | 'parameter' | 'name' }
  /** A column behind the name or alias of a table. */
  | { readonly kind: 'column'; readonly of: string };

/** `before` is the statement up to the word that is typed. */
export function sqlPlace(before: string): SqlPlace {
  if (/\?:[\w.]*$/.test(before)) return { kind: 'parameter' };
  const qualifier = /(\w+)\.$/.exec(before)?.[1];
  if (qualifier !== undefined) return { kind: 'column', of: qualifier };
  return { kind: /\b(?:from|join|update|into)\s+$/i.test(before) ? 'table' : 'name' };
}
