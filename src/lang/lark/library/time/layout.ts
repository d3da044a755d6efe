/**
 * Layouts by example, as in the reference's time module: `2006-01-02T15:04:05Z07:00` and its
 * elements. Formats and parses fields; must not depend on zones.
 */
import { fail } from '../../values/failure.ts';
import { SLOT_BYTES } from '../../values/iterate.ts';
import type { Thread } from '../../values/thread.ts';

export interface TimeFields {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly nanosecond: number;
  readonly weekday: number;
  readonly yearDay: number;
  /** Seconds east of UTC. */
  readonly offset: number;
  readonly zone: string;
}

export interface ParsedFields {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  nanosecond: number;
  offset: number | undefined;
  zone: string | undefined;
  afternoon: boolean | undefined;
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
const pad = (value: number, width: number, filler = '0'): string => String(value).padStart(width, filler);

interface Piece {
  write(fields: TimeFields): string;
  readonly read: RegExp;
  take(match: string, into: ParsedFields): void;
}

function number(write: (fields: TimeFields) => string, read: RegExp, take: (value: number, into: ParsedFields) => void): Piece {
  return { write, read, take: (match, into) => take(Number(match), into) };
}

function names(
  list: readonly string[],
  length: number | undefined,
  index: (fields: TimeFields) => number,
  take: (index: number, into: ParsedFields) => void,
): Piece {
  const names = list.map((name) => name.slice(0, length));
  return {
    write: (fields) => names[index(fields)] ?? '',
    read: new RegExp([...names].sort((a, b) => b.length - a.length).join('|'), 'iy'),
    take: (match, into) =>
      take(
        names.findIndex((name) => name.toLowerCase() === match.toLowerCase()),
        into,
      ),
  };
}

function offsetText(offset: number, form: string): string {
  if (form.startsWith('Z') && offset === 0) return 'Z';
  const minutes = Math.floor(Math.abs(offset) / 60);
  const sign = offset < 0 ? '-' : '+';
  const hours = pad(Math.floor(minutes / 60), 2);
  if (/07$/.test(form)) return sign + hours;
  return `${sign}${hours}${form.includes(':') ? ':' : ''}${pad(minutes % 60, 2)}`;
}

function offsetPiece(form: string): Piece {
  const pattern = /07$/.test(form) ? '[+-]\\d\\d' : form.includes(':') ? '[+-]\\d\\d:\\d\\d' : '[+-]\\d{4}';
  return {
    write: (fields) => offsetText(fields.offset, form),
    read: new RegExp(form.startsWith('Z') ? `Z|${pattern}` : pattern, 'y'),
    take: (match, into) => {
      const digits = match.replace(/[^\d]/g, '').padEnd(4, '0');
      const seconds = Number(digits.slice(0, 2)) * 3600 + Number(digits.slice(2, 4)) * 60;
      into.offset = match.startsWith('-') ? -seconds : seconds;
      if (match === 'Z') into.zone = 'UTC';
    },
  };
}

const setDay = (value: number, into: ParsedFields): void => void (into.day = value);
const setHour = (value: number, into: ParsedFields): void => void (into.hour = value);
const clock12 = (fields: TimeFields): number => (fields.hour % 12 === 0 ? 12 : fields.hour % 12);

const PIECES: Readonly<Record<string, Piece>> = {
  January: names(
    MONTHS,
    undefined,
    (f) => f.month - 1,
    (i, into) => void (into.month = i + 1),
  ),
  Jan: names(
    MONTHS,
    3,
    (f) => f.month - 1,
    (i, into) => void (into.month = i + 1),
  ),
  Monday: names(
    DAYS,
    undefined,
    (f) => f.weekday,
    () => {},
  ),
  Mon: names(
    DAYS,
    3,
    (f) => f.weekday,
    () => {},
  ),
  MST: { write: (f) => f.zone, read: /[A-Z]{3,5}|[+-]\d\d(?:\d\d)?/y, take: (match, into) => void (into.zone = match) },
  '2006': number(
    (f) => pad(f.year, 4),
    /\d{4}/y,
    (v, into) => void (into.year = v),
  ),
  '06': number(
    (f) => pad(f.year % 100, 2),
    /\d\d/y,
    (v, into) => void (into.year = v >= 69 ? v + 1900 : v + 2000),
  ),
  '002': number(
    (f) => pad(f.yearDay, 3),
    /\d{3}/y,
    (v, into) => {
      into.month = 1;
      into.day = v;
    },
  ),
  '01': number(
    (f) => pad(f.month, 2),
    /\d\d/y,
    (v, into) => void (into.month = v),
  ),
  '02': number((f) => pad(f.day, 2), /\d\d/y, setDay),
  '03': number((f) => pad(clock12(f), 2), /\d\d/y, setHour),
  '04': number(
    (f) => pad(f.minute, 2),
    /\d\d/y,
    (v, into) => void (into.minute = v),
  ),
  '05': number(
    (f) => pad(f.second, 2),
    /\d\d/y,
    (v, into) => void (into.second = v),
  ),
  '15': number((f) => pad(f.hour, 2), /\d\d/y, setHour),
  _2: number((f) => pad(f.day, 2, ' '), / ?\d{1,2}/y, setDay),
  '1': number(
    (f) => String(f.month),
    /\d{1,2}/y,
    (v, into) => void (into.month = v),
  ),
  '2': number((f) => String(f.day), /\d{1,2}/y, setDay),
  '3': number((f) => String(clock12(f)), /\d{1,2}/y, setHour),
  '4': number(
    (f) => String(f.minute),
    /\d{1,2}/y,
    (v, into) => void (into.minute = v),
  ),
  '5': number(
    (f) => String(f.second),
    /\d{1,2}/y,
    (v, into) => void (into.second = v),
  ),
  PM: { write: (f) => (f.hour >= 12 ? 'PM' : 'AM'), read: /[AP]M/y, take: (match, into) => void (into.afternoon = match === 'PM') },
  pm: { write: (f) => (f.hour >= 12 ? 'pm' : 'am'), read: /[ap]m/y, take: (match, into) => void (into.afternoon = match === 'pm') },
  ...Object.fromEntries(['Z07:00', 'Z0700', 'Z07', '-07:00', '-0700', '-07'].map((form) => [form, offsetPiece(form)])),
};

/** Steps charged per character of a layout, at which each element is tried. */
const LAYOUT_STEPS = 40;
/** Digits of a fraction that are matched one by one. */
const MAX_DIGITS = 1000;
const FRACTION = /^[.,](0+|9+)(?!\d)/;
const KEYS = Object.keys(PIECES).sort((a, b) => b.length - a.length);

function fractionPiece(form: string): Piece {
  const digits = form.length - 1;
  return {
    write: (fields) => {
      const text = pad(fields.nanosecond, 9).slice(0, digits);
      if (form.charAt(1) === '0') return form.charAt(0) + text;
      const trimmed = text.replace(/0+$/, '');
      return trimmed === '' ? '' : form.charAt(0) + trimmed;
    },
    read: form.charAt(1) === '0' ? new RegExp(`[.,]\\d{${Math.min(digits, MAX_DIGITS)}}`, 'y') : /(?:[.,]\d+)?/y,
    take: (match, into) => void (into.nanosecond = Number(match.slice(1, 10).padEnd(9, '0'))),
  };
}

/** Splits a layout into alternating literals and elements. */
function split(thread: Thread, layout: string): (string | Piece)[] {
  thread.charge(layout.length * SLOT_BYTES);
  thread.spend(layout.length * LAYOUT_STEPS);
  const parts: (string | Piece)[] = [];
  for (let at = 0; at < layout.length; ) {
    const rest = layout.slice(at);
    const fraction = FRACTION.exec(rest)?.[0];
    const key = fraction ?? KEYS.find((candidate) => rest.startsWith(candidate) && !(candidate === 'Jan' && /^Jan[a-z]/.test(rest)));
    if (key === undefined) {
      parts.push(layout.charAt(at));
      at++;
    } else {
      parts.push(fraction === undefined ? (PIECES[key] ?? key) : fractionPiece(fraction));
      at += key.length;
    }
  }
  return parts;
}

export function formatLayout(thread: Thread, layout: string, fields: TimeFields): string {
  return split(thread, layout)
    .map((part) => (typeof part === 'string' ? part : part.write(fields)))
    .join('');
}

export function parseLayout(thread: Thread, layout: string, text: string): ParsedFields {
  thread.spend(text.length);
  const into: ParsedFields = {
    year: 0,
    month: 1,
    day: 1,
    hour: 0,
    minute: 0,
    second: 0,
    nanosecond: 0,
    offset: undefined,
    zone: undefined,
    afternoon: undefined,
  };
  const bad = (): never => fail(`parsing time ${JSON.stringify(text)} as ${JSON.stringify(layout)}: cannot parse`);
  let at = 0;
  let seconds = false;
  for (const part of split(thread, layout)) {
    if (typeof part === 'string') {
      if (text.charAt(at) !== part) bad();
      at++;
      continue;
    }
    part.read.lastIndex = at;
    const match = part.read.exec(text)?.[0];
    if (match === undefined) return bad();
    if (match !== '') part.take(match, into);
    at += match.length;
    seconds = part === PIECES['05'] || part === PIECES['5'];
    if (seconds) thread.spend(layout.length);
    if (seconds && !FRACTION.test(layout.slice(layout.indexOf('05') + 2))) at += implicitFraction(text, at, into);
  }
  if (at !== text.length) bad();
  if (into.afternoon !== undefined) into.hour = (into.hour % 12) + (into.afternoon ? 12 : 0);
  if (into.month < 1 || into.month > 12 || into.day < 1 || into.hour > 23 || into.minute > 59 || into.second > 59) {
    fail(`parsing time ${JSON.stringify(text)}: out of range`);
  }
  return into;
}

/** Parses a fraction after the seconds even if the layout has none. */
function implicitFraction(text: string, at: number, into: ParsedFields): number {
  const match = /^[.,]\d+/.exec(text.slice(at))?.[0];
  if (match === undefined) return 0;
  into.nanosecond = Number(match.slice(1, 10).padEnd(9, '0'));
  return match.length;
}
