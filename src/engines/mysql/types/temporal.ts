/**
 * Converts ISO 8601 dates and times to what MySQL and MariaDB read: a space for the `T`, and timestamps with an offset in UTC, the zone of every
 * session. Any other text passes unchanged; the engine has the last word on it.
 */
const MOMENT = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?\s*(Z|z|[+-]\d\d(?::?\d\d)?)?$/;
/** What programs write; the others take longer to take apart. */
const USUAL = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?[Zz]?$/;
const LOWER = 0x20;
const LOWER_Z = 0x7a;
const CLOCK = /^(-?\d+:\d\d(?::\d\d(?:\.\d+)?)?)(?:Z|z|[+-]00(?::?00)?)$/;

export function temporalText(text: string): string {
  if (USUAL.test(text))
    return `${text.slice(0, 10)} ${text.slice(11, (text.charCodeAt(text.length - 1) | LOWER) === LOWER_Z ? -1 : undefined)}`;
  const moment = MOMENT.exec(text);
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
/** Characters of `YYYY-MM-DD`. */
const DATE_SIZE = 10;

/** A moment that is bound as it stands in a body is `YYYY-MM-DDThh:mm:ss[.f]`, with `Z` or without: where it ends for the servers. */
export function withoutZone(source: Buffer, to: number): number {
  return source[to - 1] === LETTER_Z ? to - 1 : to;
}

/** The same once it has been copied to where it begins in `out`. */
export function spaceForT(out: Buffer, from: number): void {
  out[from + DATE_SIZE] = SPACE;
}

function offsetMinutes(zone: string): number {
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
  return zone.startsWith('-') ? -minutes : minutes;
}
