/** The module `math`: functions over floats and ints, and the constants. */

import { fail } from '../values/failure.ts';
import { type BuiltinBody, LarkBuiltin } from '../values/function.ts';
import { floatToInt } from '../values/int.ts';
import { LarkFloat, type LarkValue, ModuleValue, typeOf } from '../values/value.ts';
import { positional, unpack, wantNumber } from './args.ts';

const one = (name: string, compute: (x: number) => number): readonly [string, BuiltinBody] => [
  name,
  (_thread, args, named) => {
    const [x = null] = unpack(name, args, named, ['x']);
    return new LarkFloat(compute(wantNumber(name, 'x', x)));
  },
];

const two = (name: string, compute: (x: number, y: number) => number): readonly [string, BuiltinBody] => [
  name,
  (_thread, args, named) => {
    const [x = null, y = null] = unpack(name, args, named, ['x', 'y']);
    return new LarkFloat(compute(wantNumber(name, 'x', x), wantNumber(name, 'y', y)));
  },
];

const whole = (name: string, round: (x: number) => number): readonly [string, BuiltinBody] => [
  name,
  (_thread, args, named) => {
    const [x = null] = positional(name, args, named, 1, 1);
    if (typeof x === 'number' || typeof x === 'bigint') return x;
    if (!(x instanceof LarkFloat)) return fail(`${name}: got ${typeOf(x)}, want float or int`);
    return floatToInt(round(x.value));
  },
];

function roundHalfAway(x: number): number {
  return x < 0 ? -Math.round(-x) : Math.round(x);
}

/** IEEE remainder: the quotient is rounded to the nearest integer, ties to even. */
function remainder(x: number, y: number): number {
  if (Number.isNaN(x) || Number.isNaN(y) || !Number.isFinite(x) || y === 0) return Number.NaN;
  if (!Number.isFinite(y)) return x;
  const divisor = Math.abs(y);
  const sign = x < 0 || Object.is(x, -0) ? -1 : 1;
  let rest = Math.abs(x) % (2 * divisor);
  if (rest > divisor / 2) {
    rest -= divisor;
    if (rest >= divisor / 2) rest -= divisor;
  }
  return sign * rest;
}

function copySign(x: number, y: number): number {
  return y < 0 || Object.is(y, -0) ? -Math.abs(x) : Math.abs(x);
}

function pow(x: number, y: number): number {
  if (x === 1) return 1;
  if (x === -1 && Math.abs(y) === Number.POSITIVE_INFINITY) return 1;
  return x ** y;
}

const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

function gamma(x: number): number {
  if (x === 0) return Object.is(x, -0) ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (Number.isNaN(x) || x === Number.NEGATIVE_INFINITY) return Number.NaN;
  if (x < 0 && Number.isInteger(x)) return Number.NaN;
  if (Number.isInteger(x) && x <= 171) return Array.from({ length: x - 1 }, (_, i) => i + 1).reduce((a, b) => a * b, 1);
  if (x > 171.62) return Number.POSITIVE_INFINITY;
  if (x < 0.5) return Math.PI / (Math.sin(Math.PI * x) * gamma(1 - x));
  const shifted = x - 1;
  const base = shifted + 7.5;
  const sum = LANCZOS.reduce((total, factor, i) => (i === 0 ? factor : total + factor / (shifted + i)), 0);
  return Math.sqrt(2 * Math.PI) * base ** (shifted + 0.5) * Math.exp(-base) * sum;
}

const log: readonly [string, BuiltinBody] = [
  'log',
  (_thread, args, named) => {
    const [x = null, base] = unpack('log', args, named, ['x', 'base?']);
    const value = wantNumber('log', 'x', x);
    if (base === undefined) return new LarkFloat(Math.log(value));
    const by = wantNumber('log', 'base', base);
    if (by === 1) fail('log: division by zero');
    if (by === 10) return new LarkFloat(Math.log10(value));
    return new LarkFloat(by === 2 ? Math.log2(value) : Math.log(value) / Math.log(by));
  },
];

const FUNCTIONS: readonly (readonly [string, BuiltinBody])[] = [
  whole('ceil', Math.ceil),
  two('copysign', copySign),
  one('fabs', Math.abs),
  whole('floor', Math.floor),
  two('mod', (x, y) => x % y),
  two('pow', pow),
  two('remainder', remainder),
  one('round', roundHalfAway),
  one('exp', Math.exp),
  one('sqrt', Math.sqrt),
  one('acos', Math.acos),
  one('asin', Math.asin),
  one('atan', Math.atan),
  two('atan2', Math.atan2),
  one('cos', Math.cos),
  two('hypot', Math.hypot),
  one('sin', Math.sin),
  one('tan', Math.tan),
  one('degrees', (x) => (x * 180) / Math.PI),
  one('radians', (x) => (x * Math.PI) / 180),
  one('acosh', Math.acosh),
  one('asinh', Math.asinh),
  one('atanh', Math.atanh),
  one('cosh', Math.cosh),
  one('sinh', Math.sinh),
  one('tanh', Math.tanh),
  log,
  one('gamma', gamma),
];

export const MATH = new ModuleValue(
  'math',
  new Map<string, LarkValue>([
    ...FUNCTIONS.map(([name, body]) => [name, new LarkBuiltin(name, body)] as const),
    ['e', new LarkFloat(Math.E)],
    ['pi', new LarkFloat(Math.PI)],
  ]),
);
