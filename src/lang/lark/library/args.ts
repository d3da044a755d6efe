/**
 * Unpacks the arguments of a builtin: positional or named, required or optional, of the expected
 * type. Programs and their tests rely on the messages of the reference implementation.
 */

import { Extension } from '../values/extension.ts';
import { fail } from '../values/failure.ts';
import { LarkBuiltin, LarkFunction, type NamedArgument } from '../values/function.ts';
import type { Int } from '../values/int.ts';
import { nearest } from '../values/text/spell.ts';
import { LarkFloat, type LarkValue, typeOf } from '../values/value.ts';

/** Accepts positional arguments only, between `min` and `max` of them. */
export function positional(fn: string, args: readonly LarkValue[], named: NamedArgument, min: number, max: number): readonly LarkValue[] {
  if (named.length > 0) fail(`${fn}: unexpected keyword arguments`);
  if (args.length < min) fail(`${fn}: got ${args.length} arguments, want ${min === max ? '' : 'at least '}${min}`);
  if (args.length > max) fail(`${fn}: got ${args.length} arguments, want ${min === max ? '' : 'at most '}${max}`);
  return args;
}

/** Accepts exactly one positional argument. Older builtins word the error differently. */
export function single(fn: string, args: readonly LarkValue[], named: NamedArgument, want: '1' | 'exactly 1'): LarkValue {
  if (named.length > 0) fail(`${fn} does not accept keyword arguments`);
  const [value] = args;
  return args.length === 1 && value !== undefined ? value : fail(`${fn}: got ${args.length} arguments, want ${want}`);
}

/** Unpacks parameters by name. One with `?` is optional, one with `??` may also be None. */
export function unpack(fn: string, args: readonly LarkValue[], named: NamedArgument, params: readonly string[]): (LarkValue | undefined)[] {
  if (args.length > params.length) {
    fail(`${fn}: got ${args.length} arguments, want at most ${params.length}`);
  }
  const values: (LarkValue | undefined)[] = params.map((param, i) => optionalNone(param, args[i]));
  const provided = new Set<number>(args.keys());
  for (const [name, value] of named) {
    const i = params.findIndex((param) => bare(param) === name);
    if (i < 0) {
      const meant = nearest(name, params.map(bare));
      fail(`${fn}: unexpected keyword argument "${name}"${meant === undefined ? '' : ` (did you mean ${meant}?)`}`);
    }
    if (provided.has(i)) fail(`${fn}: got multiple values for keyword argument "${name}"`);
    provided.add(i);
    values[i] = optionalNone(params[i] ?? '', value);
  }
  params.forEach((param, i) => {
    if (!param.endsWith('?') && !provided.has(i)) fail(`${fn}: missing argument for ${param}`);
  });
  return values;
}

function bare(param: string): string {
  return param.replaceAll('?', '');
}

function optionalNone(param: string, value: LarkValue | undefined): LarkValue | undefined {
  return value === null && param.endsWith('??') ? undefined : value;
}

function wrong(fn: string, param: string | number, value: LarkValue, want: string): never {
  return fail(`${fn}: for parameter ${param}: got ${typeOf(value)}, want ${want}`);
}

export function wantString(fn: string, param: string | number, value: LarkValue): string {
  return typeof value === 'string' ? value : wrong(fn, param, value, 'string');
}

export function wantBool(fn: string, param: string | number, value: LarkValue): boolean {
  return typeof value === 'boolean' ? value : wrong(fn, param, value, 'bool');
}

export function wantInt(fn: string, param: string | number, value: LarkValue): Int {
  return typeof value === 'number' || typeof value === 'bigint' ? value : wrong(fn, param, value, 'int');
}

/** An int used as a count or a position. */
export function wantIndex(fn: string, param: string | number, value: LarkValue): number {
  const int = wantInt(fn, param, value);
  if (typeof int === 'number') return int;
  return fail(`${fn}: for parameter ${param}: ${int} out of range (want value in signed 64-bit range)`);
}

export function wantNumber(fn: string, param: string | number, value: LarkValue): number {
  if (value instanceof LarkFloat) return value.value;
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : wrong(fn, param, value, 'float or int');
}

export function isCallable(value: LarkValue): boolean {
  return value instanceof LarkFunction || value instanceof LarkBuiltin || (value instanceof Extension && value.type === 'symbol');
}

export function wantCallable(fn: string, param: string, value: LarkValue): LarkValue {
  return isCallable(value) ? value : wrong(fn, param, value, 'callable');
}
