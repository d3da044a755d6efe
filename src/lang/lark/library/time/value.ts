/** `time.time`: nanoseconds since 1970, with a zone. */

import { Extension, type Side } from '../../values/extension.ts';
import { type BuiltinBody, LarkBuiltin } from '../../values/function.ts';
import { normalInt } from '../../values/int.ts';
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

const FIELDS: Readonly<Record<string, (time: LarkTime) => LarkValue>> = {
  year: (time) => time.fields.year,
  month: (time) => time.fields.month,
  day: (time) => time.fields.day,
  hour: (time) => time.fields.hour,
  minute: (time) => time.fields.minute,
  second: (time) => time.fields.second,
  nanosecond: (time) => time.fields.nanosecond,
  unix: (time) => normalInt(floorDivide(time.nanos, SECOND)),
  unix_nano: (time) => normalInt(time.nanos),
};

const METHODS: Readonly<Record<string, BuiltinBody>> = {
  format: (_thread, args, named, self) => {
    const [layout = null] = positional('format', args, named, 1, 1);
    const text = wantString('format', 1, layout);
    return self instanceof LarkTime ? formatLayout(text, self.fields) : null;
  },
  in_location: (_thread, args, named, self) => {
    const [name = null] = positional('in_location', args, named, 1, 1);
    const zone = zoneNamed(wantString('in_location', 1, name));
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

  get fields(): TimeFields {
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

  override text(): string {
    return formatLayout('2006-01-02 15:04:05.999999999 -0700 MST', this.fields);
  }

  override attribute(name: string): LarkValue | undefined {
    if (Object.hasOwn(FIELDS, name)) return FIELDS[name]?.(this);
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
  fields: Pick<TimeFields, 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'nanosecond'>,
  zone: LarkZone,
): LarkTime {
  const date = new Date(0);
  date.setUTCFullYear(fields.year, fields.month - 1, fields.day);
  date.setUTCHours(fields.hour, fields.minute, fields.second);
  const wall = date.getTime() / 1000;
  if (!Number.isFinite(wall)) return new LarkTime(ZERO, zone);
  const guess = zone.offset(wall);
  const offset = zone.offset(wall - guess);
  return new LarkTime(BigInt(wall - offset) * SECOND + BigInt(fields.nanosecond), zone);
}
