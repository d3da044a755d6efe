/** Checks texts against a declaration, in the words beside their control. Pure. */
import { compareDecimals, parseDecimal } from '../../ui/decimal.ts';
import type { Declaration } from './document.ts';

const INTEGER = /^-?\d+$/;
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?$/i;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

type Check = (text: string) => string | undefined;

const matching =
  (pattern: RegExp, problem: string): Check =>
  (text) =>
    pattern.test(text) ? undefined : problem;

const TYPES: Readonly<Record<string, Check>> = {
  integer: matching(INTEGER, 'Enter a whole number.'),
  number: matching(NUMBER, 'Enter a number.'),
  boolean: matching(/^(?:true|false)$/, 'Choose yes or no.'),
  date: (text) => (DATE.test(text) && isDay(text) ? undefined : 'Enter a date, such as 2026-01-31.'),
  timestamp: (text) =>
    TIMESTAMP.test(text) && isDay(text.slice(0, 10)) ? undefined : 'Enter a date and time, such as 2026-01-31T12:00:00Z.',
  uuid: matching(UUID, 'Enter a UUID.'),
};

function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Returns the problem of a value, or `undefined`. */
export function checkValue(declaration: Declaration, texts: readonly string[]): string | undefined {
  if (texts.length === 0) return declaration.required === true ? 'Enter a value.' : undefined;
  if (declaration.type !== 'array') return texts.length > 1 ? 'Enter one value.' : checkText(declaration, texts[0] ?? '');
  const { min_items = 0, max_items = Number.POSITIVE_INFINITY, items } = declaration;
  if (texts.length < min_items) return `Choose at least ${min_items}.`;
  if (texts.length > max_items) return `Choose at most ${max_items}.`;
  if (items === undefined) return undefined;
  for (const text of texts) {
    const problem = checkText(items, text);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

export function checkText(declaration: Declaration, text: string): string | undefined {
  return TYPES[declaration.type]?.(text) ?? checkEnum(declaration, text) ?? checkRange(declaration, text) ?? checkLength(declaration, text);
}

function checkEnum({ enum: choices }: Declaration, text: string): string | undefined {
  if (choices === undefined || choices.some((choice) => String(choice) === text)) return undefined;
  return `Choose one of ${choices.join(', ')}.`;
}

function checkRange({ type, minimum, maximum }: Declaration, text: string): string | undefined {
  const value = type === 'integer' || type === 'number' ? parseDecimal(text) : undefined;
  const beyond = (limit: unknown, sign: number): boolean => {
    const bound = limit === undefined || limit === null ? undefined : parseDecimal(String(limit));
    if (value !== undefined && bound !== undefined) return compareDecimals(value, bound) * sign > 0;
    const isTime = type === 'date' || type === 'timestamp';
    return isTime && limit !== undefined && limit !== null && (sign < 0 ? text < String(limit) : text > String(limit));
  };
  if (beyond(minimum, -1)) return `Enter at least ${minimum}.`;
  if (beyond(maximum, 1)) return `Enter at most ${maximum}.`;
  return undefined;
}

function checkLength(
  { type, min_length = 0, max_length = Number.POSITIVE_INFINITY, pattern }: Declaration,
  text: string,
): string | undefined {
  if (type !== 'string') return undefined;
  const length = [...text].length;
  if (length < min_length) return `Enter at least ${min_length} characters.`;
  if (length > max_length) return `Enter at most ${max_length} characters.`;
  return pattern !== undefined && !isMatch(pattern, text) ? `Enter a text of the form ${pattern}.` : undefined;
}

/** A pattern that the browser cannot compile is left to the service. */
function isMatch(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return true;
  }
}
