/**
 * Methods of times, durations, time zones, months and weekdays: their signatures and
 * implementations, as a table.
 */

import type { Budget } from '../../budget.ts';
import {
  BOOL,
  BYTES,
  DURATION,
  FLOAT,
  functionNature,
  INT,
  INT64,
  MONTH,
  type Nature,
  STRING,
  TIME,
  WEEKDAY,
  ZONE,
} from '../types/nature.ts';
import { durationText } from './duration.ts';
import { formatTime, MONTHS, RFC3339_NANO, timeText, WEEKDAYS } from './layout.ts';
import { TIME_STEPS } from './run.ts';
import { utf8Bytes } from './text.ts';
import { addDuration, type Civil, civilOf, compareTimes, daysOf, fromNanos, nanosSinceEpoch, subtractTimes, timeOf, UTC } from './time.ts';
import {
  clampInt64,
  Duration,
  type ExprValue,
  ExprZone,
  Fault,
  intOf,
  MAX_INT64,
  MIN_INT64,
  makeFloat,
  makeInt,
  NamedInt,
  Time,
  typeName,
  wantString,
} from './value.ts';

interface MethodEntry {
  readonly params: readonly Nature[];
  /** `undefined` if the method returns several values and cannot be called. */
  readonly result: Nature | undefined;
  readonly run: (receiver: never, args: readonly ExprValue[]) => ExprValue;
}

type Methods = Readonly<Record<string, MethodEntry>>;

function method<R>(params: readonly Nature[], result: Nature, run: (receiver: R, args: readonly ExprValue[]) => ExprValue): MethodEntry {
  return { params, result, run: run as MethodEntry['run'] };
}

function civil(result: Nature, pick: (c: Civil) => ExprValue): MethodEntry {
  return method<Time>([], result, (time) => pick(civilOf(time)));
}

const several: MethodEntry = { params: [], result: undefined, run: () => null };

function wantTime(value: ExprValue | undefined): Time {
  if (value instanceof Time) return value;
  throw new Fault(`expected a time, not ${typeName(value ?? null)}`);
}

function wantDuration(value: ExprValue | undefined): Duration {
  if (value instanceof Duration) return value;
  throw new Fault(`expected a duration, not ${typeName(value ?? null)}`);
}

function wantZone(value: ExprValue | undefined): ExprZone {
  if (value instanceof ExprZone) return value;
  throw new Fault(`expected a timezone, not ${typeName(value ?? null)}`);
}

function wantExactInt(value: ExprValue | undefined): number {
  const int = intOf(value ?? null);
  if (int === undefined || Math.abs(Number(int)) > 1_000_000) throw new Fault(`expected a small int, not ${typeName(value ?? null)}`);
  return Number(int);
}

/** Rounding counts from the year 1. */
const YEAR_ONE = BigInt(daysOf(1, 1, 1)) * 86_400_000_000_000n;

function isoWeek(c: Civil): number {
  const thursday = c.yearDay + 3 - ((c.weekday + 6) % 7);
  const days = daysOf(c.year + 1, 1, 1) - daysOf(c.year, 1, 1);
  return thursday < 1 ? c.year - 1 : thursday > days ? c.year + 1 : c.year;
}

function roundTo(value: bigint, step: bigint, mode: 'down' | 'nearest'): bigint {
  if (step <= 0n) return value;
  const rest = ((value % step) + step) % step;
  return mode === 'nearest' && rest + rest >= step ? value - rest + step : value - rest;
}

function roundTime(mode: 'down' | 'nearest'): MethodEntry['run'] {
  return ((time: Time, args: readonly ExprValue[]) => {
    const step = wantDuration(args[0]).nanos;
    return fromNanos(roundTo(nanosSinceEpoch(time) - YEAR_ONE, step, mode) + YEAR_ONE, time.zone);
  }) as MethodEntry['run'];
}

function roundDuration(mode: 'down' | 'nearest'): MethodEntry['run'] {
  return ((duration: Duration, args: readonly ExprValue[]) => {
    const size = duration.nanos < 0n ? -duration.nanos : duration.nanos;
    const rounded = roundTo(size, wantDuration(args[0]).nanos, mode);
    const signed = duration.nanos < 0n ? -rounded : rounded;
    return new Duration(clampInt64(signed));
  }) as MethodEntry['run'];
}

function addDate(time: Time, args: readonly ExprValue[]): Time {
  const c = civilOf(time);
  const [years, months, days] = [wantExactInt(args[0]), wantExactInt(args[1]), wantExactInt(args[2])];
  return timeOf({ ...c, year: c.year + years, month: c.month + months, day: c.day + days }, time.nanos, time.zone);
}

function jsonTime(time: Time): string {
  const { year } = civilOf(time);
  if (year < 0 || year > 9999) throw new Fault('a year outside of 0 to 9999 cannot be written');
  return formatTime(time, RFC3339_NANO);
}

const unix = (divisor: bigint): MethodEntry => method<Time>([], INT64, (time) => makeInt(floorDivide(nanosSinceEpoch(time), divisor)));

function floorDivide(a: bigint, b: bigint): bigint {
  return (a - (((a % b) + b) % b)) / b;
}

const compares = (test: (order: number) => boolean): MethodEntry =>
  method<Time>([TIME], BOOL, (time, args) => test(compareTimes(time, wantTime(args[0]))));

const TIME_METHODS: Methods = {
  Year: civil(INT, (c) => c.year),
  Month: civil(MONTH, (c) => new NamedInt('time.Month', c.month, MONTHS[c.month - 1] ?? '')),
  Day: civil(INT, (c) => c.day),
  Hour: civil(INT, (c) => c.hour),
  Minute: civil(INT, (c) => c.minute),
  Second: civil(INT, (c) => c.second),
  Nanosecond: method<Time>([], INT, (time) => time.nanos),
  Weekday: civil(WEEKDAY, (c) => new NamedInt('time.Weekday', c.weekday, WEEKDAYS[c.weekday] ?? '')),
  YearDay: civil(INT, (c) => c.yearDay),
  ISOWeek: civil(INT, isoWeek),
  Date: several,
  Clock: several,
  Unix: method<Time>([], INT64, (time) => time.seconds),
  UnixMilli: unix(1_000_000n),
  UnixMicro: unix(1000n),
  UnixNano: method<Time>([], INT64, (time) => makeInt(BigInt.asIntN(64, nanosSinceEpoch(time)))),
  Add: method<Time>([DURATION], TIME, (time, args) => addDuration(time, wantDuration(args[0]).nanos)),
  AddDate: method<Time>([INT, INT, INT], TIME, addDate),
  Sub: method<Time>([TIME], DURATION, (time, args) => new Duration(subtractTimes(time, wantTime(args[0])))),
  After: compares((order) => order > 0),
  Before: compares((order) => order < 0),
  Equal: compares((order) => order === 0),
  Compare: method<Time>([TIME], INT, (time, args) => Math.sign(compareTimes(time, wantTime(args[0])))),
  IsZero: method<Time>([], BOOL, (time) => nanosSinceEpoch(time) === YEAR_ONE),
  IsDST: method<Time>([], BOOL, isDaylightSaving),
  Truncate: { params: [DURATION], result: TIME, run: roundTime('down') },
  Round: { params: [DURATION], result: TIME, run: roundTime('nearest') },
  Format: method<Time>([STRING], STRING, (time, args) => formatTime(time, wantString(args[0] ?? null))),
  String: method<Time>([], STRING, timeText),
  In: method<Time>([ZONE], TIME, (time, args) => new Time(time.seconds, time.nanos, wantZone(args[0]))),
  UTC: method<Time>([], TIME, (time) => new Time(time.seconds, time.nanos, UTC)),
  Local: method<Time>([], TIME, (time) => new Time(time.seconds, time.nanos, UTC)),
  Location: method<Time>([], ZONE, (time) => time.zone),
  Zone: civil(STRING, (c) => c.abbreviation),
  MarshalJSON: method<Time>([], BYTES, (time) => utf8Bytes(`"${jsonTime(time)}"`)),
  MarshalText: method<Time>([], BYTES, (time) => utf8Bytes(jsonTime(time))),
};

function isDaylightSaving(time: Time): boolean {
  const { year, offset } = civilOf(time);
  const winter = [1, 7].map((month) => time.zone.offsetAt(daysOf(year, month, 1) * 86_400).offset);
  return offset > Math.min(...winter);
}

const inUnits = (nanos: number): MethodEntry => method<Duration>([], FLOAT, (d) => makeFloat(units(d.nanos, BigInt(nanos))));

/**
 * Converts whole units and the remainder separately, so that long durations keep their precision.
 */
function units(nanos: bigint, unit: bigint): number {
  return Number(nanos / unit) + Number(nanos % unit) / Number(unit);
}

const wholeUnits = (nanos: bigint): MethodEntry => method<Duration>([], INT64, (d) => makeInt(d.nanos / nanos));

const DURATION_METHODS: Methods = {
  Hours: inUnits(3_600_000_000_000),
  Minutes: inUnits(60_000_000_000),
  Seconds: inUnits(1_000_000_000),
  Milliseconds: wholeUnits(1_000_000n),
  Microseconds: wholeUnits(1000n),
  Nanoseconds: wholeUnits(1n),
  Round: { params: [DURATION], result: DURATION, run: roundDuration('nearest') },
  Truncate: { params: [DURATION], result: DURATION, run: roundDuration('down') },
  Abs: method<Duration>([], DURATION, (d) => new Duration(d.nanos === MIN_INT64 ? MAX_INT64 : d.nanos < 0n ? -d.nanos : d.nanos)),
  String: method<Duration>([], STRING, (d) => durationText(d.nanos)),
};

const ZONE_METHODS: Methods = { String: method<ExprZone>([], STRING, (zone) => zone.name) };
const NAMED_METHODS: Methods = { String: method<NamedInt>([], STRING, (named) => named.text) };

const BY_NATURE: Readonly<Record<string, Methods>> = {
  [TIME.type]: TIME_METHODS,
  [DURATION.type]: DURATION_METHODS,
  [ZONE.type]: ZONE_METHODS,
  [MONTH.type]: NAMED_METHODS,
  [WEEKDAY.type]: NAMED_METHODS,
};

function findMethod(methods: Methods | undefined, name: string): MethodEntry | undefined {
  return methods !== undefined && Object.hasOwn(methods, name) ? methods[name] : undefined;
}

/** Nature of a method, for the checker. */
export function methodNature(of: Nature, name: string): Nature | undefined {
  const entry = findMethod(BY_NATURE[of.type], name);
  if (entry === undefined) return undefined;
  return functionNature(`${of.type}.${name}`, { name, params: entry.params, result: entry.result });
}

function methodsOf(value: ExprValue): Methods | undefined {
  if (value instanceof Time) return TIME_METHODS;
  if (value instanceof Duration) return DURATION_METHODS;
  if (value instanceof ExprZone) return ZONE_METHODS;
  return value instanceof NamedInt ? NAMED_METHODS : undefined;
}

export function hasMethod(value: ExprValue, name: ExprValue): boolean {
  return typeof name === 'string' && findMethod(methodsOf(value), name) !== undefined;
}

export function callMethod(receiver: ExprValue, name: string, args: readonly ExprValue[], budget: Budget): ExprValue {
  const entry = findMethod(methodsOf(receiver), name);
  if (entry === undefined || entry.result === undefined) throw new Fault(`${name} cannot be called`);
  if (args.length !== entry.params.length) throw new Fault(`${name} takes ${entry.params.length} arguments, not ${args.length}`);
  budget.spend(TIME_STEPS);
  for (const arg of args) if (typeof arg === 'string') chargeLayout(budget, arg);
  return entry.run(receiver as never, args);
}

/** Charges for cutting a layout into its elements. */
function chargeLayout(budget: Budget, layout: string): void {
  budget.charge(layout.length * 32);
  budget.spend(layout.length * 4);
}

/** Int value of a duration, month or weekday; `undefined` for any other value. */
export function underlyingInt(value: ExprValue): number | bigint | undefined {
  if (value instanceof Duration) return makeInt(value.nanos);
  return value instanceof NamedInt ? value.value : undefined;
}
