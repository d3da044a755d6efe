/** `time.duration`: a span in nanoseconds, and its text such as `1h30m0s`. */

import { Extension, type Side } from '../../values/extension.ts';
import { fail } from '../../values/failure.ts';
import { type Int, normalInt } from '../../values/int.ts';
import type { Thread } from '../../values/thread.ts';
import { LarkFloat, type LarkValue } from '../../values/value.ts';

export const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const SECOND = 1_000_000_000n;
const LIMIT = 1n << 63n;

const FIELDS: Readonly<Record<string, (nanos: bigint) => LarkValue>> = {
  hours: (nanos) => new LarkFloat(Number(nanos) / 3.6e12),
  minutes: (nanos) => new LarkFloat(Number(nanos) / 6e10),
  seconds: (nanos) => new LarkFloat(Number(nanos) / 1e9),
  milliseconds: (nanos) => normalInt(nanos / 1_000_000n),
  microseconds: (nanos) => normalInt(nanos / 1000n),
  nanoseconds: (nanos) => normalInt(nanos),
};

type Operation = (nanos: bigint, other: LarkValue, side: Side) => LarkValue | undefined;

function isInt(value: LarkValue): value is Int {
  return typeof value === 'number' || typeof value === 'bigint';
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  '+': (nanos, other) => (other instanceof LarkDuration ? new LarkDuration(nanos + other.nanos) : undefined),
  '-': (nanos, other, side) => {
    if (!(other instanceof LarkDuration)) return undefined;
    return new LarkDuration(side === 'left' ? nanos - other.nanos : other.nanos - nanos);
  },
  '*': (nanos, other) => (isInt(other) ? new LarkDuration(nanos * BigInt(other)) : undefined),
  '/': (nanos, other, side) => {
    if (other instanceof LarkDuration) {
      if (side === 'right') return undefined;
      return other.nanos === 0n ? divisionByZero() : new LarkFloat(Number(nanos) / Number(other.nanos));
    }
    if (!isInt(other) && !(other instanceof LarkFloat)) return undefined;
    if (side === 'right') return fail('unsupported operation');
    if (isInt(other)) return BigInt(other) === 0n ? divisionByZero() : new LarkDuration(nanos / BigInt(other));
    return other.value === 0 ? divisionByZero() : new LarkDuration(BigInt(Math.trunc(Number(nanos) / other.value)));
  },
  '//': (nanos, other, side) => {
    if (side === 'right') return undefined;
    if (other instanceof LarkDuration) return other.nanos === 0n ? divisionByZero() : normalInt(floorDivide(nanos, other.nanos));
    return undefined;
  },
};

function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

function divisionByZero(): never {
  return fail('time.duration division by zero');
}

export class LarkDuration extends Extension {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    super();
    if (nanos >= LIMIT || nanos < -LIMIT) fail('time.duration out of range');
    this.nanos = nanos;
  }

  get type(): string {
    return 'time.duration';
  }

  override truth(): boolean {
    return this.nanos !== 0n;
  }

  override text(): string {
    return durationText(this.nanos);
  }

  override attribute(name: string): LarkValue | undefined {
    return Object.hasOwn(FIELDS, name) ? FIELDS[name]?.(this.nanos) : undefined;
  }

  override attributeNames(): readonly string[] {
    return Object.keys(FIELDS);
  }

  override hashKey(): string {
    return `duration ${this.nanos}`;
  }

  override equals(other: Extension): boolean {
    return other instanceof LarkDuration && other.nanos === this.nanos;
  }

  override order(other: Extension): number | undefined {
    if (!(other instanceof LarkDuration)) return undefined;
    return this.nanos < other.nanos ? -1 : this.nanos > other.nanos ? 1 : 0;
  }

  override binary(op: string, other: LarkValue, side: Side): LarkValue | undefined {
    return OPERATIONS[op]?.(this.nanos, other, side);
  }
}

function fraction(whole: bigint, rest: bigint, digits: number): string {
  const text = rest.toString().padStart(digits, '0').replace(/0+$/, '');
  return text === '' ? `${whole}` : `${whole}.${text}`;
}

function durationText(nanos: bigint): string {
  if (nanos === 0n) return '0s';
  const sign = nanos < 0n ? '-' : '';
  const total = nanos < 0n ? -nanos : nanos;
  if (total < 1000n) return `${sign}${total}ns`;
  if (total < 1_000_000n) return `${sign}${fraction(total / 1000n, total % 1000n, 3)}µs`;
  if (total < SECOND) return `${sign}${fraction(total / 1_000_000n, total % 1_000_000n, 6)}ms`;
  const seconds = total / SECOND;
  const tail = `${fraction(seconds % 60n, total % SECOND, 9)}s`;
  if (seconds < 60n) return sign + tail;
  const minutes = seconds / 60n;
  return minutes < 60n ? `${sign}${minutes}m${tail}` : `${sign}${minutes / 60n}h${minutes % 60n}m${tail}`;
}

/** Steps charged per character of a written duration. */
const CHARACTER_STEPS = 8;
const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;

/** Maximum length of a written duration. */
const MAX_TEXT = 1000;

export function parseDuration(thread: Thread, text: string): LarkDuration {
  if (text.length > MAX_TEXT) fail(`time: a duration has at most ${MAX_TEXT} characters`);
  thread.spend(text.length * CHARACTER_STEPS);
  const invalid = (): never => fail(`time: invalid duration ${JSON.stringify(text)}`);
  const body = text.replace(/^[+-]/, '');
  if (body === '0') return new LarkDuration(0n);
  if (body === '') return invalid();
  let total = 0n;
  PART.lastIndex = 0;
  while (PART.lastIndex < body.length) {
    const match = PART.exec(body);
    if (match === null) return invalid();
    const [whole = '', decimals = ''] = (match[1] ?? '').split('.');
    const unit = UNITS[match[2] ?? ''] ?? 0n;
    total += BigInt(whole === '' ? 0 : whole) * unit;
    if (decimals !== '') total += (BigInt(decimals) * unit) / 10n ** BigInt(decimals.length);
  }
  return new LarkDuration(text.startsWith('-') ? -total : total);
}
