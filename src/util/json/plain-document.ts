/** Converts objects and lists into plain values. Maps and Decimals stay as they are. */
import { Decimal, type PlainValue } from '../text/decimal.ts';

/** Omits fields whose value is `undefined`. */
export function plainDocument(value: unknown): PlainValue {
  if (Array.isArray(value)) return value.map(plainDocument);
  if (typeof value !== 'object' || value === null || value instanceof Map || value instanceof Decimal) return value as PlainValue;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return new Map(fields.map(([name, field]) => [name, plainDocument(field)]));
}
