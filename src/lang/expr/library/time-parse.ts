/** Parses a time by a layout. */
import { cutLayout, MONTHS, WEEKDAYS } from '../values/layout.ts';
import { daysIn, fixedZone, timeOf, UTC } from '../values/time.ts';
import { type ExprZone, Fault, Time } from '../values/value.ts';

/** State of the parser: the position and the fields so far. */
class Reading {
  rest: string;
  year = 0;
  month = 0;
  day = -1;
  yearDay = -1;
  hour = 0;
  minute = 0;
  second = 0;
  nanos = 0;
  half: '' | 'am' | 'pm' = '';
  utc = false;
  offset: number | undefined;
  zoneName = '';

  constructor(text: string) {
    this.rest = text;
  }

  /** Consumes a match of the pattern at the position, or fails. */
  take(pattern: RegExp): string {
    const match = pattern.exec(this.rest);
    if (match === null || match.index !== 0) throw new Unreadable();
    this.rest = this.rest.slice(match[0].length);
    return match[0];
  }

  number(pattern: RegExp, min: number, max: number): number {
    const value = Number(this.take(pattern));
    if (value < min || value > max) throw new Unreadable();
    return value;
  }
}

class Unreadable extends Error {}

const SHORT = /^\d\d?/;
const TWO = /^\d\d/;

type Reader = (r: Reading, element: string) => void;

const READERS: Readonly<Record<string, Reader>> = {
  '2006': (r) => (r.year = r.number(/^\d{4}/, 0, 9999)),
  '06': (r) => {
    const year = r.number(TWO, 0, 99);
    r.year = year >= 69 ? 1900 + year : 2000 + year;
  },
  January: (r) => (r.month = readName(r, MONTHS) + 1),
  Jan: (r) =>
    (r.month =
      readName(
        r,
        MONTHS.map((name) => name.slice(0, 3)),
      ) + 1),
  '1': (r) => (r.month = r.number(SHORT, 1, 12)),
  '01': (r) => (r.month = r.number(TWO, 1, 12)),
  Monday: (r) => void readName(r, WEEKDAYS),
  Mon: (r) =>
    void readName(
      r,
      WEEKDAYS.map((name) => name.slice(0, 3)),
    ),
  '2': (r) => (r.day = r.number(SHORT, 0, 99)),
  _2: (r) => (r.day = Number(r.take(/^ ?\d\d?/))),
  '02': (r) => (r.day = r.number(TWO, 0, 99)),
  __2: (r) => (r.yearDay = Number(r.take(/^ {0,2}\d{1,3}/))),
  '002': (r) => (r.yearDay = r.number(/^\d{3}/, 0, 999)),
  '15': (r) => (r.hour = r.number(SHORT, 0, 23)),
  '3': (r) => (r.hour = r.number(SHORT, 0, 12)),
  '03': (r) => (r.hour = r.number(TWO, 0, 12)),
  '4': (r) => (r.minute = r.number(SHORT, 0, 59)),
  '04': (r) => (r.minute = r.number(TWO, 0, 59)),
  '5': (r) => (r.second = r.number(SHORT, 0, 59)),
  '05': (r) => (r.second = r.number(TWO, 0, 59)),
  PM: (r) => (r.half = r.take(/^(?:AM|PM)/) === 'PM' ? 'pm' : 'am'),
  pm: (r) => (r.half = r.take(/^(?:am|pm)/) === 'pm' ? 'pm' : 'am'),
  MST: readZoneName,
};

function readName(r: Reading, names: readonly string[]): number {
  const index = names.findIndex((name) => r.rest.slice(0, name.length).toLowerCase() === name.toLowerCase());
  if (index < 0) throw new Unreadable();
  r.rest = r.rest.slice(names[index]?.length ?? 0);
  return index;
}

function readZoneName(r: Reading): void {
  if (r.rest.startsWith('UTC')) {
    r.take(/^UTC/);
    r.utc = true;
    return;
  }
  r.zoneName = r.take(/^(?:ChST|MeST|GMT(?:[+-]\d{1,2})?|[+-]\d\d|WITA|[A-Z]{4}T(?![A-Z])|[A-Z]{3}T(?![A-Z])|[A-Z]{3}(?![A-Z]))/);
}

function readOffset(r: Reading, element: string): void {
  if (/^Z07(?::?00)?$/.test(element) && r.rest.startsWith('Z')) {
    r.take(/^Z/);
    r.utc = true;
    return;
  }
  const colon = element.includes(':') ? ':' : '';
  const parts = /00:?00$/.test(element) ? 3 : element.length > 3 ? 2 : 1;
  const text = r.take(new RegExp(`^[+-]${Array(parts).fill('\\d\\d').join(colon)}`));
  const [hours = 0, minutes = 0, seconds = 0] = (text.match(/\d\d/g) ?? []).map(Number);
  if (hours > 24 || minutes > 60 || seconds > 60) throw new Unreadable();
  r.offset = (text.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds);
}

function toNanos(digits: string): number {
  return Number(digits.slice(0, 9).padEnd(9, '0'));
}

function readFraction(r: Reading, element: string): void {
  const exact = element[1] === '0';
  if (!exact && !/^[.,]\d/.test(r.rest)) return;
  r.nanos = toNanos(r.take(exact ? new RegExp(`^[.,]\\d{${Math.min(element.length - 1, 1000)}}`) : /^[.,]\d+/).slice(1));
}

/** Matches literal text of the layout; a run of spaces matches any run of spaces. */
function readLiteral(r: Reading, literal: string): void {
  const text = literal.replace(/ +/g, ' ');
  for (const char of text) {
    if (char !== ' ') {
      if (!r.rest.startsWith(char)) throw new Unreadable();
      r.rest = r.rest.slice(char.length);
    } else {
      if (r.rest !== '' && !r.rest.startsWith(' ')) throw new Unreadable();
      r.rest = r.rest.replace(/^ +/, '');
    }
  }
}

const MAX_TEXT = 1000;

/** Parses a time by a layout. A time without a zone is in `zone`. */
export function parseTime(layout: string, text: string, zone: ExprZone): Time {
  if (layout.length > MAX_TEXT || text.length > MAX_TEXT) throw new Fault(`a time and its layout are at most ${MAX_TEXT} characters long`);
  const reading = new Reading(text);
  try {
    const pieces = cutLayout(layout);
    for (const [i, { literal, element }] of pieces.entries()) {
      readLiteral(reading, literal);
      readElement(reading, element);
      // A fraction after the seconds is parsed even if the layout has none.
      const fractionFollows = /^[.,][09]/.test(pieces[i + 1]?.element ?? '');
      if ((element === '5' || element === '05') && !fractionFollows) readFraction(reading, '.9');
    }
    if (reading.rest !== '') throw new Unreadable();
    return assemble(reading, zone);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    throw new Fault(`${JSON.stringify(text)} is not a time of the form ${JSON.stringify(layout)}`);
  }
}

function readElement(r: Reading, element: string): void {
  if (element === '') return;
  const read = READERS[element] ?? (/^[-Z]/.test(element) ? readOffset : readFraction);
  read(r, element);
}

function assemble(r: Reading, zone: ExprZone): Time {
  if (r.half === 'pm' && r.hour < 12) r.hour += 12;
  else if (r.half === 'am' && r.hour === 12) r.hour = 0;
  settleDate(r);
  if (r.utc) return timeOf(r, r.nanos, UTC);
  const asUtc = timeOf(r, r.nanos, UTC);
  if (r.offset !== undefined) {
    const seconds = asUtc.seconds - r.offset;
    const state = zone.offsetAt(seconds);
    const same = state.offset === r.offset && (r.zoneName === '' || r.zoneName === state.abbreviation);
    return new Time(seconds, r.nanos, same ? zone : fixedZone(r.zoneName, r.offset));
  }
  if (r.zoneName !== '') return inNamedZone(r, asUtc, zone);
  return timeOf(r, r.nanos, zone);
}

function settleDate(r: Reading): void {
  if (r.yearDay >= 0) {
    const leap = daysIn(r.year, 2) === 29;
    if (r.yearDay < 1 || r.yearDay > (leap ? 366 : 365)) throw new Unreadable();
    let month = 1;
    let day = r.yearDay;
    for (; day > daysIn(r.year, month); month++) day -= daysIn(r.year, month);
    if ((r.month !== 0 && r.month !== month) || (r.day >= 0 && r.day !== day)) throw new Unreadable();
    r.month = month;
    r.day = day;
    return;
  }
  if (r.month === 0) r.month = 1;
  if (r.day < 0) r.day = 1;
  if (r.day < 1 || r.day > daysIn(r.year, r.month)) throw new Unreadable();
}

/**
 * An abbreviation has a meaning only in the zone that uses it. Elsewhere it is a name with offset
 * zero.
 */
function inNamedZone(r: Reading, asUtc: Time, zone: ExprZone): Time {
  for (const days of [0, 91, -91, 182, -182]) {
    const state = zone.offsetAt(asUtc.seconds + days * 86_400);
    if (state.abbreviation === r.zoneName) return new Time(asUtc.seconds - state.offset, r.nanos, zone);
  }
  const hours = /^GMT([+-]\d+)$/.exec(r.zoneName)?.[1];
  const offset = hours === undefined ? 0 : Number(hours) * 3600;
  // As in the reference, such a zone affects only how the time is shown.
  return new Time(asUtc.seconds, r.nanos, fixedZone(r.zoneName, offset));
}
