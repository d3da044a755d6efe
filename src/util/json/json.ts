/**
 * Exact JSON for request bodies. Must not import HTTP: errors describe the position, the caller
 * chooses the status.
 *
 *   parseJson(bytes, { maxDepth: 64 })           any document as a plain value, no digit lost
 *   new JsonReader(bytes, options).read(until)   the same in slices, for large bodies
 *   parseRows(bytes, { maxDepth: 64 }, onRow)    an array of objects, row by row (json-rows.ts)
 *   writeJson(value), appendJson(value, out)     plain values as JSON text
 *
 * An integer is a number within ±2^53 and a bigint beyond. A number with a fraction or an exponent
 * is a Decimal with its original text (`0.10`, `1e400`); so is `-0`. Objects are Maps in document
 * order.
 * Duplicate keys, unpaired surrogates, invalid UTF-8 and integers of more than 4,300 digits are
 * rejected. A byte order mark is ignored.
 */
import type { PlainValue } from '../text/decimal.ts';
import { JsonDepthError, JsonError } from './json-scan.ts';
import { JsonReader, type ParseOptions } from './json-value.ts';

export {
  type JsonCell,
  JsonNumber,
  type JsonRow,
  NotRowsError,
  type OnJsonRow,
  parseRows,
  RawJson,
  RowsReader,
  SPELLING,
} from './json-rows.ts';
export { JsonMemoryError, JsonReader } from './json-value.ts';
export { appendJson, NestingError, writeJson } from './json-write.ts';
export { JsonDepthError, JsonError, type ParseOptions };

export function parseJson(bytes: Buffer, options: ParseOptions): PlainValue {
  const reader = new JsonReader(bytes, options);
  reader.read(Number.POSITIVE_INFINITY);
  return reader.value;
}
