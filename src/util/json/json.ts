/**
 * Exact JSON for request bodies, in one place:
 *
 *   parseJson(bytes, { maxDepth: 64 })           any document as a plain value, no digit lost
 *   new JsonReader(bytes, options).read(until)   the same in slices, for bodies that would hold up others
 *   parseRows(bytes, { maxDepth: 64 }, onRow)    an array of objects, row by row (json-rows.ts says how)
 *   writeJson(value), appendJson(value, out)     plain values as JSON text
 *
 * parseJson: a whole number is a number within ±2^53 and a bigint beyond; one with a fraction or an exponent is a Decimal with its text
 * as sent (`0.10`, `1e400`), and so is `-0`, which no int can hold. Objects are Maps in the order of the text. A key given twice, half a
 * surrogate pair, bytes that are no UTF-8 and whole numbers of more than 4,300 digits are refused. A byte order mark is ignored.
 *
 * Knows nothing of HTTP: errors say what is wrong and where; the caller chooses the status.
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
