/**
 * Regular expressions in linear time. Charges the budget before a match, since a match cannot be
 * interrupted.
 */
import type { RE2JS } from 're2js';
import { re2 } from '../../../util/on-demand.ts';
import type { Budget } from '../../budget.ts';
import { spendAtOnce } from './run.ts';
import { Fault } from './value.ts';

/**
 * Maximum length of a pattern: counted repetitions and character classes expand during compilation.
 */
const MAX_PATTERN = 4000;
const MAX_COMPUTED_PATTERN = 1000;

/** Returns the compiled pattern, or an error message. */
export function compilePattern(text: string, longest: number = MAX_PATTERN): RE2JS | string {
  if (text.length > longest) return `a regular expression is at most ${longest} characters long`;
  const { RE2JS, RE2JSException } = re2();
  try {
    return RE2JS.compile(text);
  } catch (error) {
    if (error instanceof RE2JSException) return `the regular expression is wrong: ${error.message}`;
    throw error;
  }
}

/** Compiles a pattern that is known only at run time. */
export function wantPattern(text: string, budget: Budget): RE2JS {
  spendAtOnce(budget, 100 + text.length * 2000);
  const pattern = compilePattern(text, MAX_COMPUTED_PATTERN);
  if (typeof pattern === 'string') throw new Fault(pattern);
  return pattern;
}

export function matchesPattern(pattern: RE2JS, subject: string | Uint8Array, budget: Budget): boolean {
  // The time of a match is bounded by the length of the text times the size of the program.
  spendAtOnce(budget, (subject.length * Math.max(pattern.programSize(), 1)) / 2);
  return pattern.test(subject);
}
