/**
 * Layouts of times, given by an example (`2006-01-02 15:04:05`). Splits a layout into elements and
 * formats times with it.
 */
import { type Civil, civilOf } from './time.ts';
import type { Time } from './value.ts';

export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
export const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

export const RFC3339_NANO = '2006-01-02T15:04:05.999999999Z07:00';
const GO_STRING = '2006-01-02 15:04:05.999999999 -0700 MST';

export interface LayoutPiece {
  /** Literal text before the element. */
  readonly literal: string;
  /** Element of the example time, such as `2006`; empty at the end. */
  readonly element: string;
}

const ELEMENT =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|002|0[1-6]|15|1|2006|2|__2|_2(?!006)|3|4|5|PM|pm|[-Z]07(?:0000|:00:00|00|:00)?|[.,](?:0+|9+)(?!\d)/g;

export function cutLayout(layout: string): LayoutPiece[] {
  const pieces: LayoutPiece[] = [];
  let from = 0;
  for (const match of layout.matchAll(ELEMENT)) {
    pieces.push({ literal: layout.slice(from, match.index), element: match[0] });
    from = match.index + match[0].length;
  }
  pieces.push({ literal: layout.slice(from), element: '' });
  return pieces;
}

const two = (n: number): string => String(n).padStart(2, '0');
const twelve = (hour: number): number => (hour % 12 === 0 ? 12 : hour % 12);

function writeYear(year: number): string {
  return year < 0 ? `-${String(-year).padStart(4, '0')}` : String(year).padStart(4, '0');
}

const WRITERS: Readonly<Record<string, (c: Civil) => string>> = {
  January: (c) => MONTHS[c.month - 1] ?? '',
  Jan: (c) => (MONTHS[c.month - 1] ?? '').slice(0, 3),
  '1': (c) => String(c.month),
  '01': (c) => two(c.month),
  Monday: (c) => WEEKDAYS[c.weekday] ?? '',
  Mon: (c) => (WEEKDAYS[c.weekday] ?? '').slice(0, 3),
  '2': (c) => String(c.day),
  _2: (c) => String(c.day).padStart(2),
  '02': (c) => two(c.day),
  __2: (c) => String(c.yearDay).padStart(3),
  '002': (c) => String(c.yearDay).padStart(3, '0'),
  '15': (c) => two(c.hour),
  '3': (c) => String(twelve(c.hour)),
  '03': (c) => two(twelve(c.hour)),
  '4': (c) => String(c.minute),
  '04': (c) => two(c.minute),
  '5': (c) => String(c.second),
  '05': (c) => two(c.second),
  '2006': (c) => writeYear(c.year),
  '06': (c) => two(((c.year % 100) + 100) % 100),
  PM: (c) => (c.hour >= 12 ? 'PM' : 'AM'),
  pm: (c) => (c.hour >= 12 ? 'pm' : 'am'),
  MST: (c) => (c.abbreviation === '' ? writeOffset('-0700', c.offset) : c.abbreviation),
};

function writeOffset(element: string, offset: number): string {
  if (element.startsWith('Z') && offset === 0) return 'Z';
  const size = Math.abs(offset);
  const parts = [two(Math.floor(size / 3600))];
  if (/00/.test(element.slice(3))) parts.push(two(Math.floor(size / 60) % 60));
  if (/00:?00/.test(element.slice(3))) parts.push(two(size % 60));
  return `${offset < 0 ? '-' : '+'}${parts.join(element.includes(':') ? ':' : '')}`;
}

function writeFraction(element: string, nanos: number): string {
  const digits = String(nanos)
    .padStart(9, '0')
    .slice(0, element.length - 1);
  if (element[1] === '0') return `${element[0]}${digits.padEnd(element.length - 1, '0')}`;
  const short = digits.replace(/0+$/, '');
  return short === '' ? '' : `${element[0]}${short}`;
}

export function formatTime(time: Time, layout: string): string {
  const civil = civilOf(time);
  return cutLayout(layout)
    .map(({ literal, element }) => literal + writeElement(element, civil, time.nanos))
    .join('');
}

function writeElement(element: string, civil: Civil, nanos: number): string {
  const write = WRITERS[element];
  if (write !== undefined) return write(civil);
  if (element === '') return '';
  return /^[-Z]/.test(element) ? writeOffset(element, civil.offset) : writeFraction(element, nanos);
}

/** Text of a time for `string(…)`. */
export function timeText(time: Time): string {
  return formatTime(time, GO_STRING);
}
