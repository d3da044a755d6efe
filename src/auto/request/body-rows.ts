/** Reads the rows of a body: at once if it is small, otherwise in slices. */
import { apiError } from '../../errors.ts';
import { nextSlice, SLICE_BYTES } from '../../util/concurrency/loop-scheduler.ts';
import { type MaybePromise, rescue } from '../../util/concurrency/maybe-promise.ts';
import { JsonDepthError, JsonError, type OnJsonRow, parseRows, RowsReader } from '../../util/json/json.ts';

const MAX_DEPTH = 64;
const LIMITS = { maxDepth: MAX_DEPTH };

/** Bodies of up to a few thousand rows are read at once, in one or two milliseconds. */
const SMALL = 8 * SLICE_BYTES;

export const isSmall = (body: Buffer): boolean => body.length <= SMALL;

/** Receives rows, and maps errors of the body's structure. */
export interface RowsTaker {
  take: OnJsonRow;
  refusal(error: JsonError): Error | undefined;
}

/** Reads all rows and returns their number. */
export function readRows(body: Buffer, owner: string, taker: RowsTaker): MaybePromise<number> {
  return rescue(
    () => (isSmall(body) ? readAll(body, taker) : readInSlices(body, owner, taker)),
    (error) => refuse(error, taker),
  );
}

/** Reads all rows at once, whatever the size of the body. */
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
