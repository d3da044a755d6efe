/** Formats and parses durations: `1h30m0s`. */
import { Duration, Fault } from './value.ts';

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1000n],
  ['\u00b5s', 1000n],
  ['\u03bcs', 1000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);
const PART = /(\d*)(?:\.(\d*))?([^\d.]+)/y;
const LIMIT = 2n ** 63n;

export function parseDuration(text: string): Duration {
  const invalid = new Fault(`${JSON.stringify(text)} is not a duration`);
  const negative = text.startsWith('-');
  const body = text.replace(/^[+-]/, '');
  if (body === '0') return new Duration(0n);
  if (body === '' || body.length > 200) throw invalid;
  let total = 0n;
  PART.lastIndex = 0;
  while (PART.lastIndex < body.length) {
    const part = PART.exec(body);
    if (part === null) throw invalid;
    const [, whole = '', fraction = '', name = ''] = part;
    const unit = UNITS.get(name);
    if (unit === undefined || `${whole}${fraction}` === '') throw invalid;
    total += BigInt(whole === '' ? '0' : whole) * unit + (BigInt(fraction === '' ? '0' : fraction) * unit) / 10n ** BigInt(fraction.length);
  }
  if (total > LIMIT || (total === LIMIT && !negative)) throw invalid;
  return new Duration(negative ? -total : total);
}

export function durationText(nanos: bigint): string {
  if (nanos === 0n) return '0s';
  const sign = nanos < 0n ? '-' : '';
  const size = nanos < 0n ? -nanos : nanos;
  if (size < 1000n) return `${sign}${size}ns`;
  if (size < 1_000_000n) return `${sign}${decimal(size, 3)}\u00b5s`;
  if (size < 1_000_000_000n) return `${sign}${decimal(size, 6)}ms`;
  const seconds = size / 1_000_000_000n;
  const tail = `${decimal(size % 60_000_000_000n, 9)}s`;
  if (seconds < 60n) return `${sign}${tail}`;
  const minutes = seconds / 60n;
  if (minutes < 60n) return `${sign}${minutes}m${tail}`;
  return `${sign}${minutes / 60n}h${minutes % 60n}m${tail}`;
}

function decimal(value: bigint, places: number): string {
  const text = value.toString().padStart(places + 1, '0');
  const fraction = text.slice(-places).replace(/0+$/, '');
  return `${text.slice(0, -places)}${fraction === '' ? '' : `.${fraction}`}`;
}
