/** Days in the app's time zone, and relative defaults such as `today-30d`. Pure. */

const RELATIVE = /^(?:today(?:([+-]\d{1,4})([dwmy]))?|this-(month|quarter|year))$/;
const MONTHS_OF_QUARTER = 3;

/** IANA name of a time zone; `local` is the browser's. */
export const zoneOf = (timezone: string | undefined): string =>
  timezone === 'local' ? Intl.DateTimeFormat().resolvedOptions().timeZone : (timezone ?? 'UTC');

/** The present day, as `YYYY-MM-DD`. */
export function todayIn(zone: string, now = new Date()): string {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' }).formatToParts(now);
  const part = (type: string): string => parts.find((item) => item.type === type)?.value ?? '';
  return `${part('year')}-${part('month')}-${part('day')}`;
}

/** The day of a relative default, or `undefined` if the text is not relative. */
export function resolveRelative(text: string, today: string): string | undefined {
  const match = RELATIVE.exec(text);
  if (match === null) return undefined;
  const [, amount, unit, period] = match;
  const [year = 0, month = 1, day = 1] = today.split('-').map(Number);
  if (period === 'year') return dayText(year, 0, 1);
  if (period === 'quarter') return dayText(year, month - 1 - ((month - 1) % MONTHS_OF_QUARTER), 1);
  if (period === 'month') return dayText(year, month - 1, 1);
  const count = Number(amount ?? 0);
  if (unit === 'd') return dayText(year, month - 1, day + count);
  if (unit === 'w') return dayText(year, month - 1, day + 7 * count);
  const months = unit === 'y' ? 12 * count : unit === 'm' ? count : 0;
  // The 31st of a shorter month is its last day.
  const last = new Date(Date.UTC(year, month - 1 + months + 1, 0)).getUTCDate();
  return dayText(year, month - 1 + months, Math.min(day, last));
}

const dayText = (year: number, month: number, day: number): string => new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);

/** The instant at which a day begins in a time zone, as RFC 3339. */
export const startOfDay = (day: string, zone: string): string => instantOf(`${day}T00:00:00`, zone);

/** The instant at which the clocks of a zone show a time, as RFC 3339. */
export function instantOf(wall: string, zone: string): string {
  const utc = Date.parse(`${wall}Z`);
  const first = utc - offsetAt(utc, zone);
  const instant = utc - offsetAt(first, zone);
  return new Date(instant).toISOString().replace('.000Z', 'Z');
}

/** The time that the clocks of a zone show at an instant. Without a zone, the text is that time. */
export function wallTime(text: string, zone: string): string {
  const local = text.replace(' ', 'T');
  if (!/(?:Z|[+-]\d{2}:?\d{2})$/i.test(local)) return local;
  const instant = Date.parse(local);
  return new Date(instant + offsetAt(instant - (instant % 1000), zone)).toISOString().replace(/(?:\.000)?Z$/, '');
}

/** Milliseconds by which the clocks of a zone are ahead of UTC. */
function offsetAt(instant: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(new Date(instant));
  const part = (type: string): number => Number(parts.find((item) => item.type === type)?.value ?? 0);
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second')) - instant;
}
