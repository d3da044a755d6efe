/** Builtins of strings. Indices count UTF-8 bytes; `trim` removes characters. */

import type { Budget } from '../../budget.ts';
import type { ExprBuiltin } from '../values/run.ts';
import { chargeRepair, spendAtOnce } from '../values/run.ts';
import { byteOffset, isAscii, isSpace, joinText, lowerCase, trimWhile, upperCase } from '../values/text.ts';
import { type ExprValue, Fault, isArray, NIL_ARRAY, typeName, wantInt, wantString } from '../values/value.ts';

const text = (args: readonly ExprValue[], i: number): string => wantString(args[i] ?? null);

/** Charges a search for its worst case: the product of both lengths. */
export function spendSearch(budget: Budget, haystack: string, needle: string): void {
  spendAtOnce(budget, haystack.length / 16);
  spendAtOnce(budget, (haystack.length * Math.max(1, needle.length)) / 64);
}

/** Converting letters beyond ASCII is slow. */
function letters(args: readonly ExprValue[], budget: Budget): string {
  const whole = text(args, 0);
  spendAtOnce(budget, isAscii(whole) ? whole.length / 16 : whole.length * 6);
  return whole;
}

function made(result: string, budget: Budget): string {
  budget.charge(result.length * 2);
  return result;
}

const MAX_REPEAT = 1_000_000;

function repeat(args: readonly ExprValue[], budget: Budget): ExprValue {
  const piece = text(args, 0);
  const count = wantInt(args[1] ?? null);
  if (count < 0) throw new Fault(`repeat takes a count from 0, not ${count}`);
  if (count > MAX_REPEAT) throw new Fault(`repeat takes a count up to ${MAX_REPEAT}, not ${count}`);
  budget.charge(piece.length * count * 2);
  return piece.repeat(count);
}

/** Splits a string; `keep` keeps the separators at the ends of the pieces. */
function cut(keep: 'drop' | 'keep'): ExprBuiltin {
  return (args, budget) => {
    const whole = text(args, 0);
    const separator = text(args, 1);
    const limit = args.length > 2 ? wantInt(args[2] ?? null) : -1;
    budget.charge(whole.length * 4);
    spendSearch(budget, whole, separator);
    spendAtOnce(budget, separator === '' ? whole.length : whole.length / 16);
    if (limit === 0) return NIL_ARRAY;
    const all = separator === '' ? [...whole] : whole.split(separator);
    budget.charge(all.length * 32);
    const glue = separator;
    const pieces = limit < 0 || all.length <= limit ? all : [...all.slice(0, limit - 1), all.slice(limit - 1).join(glue)];
    return keep === 'drop' ? pieces : pieces.map((piece, i) => (i < pieces.length - 1 ? piece + glue : piece));
  };
}

function replace(args: readonly ExprValue[], budget: Budget): ExprValue {
  const [whole, old, fresh] = [text(args, 0), text(args, 1), text(args, 2)];
  const limit = args.length > 3 ? wantInt(args[3] ?? null) : -1;
  spendSearch(budget, whole, old);
  spendAtOnce(budget, old === '' ? whole.length : whole.length / 2);
  const pieces = old === '' ? ['', ...whole, ''] : whole.split(old);
  // An empty old string matches before every character and after the last.
  const gaps = old === '' && whole === '' ? 1 : pieces.length - 1;
  const count = limit < 0 ? gaps : Math.min(limit, gaps);
  budget.charge(pieces.length * 16 + (whole.length + count * fresh.length) * 2);
  if (limit < 0) return old === '' && whole === '' ? fresh : pieces.join(fresh);
  let out = pieces[0] ?? '';
  for (let i = 1; i < pieces.length; i++) out += (i <= count ? fresh : old) + (pieces[i] ?? '');
  return out;
}

function join(args: readonly ExprValue[], budget: Budget): ExprValue {
  const [list] = args;
  const glue = args.length > 1 ? text(args, 1) : '';
  if (!isArray(list ?? null)) throw new Fault(`join takes an array of strings, not ${typeName(list ?? null)}`);
  const pieces = (list as readonly ExprValue[]).map(wantString);
  let length = 0;
  for (const piece of pieces) length += piece.length + glue.length;
  budget.charge(length * 2);
  budget.spend(pieces.length + (length >> 4));
  chargeRepair(budget, length);
  return joinText(pieces.join(glue), '');
}

function trim(args: readonly ExprValue[], budget: Budget): ExprValue {
  const whole = text(args, 0);
  spendAtOnce(budget, whole.length);
  if (args.length < 2) return trimWhile(whole, isSpace);
  spendAtOnce(budget, text(args, 1).length);
  const set = new Set(text(args, 1));
  return trimWhile(whole, (char) => set.has(char));
}

function affix(args: readonly ExprValue[], budget: Budget): string {
  const end = args.length > 1 ? text(args, 1) : ' ';
  budget.spend(end.length >> 6);
  return end;
}

export const TEXT_BUILTINS: Readonly<Record<string, ExprBuiltin>> = {
  trim,
  trimPrefix: (args, budget) => {
    const [whole, prefix] = [text(args, 0), affix(args, budget)];
    return whole.startsWith(prefix) ? whole.slice(prefix.length) : whole;
  },
  trimSuffix: (args, budget) => {
    const [whole, suffix] = [text(args, 0), affix(args, budget)];
    return whole.endsWith(suffix) ? whole.slice(0, whole.length - suffix.length) : whole;
  },
  upper: (args, budget) => made(upperCase(letters(args, budget)), budget),
  lower: (args, budget) => made(lowerCase(letters(args, budget)), budget),
  split: cut('drop'),
  splitAfter: cut('keep'),
  replace,
  repeat,
  join,
  indexOf: (args, budget) => {
    spendSearch(budget, text(args, 0), text(args, 1));
    return byteOffset(text(args, 0), text(args, 0).indexOf(text(args, 1)));
  },
  lastIndexOf: (args, budget) => {
    spendSearch(budget, text(args, 0), text(args, 1));
    return byteOffset(text(args, 0), text(args, 0).lastIndexOf(text(args, 1)));
  },
  hasPrefix: (args, budget) => text(args, 0).startsWith(affix(args, budget)),
  hasSuffix: (args, budget) => text(args, 0).endsWith(affix(args, budget)),
};
