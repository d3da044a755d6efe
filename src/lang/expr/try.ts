/**
 * Runs one expression from the command line: an environment as JSON text in, the result as JSON
 * text out. No I/O.
 */
import { Decimal, type PlainMap, type PlainValue } from '../../util/text/decimal.ts';
import { Budget, DEFAULT_LIMITS } from '../budget.ts';
import { compileExpr, runExpr } from './index.ts';
import { readJson } from './library/json.ts';
import { type ExprValue, Fault, makeInt } from './values/value.ts';

/** An int of any size, or the exact digits of a decimal. */
export function exactNumber(text: string): ExprValue {
  if (/^-?\d+$/.test(text)) return makeInt(BigInt(text));
  const value = Number(text);
  return String(value) === text && !Number.isInteger(value) ? value : new Decimal(text);
}

/**
 * Names that the environment lacks are nil, as in the reference without a declared environment.
 * Throws CompileError, RunError or BudgetError, and Fault if the environment is not a JSON object.
 */
export function evaluateExpression(text: string, envJsonText = '{}'): string {
  const budget = new Budget(DEFAULT_LIMITS);
  const env = readJson(envJsonText, { number: exactNumber, budget: new Budget({ ...DEFAULT_LIMITS, millis: 60_000, bytes: 2 ** 40 }) });
  if (!(env instanceof Map)) throw new Fault('the environment is a JSON object');
  return writePlain(runExpr(compileExpr(text), env as PlainMap, budget));
}

function writePlain(value: PlainValue): string {
  if (value instanceof Decimal || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : JSON.stringify(String(value));
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (value instanceof Map) return `{${Array.from(value, ([key, item]) => `${JSON.stringify(key)}:${writePlain(item)}`).join(',')}}`;
  return `[${value.map(writePlain).join(',')}]`;
}
