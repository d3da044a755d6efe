/**
 * Converts ISO 8601 to the notation of MySQL and MariaDB: a space instead of `T`, and timestamps
 * with an offset in UTC, the zone of every session. Other text is unchanged; the engine validates
 * it.
 */
const TIMESTAMP = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?\s*(Z|z|[+-]\d\d(?::?\d\d)?)?$/;
/** The usual notation, which takes less time to parse. */
const USUAL = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?[Zz]?$/;
const LOWER = 0x20;
const LOWER_Z = 0x7a;
const CLOCK = /^(-?\d+:\d\d(?::\d\d(?:\.\d+)?)?)(?:Z|z|[+-]00(?::?00)?)$/;

export function temporalText(text: string): string {
  if (USUAL.test(text))
    return `${text.slice(0, 10)} ${text.slice(11, (text.charCodeAt(text.length - 1) | LOWER) === LOWER_Z ? -1 : undefined)}`;
  const moment = TIMESTAMP.exec(text);
  if (moment === null) return CLOCK.exec(text)?.[1] ?? text;
  const [, year, month, day, hour, minute, second = '00', fraction = '', zone] = moment;
  if (zone === undefined || zone === 'Z' || zone === 'z') return `${year}-${month}-${day} ${hour}:${minute}:${second}${fraction}`;
  const utc = new Date(0);
  utc.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  utc.setUTCHours(Number(hour), Number(minute) - offsetMinutes(zone), Number(second));
  return `${utc.toISOString().slice(0, 19).replace('T', ' ')}${fraction}`;
}

const LETTER_Z = 0x5a;
const SPACE = 0x20;
/** Length of `YYYY-MM-DD`. */
const DATE_SIZE = 10;

/** Returns the end of a timestamp (`YYYY-MM-DDThh:mm:ss[.f]`) in a body, without its `Z`. */
export function withoutZone(source: Buffer, to: number): number {
  return source[to - 1] === LETTER_Z ? to - 1 : to;
}

/** Replaces the `T` of a timestamp that was copied to `from` by a space. */
export function spaceForT(out: Buffer, from: number): void {
  out[from + DATE_SIZE] = SPACE;
}

function offsetMinutes(zone: string): number {
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
  return zone.startsWith('-') ? -minutes : minutes;
}
