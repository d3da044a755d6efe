/** Formats of values: their names, and how many digits they may be given. Pure. */

const PLAIN = [
  'integer',
  'compact',
  'bytes',
  'duration',
  'date',
  'datetime',
  'time',
  'month',
  'year',
  'text',
  'code',
  'json',
  'bool',
  'badge',
  'link',
  'email',
];
const WITH_DIGITS = /^(?:number|percent|currency\.[A-Z]{3})(?:\.(?:\d|1\d|20))?$/;

/** Returns the problem of a format, or `undefined`. */
export function checkFormat(text: string): string | undefined {
  if (PLAIN.includes(text) || WITH_DIGITS.test(text)) return undefined;
  return `is not a format; known are number, percent, currency.EUR (each may have digits, as in number.2), ${PLAIN.join(', ')}`;
}
