/**
 * Binds the parameters of a step's SQL. The value decides the parameter type, with two exceptions,
 * so that a caller cannot change the meaning of a statement. Values compared with columns are bound
 * as text: with a number, the servers read text columns as numbers, and `0` matches all of them.
 * Row counts are bound as integers.
 */

import type { ParamType } from '../../../sql/statement.ts';
import type { Template } from '../../../sql/template/template.ts';
import { BindProblem, type TemplateBinder } from '../../../sql/template/template-binder.ts';
import { type Filling, rowCount, type Typed, TypedBinder, type TypedRules } from '../../../sql/template/typed-binder.ts';
import { writeJson } from '../../../util/json/json.ts';
import { Decimal, type PlainValue } from '../../../util/text/decimal.ts';
import type { MysqlStatement } from '../statement.ts';
import { isUpsert } from './upsert.ts';

const TEXT: ParamType = { kind: 'text', cast: 'text' };
const INT: ParamType = { kind: 'int', cast: 'signed' };
const UNSIGNED: ParamType = { kind: 'int', cast: 'unsigned' };
const DECIMAL: ParamType = { kind: 'decimal', cast: 'decimal' };
const DOUBLE: ParamType = { kind: 'float', cast: 'double' };

const MOST = 2n ** 63n - 1n;
const LEAST = -(2n ** 63n);
const MAX_UNSIGNED = 2n ** 64n - 1n;
/** An empty list: no value is in it, every value is not in it. */
const NOTHING = 'SELECT NULL FROM DUAL WHERE FALSE';

export function mysqlBinder(template: Template): TemplateBinder {
  return new TypedBinder(template, RULES);
}

const RULES: TypedRules = {
  fill(slot, value) {
    if (slot.place === 'limit') return { typed: [{ type: INT, value: rowCount(slot, value) }] };
    if (slot.place === 'listed') return listed(value, 'NULL');
    return { typed: [slot.form === 'quoted' || slot.place === 'comparison' ? textOf(value) : byValue(value)] };
  },
  fillIn: (_, value) => listed(value, NOTHING),
  fillPiece(slot, value) {
    if (Array.isArray(value) || value instanceof Map)
      throw new BindProblem(slot.path, 'is used inside a literal and must be a single value');
    return { typed: [textOf(value)] };
  },
  statement: (text, types): MysqlStatement => (isUpsert(text) ? { text, types, upsert: 'by_any_key' } : { text, types }),
  placeholder: () => '?',
  join: (pieces) => `CONCAT(${pieces.join(', ')})`,
  cast: (text, type) => `CAST(${text} AS ${type})`,
  in: (list, negated) => `${negated ? 'NOT IN' : 'IN'} (${list})`,
};

function textOf(value: PlainValue): Typed {
  if (value === null || typeof value === 'string') return { type: TEXT, value };
  if (typeof value === 'boolean') return { type: TEXT, value: value ? '1' : '0' };
  if (value instanceof Decimal) return { type: TEXT, value: value.text };
  return { type: TEXT, value: typeof value === 'object' ? writeJson(value) : String(value) };
}

function byValue(value: PlainValue): Typed {
  if (typeof value === 'boolean') return { type: INT, value: value ? '1' : '0' };
  if (typeof value === 'bigint') return { type: integerType(value), value: String(value) };
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return { type: INT, value: String(value) };
    return Number.isFinite(value) ? { type: DOUBLE, value: String(value) } : textOf(value);
  }
  if (value instanceof Decimal) return { type: /e/i.test(value.text) ? DOUBLE : DECIMAL, value: value.text };
  return textOf(value);
}

function integerType(value: bigint): ParamType {
  if (value >= LEAST && value <= MOST) return INT;
  return value > 0n && value <= MAX_UNSIGNED ? UNSIGNED : DECIMAL;
}

/**
 * Binds a list as text, as for other comparisons. Repeats the last item up to one of few lengths,
 * so that few texts are prepared.
 */
function listed(value: PlainValue, empty: string): Filling {
  const items = Array.isArray(value) ? value.map(textOf) : [textOf(value)];
  const last = items.at(-1);
  if (last === undefined) return { text: empty };
  const length = roundUp(items.length);
  while (items.length < length) items.push(last);
  return { typed: items };
}

/** Longer lists are rare, and a statement has at most 65,535 parameters. */
const MAX_ROUNDED = 4096;

/** Returns 1, 2, 3, 4, 6, 8, 12, 16, 24 … */
function roundUp(count: number): number {
  if (count <= 4 || count > MAX_ROUNDED) return count;
  const power = 2 ** Math.ceil(Math.log2(count));
  return count <= power * 0.75 ? power * 0.75 : power;
}
