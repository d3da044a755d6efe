/** Reads the rows of a body: at once if it is small; a large one in slices of its owner, so that it holds up nobody. */
import { apiError } from '../../errors.ts';
import { nextSlice, SLICE_BYTES } from '../../util/concurrency/loop-scheduler.ts';
import { type MaybePromise, rescue } from '../../util/concurrency/maybe-promise.ts';
import { JsonDepthError, JsonError, type OnJsonRow, parseRows, RowsReader } from '../../util/json/json.ts';

const MAX_DEPTH = 64;
const LIMITS = { maxDepth: MAX_DEPTH };

/** Some thousand rows: a millisecond or two. */
const SMALL = 8 * SLICE_BYTES;

export const isSmall = (body: Buffer): boolean => body.length <= SMALL;

/** What takes the rows, and says what else than JSON is wrong with a body. */
export interface RowsTaker {
  take: OnJsonRow;
  refusal(error: JsonError): Error | undefined;
}

/** Returns the number of rows. */
export function readRows(body: Buffer, owner: string, taker: RowsTaker): MaybePromise<number> {
  return rescue(
    () => (isSmall(body) ? readAll(body, taker) : readInSlices(body, owner, taker)),
    (error) => refuse(error, taker),
  );
}

/** The same at once, however large it is. */
export function readRowsAtOnce(body: Buffer, taker: RowsTaker): number {
  try {
    return readAll(body, taker);
  } catch (error) {
    return refuse(error, taker);
  }
}

function readAll(body: Buffer, taker: RowsTaker): number {
  return parseRows(body, LIMITS, (index, keys, row) => taker.take(index, keys, row));
}

async function readInSlices(body: Buffer, owner: string, taker: RowsTaker): Promise<number> {
  await nextSlice(owner);
  const reader = new RowsReader(body, LIMITS, (index, keys, row) => taker.take(index, keys, row));
  while (!reader.read(reader.at + SLICE_BYTES / 2)) await nextSlice(owner);
  return reader.count;
}

function refuse(error: unknown, taker: RowsTaker): never {
  if (!(error instanceof JsonError)) throw error;
  const known = taker.refusal(error);
  if (known !== undefined) throw known;
  throw error instanceof JsonDepthError ? apiError('body_too_deep', String(MAX_DEPTH)) : apiError('body_not_json', error.message);
}
