/** The module `time`. The clock is the host's, and constant during a run. */

import { fail } from '../../values/failure.ts';
import { type BuiltinBody, LarkBuiltin, type NamedArgument } from '../../values/function.ts';
import type { Thread } from '../../values/thread.ts';
import { type LarkValue, ModuleValue } from '../../values/value.ts';
import { positional, unpack, wantIndex, wantString } from '../args.ts';
import { LarkDuration, parseDuration, UNITS } from './duration.ts';
import { parseLayout } from './layout.ts';
import { LarkTime, timeAt } from './value.ts';
import { findZone, fixedZone, UTC, zoneNamed } from './zone.ts';

const RFC3339 = '2006-01-02T15:04:05Z07:00';
const PARTS = ['year', 'month', 'day', 'hour', 'minute', 'second', 'nanosecond'];

function parseTime(thread: Thread, args: readonly LarkValue[], named: NamedArgument): LarkValue {
  const [x = null, format = RFC3339, location = 'UTC'] = unpack('parse_time', args, named, ['x', 'format?', 'location?']);
  const layout = wantString('parse_time', 'format', format);
  const zone = zoneNamed(thread, wantString('parse_time', 'location', location));
  const fields = parseLayout(thread, layout, wantString('parse_time', 'x', x));
  if (fields.offset === undefined) return timeAt(thread, fields, fields.zone === 'UTC' ? UTC : zone);
  const exact = timeAt(thread, fields, fixedZone(fields.offset));
  thread.spend(zone.steps);
  const ours = zone.offset(Number(exact.nanos / 1_000_000_000n)) === fields.offset;
  return new LarkTime(exact.nanos, ours ? zone : fixedZone(fields.offset));
}

function makeTime(thread: Thread, args: readonly LarkValue[], named: NamedArgument): LarkValue {
  if (args.length > 0) fail('time: unexpected positional arguments');
  const values = unpack('time', [], named, [...PARTS.map((part) => `${part}?`), 'location?']);
  const number = (i: number, fallback: number): number => {
    const value = values[i];
    return value === undefined ? fallback : wantIndex('time', PARTS[i] ?? '', value);
  };
  const location = values[PARTS.length] ?? 'UTC';
  return timeAt(
    thread,
    {
      year: number(0, 0),
      month: number(1, 1),
      day: number(2, 1),
      hour: number(3, 0),
      minute: number(4, 0),
      second: number(5, 0),
      nanosecond: number(6, 0),
    },
    zoneNamed(thread, wantString('time', 'location', location)),
  );
}

const FUNCTIONS: Readonly<Record<string, BuiltinBody>> = {
  from_timestamp: (_thread, args, named) => {
    const [seconds = 0, nanos = 0] = unpack('from_timestamp', args, named, ['sec', 'nsec?']);
    const whole = BigInt(wantIndex('from_timestamp', 'sec', seconds));
    return new LarkTime(whole * 1_000_000_000n + BigInt(wantIndex('from_timestamp', 'nsec', nanos)));
  },
  is_valid_timezone: (thread, args, named) => {
    const [name = null] = unpack('is_valid_timezone', args, named, ['loc']);
    return findZone(thread, wantString('is_valid_timezone', 'loc', name)) !== undefined;
  },
  now: (thread, args, named) => {
    positional('now', args, named, 0, 0);
    return new LarkTime(BigInt(Math.round(thread.host.now() * 1000)) * 1000n);
  },
  parse_duration: (thread, args, named) => {
    const [text = null] = unpack('parse_duration', args, named, ['d']);
    return text instanceof LarkDuration ? text : parseDuration(thread, wantString('parse_duration', 'd', text));
  },
  parse_time: parseTime,
  time: makeTime,
};

const CONSTANTS: Readonly<Record<string, bigint>> = {
  nanosecond: UNITS['ns'] ?? 1n,
  microsecond: UNITS['us'] ?? 1n,
  millisecond: UNITS['ms'] ?? 1n,
  second: UNITS['s'] ?? 1n,
  minute: UNITS['m'] ?? 1n,
  hour: UNITS['h'] ?? 1n,
};

export const TIME = new ModuleValue(
  'time',
  new Map<string, LarkValue>([
    ...Object.entries(FUNCTIONS).map(([name, body]) => [name, new LarkBuiltin(name, body)] as const),
    ...Object.entries(CONSTANTS).map(([name, nanos]) => [name, new LarkDuration(nanos)] as const),
  ]),
);
