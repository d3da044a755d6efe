/** Lists of tables, kept for a short time, and the search in them. */
import { context } from '../../api/context.ts';
import { identityHeaders } from '../../api/request.ts';
import type { TableItem } from '../../api/types.ts';
import type { Command } from '../../app/commands.ts';
import { navigate } from '../../app/router.ts';
import { type DatabaseTarget, readTables, tableAddress } from './table-target.ts';

const KEPT_MS = 30_000;
const MAX_FOUND = 30;

interface Kept {
  readonly at: number;
  readonly tables: Promise<readonly TableItem[]>;
}

const lists = new Map<string, Kept>();

/** Tables that the caller may see. A list of the last seconds is used again. */
export function tablesOf(target: DatabaseTarget, signal: AbortSignal, { isFresh = false } = {}): Promise<readonly TableItem[]> {
  const key = JSON.stringify([target.dbType, target.schema, identityHeaders(true)]);
  const kept = lists.get(key);
  if (kept !== undefined && !isFresh && Date.now() - kept.at < KEPT_MS) return kept.tables;
  const tables = readTables(target, signal);
  lists.set(key, { at: Date.now(), tables });
  tables.catch(() => lists.delete(key));
  return tables;
}

/** Tables whose names contain every word. Names that begin with the text are first. */
export function searchTables(tables: readonly TableItem[], text: string): readonly TableItem[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return tables;
  const found = tables.filter(({ table }) => words.every((word) => table.toLowerCase().includes(word)));
  const [first = ''] = words;
  const rank = ({ table }: TableItem): number => (table.toLowerCase().startsWith(first) ? 0 : 1);
  return found.sort((a, b) => rank(a) - rank(b));
}

export function databaseTargets(): readonly DatabaseTarget[] {
  return (context.value?.databases ?? []).map(({ ref }) => targetOf(ref));
}

/** `pg/shop` → the database. */
export function targetOf(ref: string): DatabaseTarget {
  const slash = ref.indexOf('/');
  return { dbType: ref.slice(0, slash), schema: ref.slice(slash + 1) };
}

/** Tables of all databases, for the palette. */
export async function findTables(text: string, signal: AbortSignal): Promise<readonly Command[]> {
  if (text.trim() === '') return [];
  const searches = databaseTargets().map(async (target) => {
    const tables = await tablesOf(target, signal).catch(() => []);
    return searchTables(tables, text).map(({ table }) => ({
      label: table,
      hint: `table in ${target.dbType}/${target.schema}`,
      run: () => void navigate(tableAddress({ ...target, table })),
    }));
  });
  return (await Promise.all(searches)).flat().slice(0, MAX_FOUND);
}
