/** Time zones by name, from the data of the JavaScript engine: offsets and abbreviations. */
import { BoundedMap } from '../../../../util/bounded-map.ts';
import { fail } from '../../values/failure.ts';
import type { Thread } from '../../values/thread.ts';

export interface LarkZone {
  readonly name: string;
  /** Steps charged for finding its offset or abbreviation at a time. */
  readonly steps: number;
  /** Offset in seconds east of UTC, at a time in seconds since 1970. */
  offset(seconds: number): number;
  abbreviation(seconds: number): string;
}

export const UTC: LarkZone = { name: 'UTC', steps: 0, offset: () => 0, abbreviation: () => 'UTC' };

export function fixedZone(offset: number, abbreviation = ''): LarkZone {
  return { name: abbreviation, steps: 0, offset: () => offset, abbreviation: () => abbreviation };
}

/** By name; `none` for a name that does not exist. */
const zones = new BoundedMap<string, LarkZone | 'none'>(1000);

/** Steps charged for asking the engine for an offset, and for its data of a zone. */
const LOOKUP_STEPS = 500;
const MAKE_STEPS = 20_000;

function makeZone(name: string): LarkZone | undefined {
  let wall: Intl.DateTimeFormat;
  let short: Intl.DateTimeFormat;
  try {
    const options = { timeZone: name, hourCycle: 'h23', era: 'short' } as const;
    const fields = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' } as const;
    wall = new Intl.DateTimeFormat('en-US', { ...options, ...fields });
    short = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'short' });
  } catch {
    return undefined;
  }
  return {
    name,
    steps: LOOKUP_STEPS,
    offset(seconds) {
      const parts = new Map(wall.formatToParts(seconds * 1000).map((part) => [part.type, part.value]));
      const part = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
      const year = parts.get('era') === 'BC' ? 1 - part('year') : part('year');
      const local = new Date(0);
      local.setUTCFullYear(year, part('month') - 1, part('day'));
      local.setUTCHours(part('hour'), part('minute'), part('second'));
      return Math.round(local.getTime() / 1000 - seconds);
    },
    abbreviation(seconds) {
      return short.formatToParts(seconds * 1000).find((part) => part.type === 'timeZoneName')?.value ?? name;
    },
  };
}

/** `undefined` if the name does not exist. Offsets such as `+01:00` are not names. */
export function findZone(thread: Thread, name: string): LarkZone | undefined {
  if (name === '' || name === 'UTC') return UTC;
  if (name === 'Local') return UTC;
  if (!/^[A-Za-z]/.test(name) || name.length > 64) return undefined;
  const known = zones.get(name);
  if (known !== undefined) return known === 'none' ? undefined : known;
  thread.spend(MAKE_STEPS);
  const zone = makeZone(name);
  zones.set(name, zone ?? 'none');
  return zone;
}

export function zoneNamed(thread: Thread, name: string): LarkZone {
  return findZone(thread, name) ?? fail(`unknown time zone ${name}`);
}
