/** The size limit of results: what a model can read at once, as the bytes of their JSON. Pure. */
import { writeJson } from '../util/json/json.ts';
import type { PlainMap, PlainValue } from '../util/text/decimal.ts';

export const MAX_RESULT_BYTES = 16 * 1024;

export function sizeOf(value: PlainValue): number {
  return Buffer.byteLength(writeJson(value));
}

/** Number of leading items that fit into a result beside `rest`, its other members. */
export function countFitting(items: readonly PlainValue[], rest: PlainMap): number {
  let size = sizeOf(rest);
  const end = items.findIndex((item) => {
    size += sizeOf(item) + 1;
    return size > MAX_RESULT_BYTES;
  });
  return end < 0 ? items.length : end;
}

/** The beginning of a text that fits beside `rest`. */
export function fittingText(text: string, rest: PlainMap): string {
  const room = MAX_RESULT_BYTES - sizeOf(rest);
  let shown = text;
  for (let size = sizeOf(shown); size > room; size = sizeOf(shown))
    shown = shown.slice(0, Math.min(shown.length - 1, Math.floor((shown.length * room) / size)));
  return shown;
}
