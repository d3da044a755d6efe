/** Reads the rows of a body: at once if it is small; a large one in slices of its owner, so that it holds up nobody. */
import { apiError } from '../errors.ts';
import { JsonDepthError, JsonError, type OnJsonRow, RowsReader } from '../util/json.ts';
import { nextSlice, SLICE_BYTES } from '../util/loop-scheduler.ts';
import { type MaybePromise, rescue } from '../util/maybe-promise.ts';

const MAX_DEPTH = 64;

/** Some thousand rows: a millisecond or two. */
const AT_ONCE = 8 * SLICE_BYTES;

/** Returns the number of rows. `refusal` says what else than JSON is wrong with a body. */
export function readRows(
  body: Buffer,
  owner: string,
  onRow: OnJsonRow,
  refusal: (error: JsonError) => Error | undefined,
): MaybePromise<number> {
  return rescue(
    () => {
      const reader = new RowsReader(body, { maxDepth: MAX_DEPTH }, onRow);
      if (body.length > AT_ONCE) return readLarge(reader, owner);
      reader.read(Number.POSITIVE_INFINITY);
      return reader.count;
    },
    (error) => {
      throw error instanceof JsonError ? (refusal(error) ?? notJson(error)) : error;
    },
  );
}

async function readLarge(reader: RowsReader, owner: string): Promise<number> {
  do await nextSlice(owner);
  while (!reader.read(reader.at + SLICE_BYTES / 2));
  return reader.count;
}

function notJson(error: JsonError): Error {
  return error instanceof JsonDepthError ? apiError('body_too_deep', String(MAX_DEPTH)) : apiError('body_not_json', error.message);
}
