/** A planned write: its requests, the dry run, and the same requests for good. */
import { type Answer, ApiError, request } from '../../../api/request.ts';
import { type RowPage, readRows } from '../rows/row-page.ts';
import type { RawRow } from '../rows/row-store.ts';

export interface PlannedRequest {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  /** Below the fixed path segment. */
  readonly path: string;
  /** Filters. */
  readonly query: string;
  readonly ifMatch?: string | undefined;
  readonly body?: string;
  /** `true` if the response should contain the rows. */
  readonly returnsRows: boolean;
}

/** A row that is another than when editing began. */
export interface Conflict {
  readonly key: string;
  readonly began: RawRow;
  /** `undefined` if the row does not exist any more. */
  readonly now: RawRow | undefined;
  readonly mine: RawRow;
  /** Continues from the row as it is now. */
  readonly accept: (() => void) | undefined;
}

export interface ShownRow {
  readonly key: string;
  readonly before: RawRow | undefined;
  /** Typed values, for engines that cannot show the row after the write. */
  readonly mine: RawRow | undefined;
}

export interface Plan {
  readonly title: string;
  /** A verb with its object. The number of rows may not be known yet. */
  readonly action: (count: number | undefined) => string;
  readonly isDangerous: boolean;
  readonly rows: readonly ShownRow[];
  readonly requests: readonly PlannedRequest[];
  /** Reads the rows again. Returns the rows that have changed since. */
  readonly compare?: (stop: AbortSignal) => Promise<readonly Conflict[]>;
  /** Explains a 412. */
  readonly explain?: (stop: AbortSignal) => Promise<readonly Conflict[]>;
  /** Number of rows that match, where there is no dry run. */
  readonly count: (stop: AbortSignal) => Promise<number>;
  readonly canTry: boolean;
  readonly done: (saved: Outcome) => void;
}

export interface Outcome {
  readonly count: number;
  /** Rows after the write; `undefined` if the engine does not return them. */
  readonly rows: readonly RawRow[] | undefined;
}

export interface Trial extends Outcome {
  readonly isTried: boolean;
  readonly conflicts: readonly Conflict[];
}

/** From this number on, a deletion must be confirmed by typing it. */
export const TYPED_FROM = 100;

const NOT_POSSIBLE = / is not possible on /;

/** Makes the dry run. Where there is none, counts the rows that match. */
export async function tryPlan(plan: Plan, stop: AbortSignal): Promise<Trial> {
  const conflicts = (await plan.compare?.(stop)) ?? [];
  if (conflicts.length > 0) return { isTried: false, conflicts, count: 0, rows: undefined };
  for (const hasRows of plan.canTry ? [true, false] : []) {
    try {
      return { ...(await sendAll(plan, { dryRun: true, isAtomic: true, hasRows }, stop)), isTried: true, conflicts };
    } catch (error) {
      if (!isNotPossible(error)) return explained(plan, error, stop);
    }
  }
  return { isTried: false, conflicts, count: await plan.count(stop), rows: undefined };
}

/** Sends what was reviewed. Sends nothing if the rows have changed since. */
export async function savePlan(plan: Plan, trial: Trial): Promise<Trial> {
  const stop = new AbortController().signal;
  const conflicts = (await plan.compare?.(stop)) ?? [];
  if (conflicts.length > 0) return { ...trial, conflicts };
  try {
    return { ...(await sendAll(plan, saveOptions(trial), stop)), isTried: trial.isTried, conflicts };
  } catch (error) {
    return explained(plan, error, stop);
  }
}

/** Sends for good the requests that were tried, with the count as their limit. */
export const saveOptions = ({ count, isTried, rows }: Trial): SendOptions => ({
  maxAffected: count,
  isAtomic: isTried,
  hasRows: rows !== undefined,
});

/** The API's words for what an engine or a table cannot do. */
const isNotPossible = (error: unknown): boolean => error instanceof ApiError && error.status === 422 && NOT_POSSIBLE.test(error.message);

async function explained(plan: Plan, error: unknown, stop: AbortSignal): Promise<Trial> {
  if (!(error instanceof ApiError) || error.status !== 412 || plan.explain === undefined) throw error;
  const conflicts = await plan.explain(stop);
  if (conflicts.length === 0) throw error;
  return { isTried: false, conflicts, count: 0, rows: undefined };
}

export interface SendOptions {
  readonly dryRun?: boolean;
  readonly maxAffected?: number;
  /** `false` for engines and tables without transactions, which have no entity tags. */
  readonly isAtomic: boolean;
  /** `true` if the response should contain the rows. */
  readonly hasRows: boolean;
}

/** The query of a request as it is sent. */
export function queryOf(planned: PlannedRequest, { dryRun, maxAffected, hasRows }: SendOptions): string {
  const added = [
    ...(dryRun === true ? ['$dry_run=true'] : []),
    ...(maxAffected === undefined ? [] : [`$max_affected=${maxAffected}`]),
    ...(planned.returnsRows && hasRows ? ['$return=rows'] : []),
  ];
  return [planned.query, ...added].filter((part) => part !== '').join('&');
}

export const headersOf = ({ ifMatch }: PlannedRequest, { isAtomic }: SendOptions): Readonly<Record<string, string>> =>
  ifMatch === undefined || !isAtomic ? {} : { 'If-Match': ifMatch };

async function sendAll({ requests }: Plan, options: SendOptions, stop: AbortSignal): Promise<Outcome> {
  let count = 0;
  const rows: RawRow[] = [];
  for (const planned of requests) {
    const answer = await sendOne(planned, options, stop);
    const page = planned.returnsRows && options.hasRows ? readRows(answer.text) : undefined;
    if (page !== undefined) rows.push(...rowsOf(page));
    count += page?.rowCount ?? countOf(answer);
  }
  return { count, rows: options.hasRows && requests.every(({ returnsRows }) => returnsRows) ? rows : undefined };
}

const sendOne = (planned: PlannedRequest, options: SendOptions, stop: AbortSignal): Promise<Answer> =>
  request(planned.method, planned.path, {
    query: queryOf(planned, options),
    headers: headersOf(planned, options),
    signal: stop,
    asPersona: true,
    ...(planned.body !== undefined && { body: planned.body }),
  });

const countOf = ({ text }: Answer): number => (JSON.parse(text) as { rows_affected: number }).rows_affected;

export function rowsOf(page: RowPage): readonly RawRow[] {
  return Array.from({ length: page.rowCount }, (_, row) => {
    return new Map(page.columns.map((name, column) => [name, page.raw(row, column) ?? 'null']));
  });
}
