/** Builtins that create times, durations and time zones. */

import type { Budget } from '../../budget.ts';
import { parseDuration } from '../values/duration.ts';
import { type ExprBuiltin, TIME_STEPS } from '../values/run.ts';
import { isZoneLoaded, loadZone, UTC } from '../values/time.ts';
import { type ExprValue, ExprZone, Fault, Time, wantString } from '../values/value.ts';
import { parseTime } from './time-parse.ts';

/** Default layouts, in the order in which they are tried. */
const LAYOUTS = [
  '2006-01-02',
  '15:04:05',
  '2006-01-02 15:04:05',
  '2006-01-02T15:04:05Z07:00',
  '02 Jan 06 15:04 MST',
  'Monday, 02-Jan-06 15:04:05 MST',
  'Mon, 02 Jan 2006 15:04:05 MST',
];

const ZONE_STEPS = 5000;

/** Current time in a zone, by default UTC. */
export function timeOfClock(millis: number, zone: ExprValue | undefined): ExprValue {
  const seconds = Math.floor(millis / 1000);
  return new Time(seconds, (millis - seconds * 1000) * 1_000_000, zone instanceof ExprZone ? zone : UTC);
}

function date(args: readonly ExprValue[], budget: Budget): ExprValue {
  const [first] = args;
  const zone = first instanceof ExprZone ? first : UTC;
  const [text = null, layout, zoneName] = first instanceof ExprZone ? args.slice(1) : args;
  const written = wantString(text);
  // Each layout is tried, and at most a thousand characters are read.
  budget.spend(TIME_STEPS * (layout === undefined ? LAYOUTS.length : 5));
  if (layout === undefined) return guess(written, zone);
  return parseTime(wantString(layout), written, zoneName === undefined ? zone : zoneNamed(wantString(zoneName), budget));
}

/** Charges for the data of a zone, which the engine loads when it is first used. */
function zoneNamed(name: string, budget: Budget): ExprZone {
  budget.spend(isZoneLoaded(name) ? 1 : ZONE_STEPS);
  return loadZone(name);
}

function guess(text: string, zone: ExprZone): Time {
  for (const layout of LAYOUTS) {
    try {
      return parseTime(layout, text, zone);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
    }
  }
  throw new Fault(`${JSON.stringify(text.slice(0, 60))} is not a date`);
}

export const TIME_BUILTINS: Readonly<Record<string, ExprBuiltin>> = {
  date,
  duration: ([text = null], budget) => {
    budget.spend(TIME_STEPS);
    return parseDuration(wantString(text));
  },
  timezone: ([name = null], budget) => zoneNamed(wantString(name), budget),
};
