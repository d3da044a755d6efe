/** Parameters that several management requests have: timestamps and pages. Pure. */
import { apiError } from '../errors.ts';
import type { Page } from '../store/store.ts';

const DEFAULT_PAGE_SIZE = 100;

/** The common form of RFC 3339, which `Date.parse` is specified to accept. */
const RFC_3339 = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** Milliseconds since the epoch; `undefined` if the text is not a timestamp. */
export function parseTimestamp(text: string): number | undefined {
  const day = RFC_3339.exec(text)?.[1];
  if (day === undefined) return undefined;
  const timestamp = Date.parse(text);
  // `Date.parse` turns 30 February into 1 March, so a day exists only if it survives the round
  // trip.
  const exists = !Number.isNaN(Date.parse(day)) && new Date(Date.parse(day)).toISOString().startsWith(day);
  return Number.isNaN(timestamp) || !exists ? undefined : timestamp;
}

/** The parameters `pg` and `ps` as they were sent. */
export interface Paging {
  readonly pg: string | undefined;
  readonly ps: string | undefined;
}

export function readPage({ pg, ps }: Paging, maxPageSize: number): Page {
  const limit = readPageNumber('ps', ps, Math.min(DEFAULT_PAGE_SIZE, maxPageSize), 1, maxPageSize);
  return { offset: readPageNumber('pg', pg, 0, 0, 999_999_999) * limit, limit };
}

function readPageNumber(name: string, text: string | undefined, fallback: number, min: number, max: number): number {
  if (text === undefined) return fallback;
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw apiError('paging_invalid', name, `it must be a whole number between ${min} and ${max}`);
}
