/** Plans of the three writes: changed rows, a new row, deleted rows. */
import type { TableDetail } from '../../../api/types.ts';
import { filterText, writePairs } from '../query/query.ts';
import { countRows, readRow, readRowsByKey } from '../rows/read-rows.ts';
import { filterOfKeys, keyColumns } from '../rows/row-key.ts';
import type { RawRow } from '../rows/row-store.ts';
import { autoPath, type TableTarget } from '../table-target.ts';
import type { PendingEdits, RowEdit } from './pending.ts';
import type { Conflict, Outcome, Plan, PlannedRequest } from './plan.ts';

export interface PlanContext {
  readonly target: TableTarget;
  readonly detail: TableDetail;
  readonly done: (outcome: Outcome) => void;
}

/** Longest filter that fits in an address on all ways. */
const MAX_FILTER = 6000;
/** Engines without transactions and entity tags. */
const WITHOUT_TRANSACTIONS = new Set(['ch']);

const canTry = ({ dbType }: TableTarget): boolean => !WITHOUT_TRANSACTIONS.has(dbType);

function rowCount(count: number | undefined): string {
  if (count === undefined) return 'the rows';
  return count === 1 ? '1 row' : `${count} rows`;
}

/** Writes a JSON object of values that are JSON already. */
const objectOf = (values: Iterable<readonly [string, string]>): string =>
  `{${[...values].map(([name, raw]) => `${JSON.stringify(name)}: ${raw}`).join(', ')}}`;

/** `true` if the columns that both have hold the same JSON. */
const isSameRow = (row: RawRow, other: RawRow): boolean => [...row].every(([name, raw]) => !other.has(name) || other.get(name) === raw);

/** Plans all pending changes. Rejects if the row could not be read when editing began. */
export async function planEdits(context: PlanContext, pending: PendingEdits): Promise<Plan> {
  const edits = [...pending.edits.value.values()];
  const [first] = edits;
  const isSingle = edits.length === 1 && first !== undefined;
  return {
    ...basics(context),
    title: 'Review the changes',
    action: (count) => `Save ${rowCount(count)}`,
    rows: edits.map(({ key, before, changes }) => ({ key, before, mine: new Map([...before, ...changes]) })),
    requests: isSingle ? [await oneRow(context, first)] : severalRows(context, edits),
    compare: (stop) =>
      isSingle && canTry(context.target) ? compareBeginning(context, first, pending) : compareAll(context, edits, pending, stop),
    ...(isSingle && { explain: async (stop) => [await explainChange(context, first, pending, stop)] }),
    count: (stop) =>
      countRows(
        context.target,
        keysFilter(
          context.detail,
          edits.map(({ before }) => before),
        ),
        stop,
      ),
  };
}

const basics = ({ target, done }: PlanContext) => ({ isDangerous: false, canTry: canTry(target), done });

const keysFilter = (detail: TableDetail, rows: readonly RawRow[]): string =>
  writePairs([
    filterOfKeys(
      keyColumns(detail),
      rows.map((row) => (name) => row.get(name)),
    ),
  ]).slice(1);

async function oneRow({ target }: PlanContext, { key, changes, read }: RowEdit): Promise<PlannedRequest> {
  const { etag } = await read;
  return { method: 'PATCH', path: autoPath(target, key), query: '', body: objectOf(changes), ifMatch: etag, returnsRows: true };
}

function severalRows({ target, detail }: PlanContext, edits: readonly RowEdit[]): readonly PlannedRequest[] {
  const keys = keyColumns(detail).map(({ name }) => name);
  if (!canTry(target))
    return edits.map(({ key, changes }) => ({
      method: 'PATCH',
      path: autoPath(target, key),
      query: '',
      body: objectOf(changes),
      returnsRows: false,
    }));
  if (edits.some(({ changes }) => keys.some((name) => changes.has(name))))
    throw new Error('A key can only be changed alone. Save or discard the other rows first.');
  const rows = edits.map(({ before, changes }) =>
    objectOf([...keys.map((name) => [name, before.get(name) ?? 'null'] as const), ...changes]),
  );
  return [{ method: 'PATCH', path: autoPath(target), query: '', body: `[${rows.join(',\n ')}]`, returnsRows: true }];
}

const conflictOf = (
  { target }: PlanContext,
  { key, before, changes }: RowEdit,
  now: RawRow | undefined,
  pending: PendingEdits,
): Conflict => ({
  key,
  began: before,
  now,
  mine: new Map([...before, ...changes]),
  accept: now === undefined ? undefined : () => pending.rebase(key, keepShown(before, now), readRow(target, key)),
});

/** The columns that the grid shows, with the values of the row as it is now. */
const keepShown = (shown: RawRow, now: RawRow): RawRow => new Map([...shown].map(([name, raw]) => [name, now.get(name) ?? raw]));

/** Finds out whether the row was shown as it was when editing began. */
async function compareBeginning(context: PlanContext, edit: RowEdit, pending: PendingEdits): Promise<readonly Conflict[]> {
  const { row } = await edit.read;
  return isSameRow(edit.before, row) ? [] : [conflictOf(context, edit, row, pending)];
}

async function compareAll(
  context: PlanContext,
  edits: readonly RowEdit[],
  pending: PendingEdits,
  stop: AbortSignal,
): Promise<readonly Conflict[]> {
  const rows = edits.map(({ before }) => before);
  const found = await readRowsByKey(context.target, context.detail, rows, stop);
  return edits.flatMap((edit) => {
    const now = found.get(edit.key);
    if (now !== undefined && isSameRow(edit.before, now)) return [];
    return [conflictOf(context, edit, now, pending)];
  });
}

async function explainChange(context: PlanContext, edit: RowEdit, pending: PendingEdits, stop: AbortSignal): Promise<Conflict> {
  const { row } = await readRow(context.target, edit.key, stop);
  return conflictOf(context, edit, row, pending);
}

/** Plans a new row of these values; absent columns get their defaults. */
export function planInsert(context: PlanContext, values: RawRow): Plan {
  return {
    ...basics(context),
    title: 'Review the new row',
    action: (count) => `Insert ${rowCount(count)}`,
    rows: [{ key: 'New row', before: undefined, mine: values }],
    requests: [{ method: 'POST', path: autoPath(context.target), query: '', body: `[${objectOf(values)}]`, returnsRows: true }],
    count: async () => 1,
  };
}

/** Plans to delete these rows. */
export function planDeleteRows(context: PlanContext, rows: readonly { readonly key: string; readonly row: RawRow }[]): Plan {
  const filter = keysFilter(
    context.detail,
    rows.map(({ row }) => row),
  );
  if (filter.length > MAX_FILTER)
    throw new Error('These are too many rows for one request. Choose fewer, or delete all that match a filter.');
  return {
    ...deletion(context, filter),
    title: 'Review the deletion',
    rows: rows.map(({ key, row }) => ({ key, before: row, mine: undefined })),
  };
}

/** Plans to delete all rows that match the filter of the address. */
export const planDeleteMatching = (context: PlanContext, search: string): Plan => ({
  ...deletion(context, filterText(search)),
  title: 'Review the deletion of all rows that match',
  rows: [],
});

const deletion = (context: PlanContext, filter: string) => ({
  ...basics(context),
  isDangerous: true,
  action: (count: number | undefined) => `Delete ${rowCount(count)}`,
  requests: [{ method: 'DELETE', path: autoPath(context.target), query: filter, returnsRows: false } as const],
  count: (stop: AbortSignal) => countRows(context.target, filter, stop),
});
