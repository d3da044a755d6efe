/** Turns our own objects and lists into plain values. What is a plain value already (a Map, a Decimal) stays as it is. */
import { Decimal, type PlainValue } from '../text/decimal.ts';

/** Fields without a value are left out. */
export function plainDocument(value: unknown): PlainValue {
  if (Array.isArray(value)) return value.map(plainDocument);
  if (typeof value !== 'object' || value === null || value instanceof Map || value instanceof Decimal) return value as PlainValue;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return new Map(fields.map(([name, field]) => [name, plainDocument(field)]));
}
