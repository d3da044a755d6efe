/** `time.time`: nanoseconds since 1970, with a zone. */

import { Extension, type Side } from '../../values/extension.ts';
import { type BuiltinBody, LarkBuiltin } from '../../values/function.ts';
import { normalInt } from '../../values/int.ts';
import type { Thread } from '../../values/thread.ts';
import type { LarkValue } from '../../values/value.ts';
import { positional, wantString } from '../args.ts';
import { LarkDuration } from './duration.ts';
import { formatLayout, type TimeFields } from './layout.ts';
import { type LarkZone, UTC, zoneNamed } from './zone.ts';

const SECOND = 1_000_000_000n;
/** Start of the year 1: the zero time. */
const ZERO = -62_135_596_800n * SECOND;

function floorDivide(a: bigint, b: bigint): bigint {
  return a % b < 0n ? a / b - 1n : a / b;
}

/** Steps charged for the fields of a time. */
const FIELD_STEPS = 50;

const FIELDS: Readonly<Record<string, (time: LarkTime, thread: Thread) => LarkValue>> = {
  year: (time, thread) => time.fieldsOf(thread).year,
  month: (time, thread) => time.fieldsOf(thread).month,
  day: (time, thread) => time.fieldsOf(thread).day,
  hour: (time, thread) => time.fieldsOf(thread).hour,
  minute: (time, thread) => time.fieldsOf(thread).minute,
  second: (time, thread) => time.fieldsOf(thread).second,
  nanosecond: (time, thread) => time.fieldsOf(thread).nanosecond,
  unix: (time) => normalInt(floorDivide(time.nanos, SECOND)),
  unix_nano: (time) => normalInt(time.nanos),
};

const METHODS: Readonly<Record<string, BuiltinBody>> = {
  format: (thread, args, named, self) => {
    const [layout = null] = positional('format', args, named, 1, 1);
    const text = wantString('format', 1, layout);
    return self instanceof LarkTime ? formatLayout(thread, text, self.fieldsOf(thread)) : null;
  },
  in_location: (thread, args, named, self) => {
    const [name = null] = positional('in_location', args, named, 1, 1);
    const zone = zoneNamed(thread, wantString('in_location', 1, name));
    return self instanceof LarkTime ? new LarkTime(self.nanos, zone) : null;
  },
};

export class LarkTime extends Extension {
  readonly nanos: bigint;
  readonly zone: LarkZone;

  constructor(nanos: bigint, zone: LarkZone = UTC) {
    super();
    this.nanos = nanos;
    this.zone = zone;
  }

  get type(): string {
    return 'time.time';
  }

  fieldsOf(thread: Thread): TimeFields {
    thread.spend(FIELD_STEPS + 2 * this.zone.steps);
    const seconds = Number(floorDivide(this.nanos, SECOND));
    const offset = this.zone.offset(seconds);
    const date = new Date((seconds + offset) * 1000);
    const newYear = Date.UTC(date.getUTCFullYear(), 0, 1);
    return {
      year: date.getUTCFullYear(),
      month: date.getUTCMonth() + 1,
      day: date.getUTCDate(),
      hour: date.getUTCHours(),
      minute: date.getUTCMinutes(),
      second: date.getUTCSeconds(),
      nanosecond: Number(this.nanos - floorDivide(this.nanos, SECOND) * SECOND),
      weekday: date.getUTCDay(),
      yearDay: Math.floor((date.getTime() - newYear) / 86_400_000) + 1,
      offset,
      zone: this.zone.abbreviation(seconds),
    };
  }

  override truth(): boolean {
    return this.nanos !== ZERO;
  }

  override text(_write: unknown, thread: Thread): string {
    return formatLayout(thread, '2006-01-02 15:04:05.999999999 -0700 MST', this.fieldsOf(thread));
  }

  override attribute(name: string, thread: Thread): LarkValue | undefined {
    if (Object.hasOwn(FIELDS, name)) return FIELDS[name]?.(this, thread);
    const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
    return method === undefined ? undefined : new LarkBuiltin(name, method, this);
  }

  override attributeNames(): readonly string[] {
    return [...Object.keys(FIELDS), ...Object.keys(METHODS)];
  }

  override hashKey(): string {
    return `time ${this.nanos}`;
  }

  override equals(other: Extension): boolean {
    return other instanceof LarkTime && other.nanos === this.nanos;
  }

  override order(other: Extension): number | undefined {
    if (!(other instanceof LarkTime)) return undefined;
    return this.nanos < other.nanos ? -1 : this.nanos > other.nanos ? 1 : 0;
  }

  override binary(op: string, other: LarkValue, side: Side): LarkValue | undefined {
    if (other instanceof LarkDuration) {
      if (op === '+') return new LarkTime(this.nanos + other.nanos, this.zone);
      return op === '-' && side === 'left' ? new LarkTime(this.nanos - other.nanos, this.zone) : undefined;
    }
    return op === '-' && other instanceof LarkTime && side === 'left' ? new LarkDuration(this.nanos - other.nanos) : undefined;
  }
}

/** Time at which a clock in the zone shows the fields. Fields that are out of range carry over. */
export function timeAt(
  thread: Thread,
  fields: Pick<TimeFields, 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'nanosecond'>,
  zone: LarkZone,
): LarkTime {
  const date = new Date(0);
  date.setUTCFullYear(fields.year, fields.month - 1, fields.day);
  date.setUTCHours(fields.hour, fields.minute, fields.second);
  const wall = date.getTime() / 1000;
  if (!Number.isFinite(wall)) return new LarkTime(ZERO, zone);
  thread.spend(2 * zone.steps);
  const guess = zone.offset(wall);
  const offset = zone.offset(wall - guess);
  return new LarkTime(BigInt(wall - offset) * SECOND + BigInt(fields.nanosecond), zone);
}
