/**
 * Binds the parameters of a step's SQL as typed parameters; the value decides the type. The server
 * rejects comparisons between type families. Lists become arrays; NULL and empty lists become part
 * of the SQL text. Decimals get more digits where the statement divides.
 */

import type { ParamKind, ParamType } from '../../../sql/statement.ts';
import type { Template } from '../../../sql/template/template.ts';
import { BindProblem, type SlotTypes, type TemplateBinder } from '../../../sql/template/template-binder.ts';
import { type Filling, rowCount, type Typed, TypedBinder, type TypedRules } from '../../../sql/template/typed-binder.ts';
import { writeJson } from '../../../util/json/json.ts';
import { exactDigits } from '../../../util/json/json-write.ts';
import { Decimal, type PlainValue } from '../../../util/text/decimal.ts';

const type = (kind: ParamKind, cast: string): ParamType => ({ kind, cast });

const TEXT = type('text', 'String');
const COUNT = type('int', 'UInt64');
const NULL: Filling = { text: 'NULL' };
const NULL_LIST: Filling = { text: '(NULL)' };
const EMPTY: Filling = { text: '[]' };

export function clickhouseBinder(template: Template, types?: SlotTypes): TemplateBinder {
  const divides = template.parts.some((part) => part.kind === 'text' && part.text.includes('/'));
  return new TypedBinder(template, divides ? rulesOfQuotients(types) : RULES);
}

/**
 * A quotient of decimals has as many digits after the point as its dividend, and a divisor may not
 * have more.
 */
const QUOTIENT_SCALE = 18;

function rulesOfQuotients(types: SlotTypes | undefined): TypedRules {
  return {
    ...RULES,
    fill(slot, value) {
      const isNumber = value instanceof Decimal || (types?.(slot.path) === 'number' && value !== null);
      const typed = slot.isOperand && !slot.isDivisor && isNumber ? scaled(value as Decimal | number | bigint) : undefined;
      return typed === undefined ? RULES.fill(slot, value) : { typed: [typed] };
    },
  };
}

/** `undefined` if the number has too many digits. */
function scaled(value: Decimal | number | bigint): Typed | undefined {
  const digits = value instanceof Decimal ? exactDigits(value) : String(value);
  const [, whole = '', fraction = ''] = PLAIN_DIGITS.exec(digits) ?? [];
  const scale = Math.max(fraction.length, QUOTIENT_SCALE);
  if (whole === '' || whole.length + scale > MAX_DIGITS) return undefined;
  return { type: type('decimal', `Decimal(${MAX_DIGITS}, ${scale})`), value: digits };
}

const RULES: TypedRules = {
  fill(slot, value) {
    if (value === null) return NULL;
    if (slot.place === 'limit') return { typed: [{ type: COUNT, value: rowCount(slot, value) }] };
    if (Array.isArray(value)) return listOf(value);
    return { typed: [slot.form === 'quoted' ? textOf(value) : byValue(value)] };
  },
  fillIn(_, value) {
    return value === null ? NULL_LIST : listOf(Array.isArray(value) ? value : [value]);
  },
  fillPiece(slot, value) {
    if (Array.isArray(value) || value instanceof Map)
      throw new BindProblem(slot.path, 'is used inside a literal and must be a single value');
    return value === null ? NULL : { typed: [textOf(value)] };
  },
  placeholder: (index, { cast }) => `{p${index}:${cast}}`,
  join: (pieces) => `concat(${pieces.join(', ')})`,
  cast: (text, name) => `CAST(${text} AS ${name})`,
  in: (list, negated) => `${negated ? 'NOT IN' : 'IN'} ${list}`,
};

function textOf(value: PlainValue): Typed {
  if (typeof value === 'string') return { type: TEXT, value };
  if (value instanceof Decimal) return { type: TEXT, value: value.text };
  return { type: TEXT, value: value !== null && typeof value === 'object' ? writeJson(value) : String(value) };
}

function byValue(value: PlainValue): Typed {
  const typed = typeOf(value);
  if (typed === undefined) return textOf(value);
  return { type: typed, value: value instanceof Decimal ? exactDigits(value) : String(value) };
}

/** `undefined` for values that travel as text. */
function typeOf(value: PlainValue): ParamType | undefined {
  if (typeof value === 'boolean') return type('bool', 'Bool');
  if (typeof value === 'bigint') return integerType(value);
  if (typeof value === 'number') return Number.isSafeInteger(value) ? type('int', 'Int64') : type('float', 'Float64');
  return value instanceof Decimal ? decimalType(value) : undefined;
}

const INTEGERS: readonly (readonly [name: string, least: bigint, most: bigint])[] = [
  ['Int64', -(2n ** 63n), 2n ** 63n - 1n],
  ['UInt64', 0n, 2n ** 64n - 1n],
  ['Int128', -(2n ** 127n), 2n ** 127n - 1n],
  ['Int256', -(2n ** 255n), 2n ** 255n - 1n],
  ['UInt256', 0n, 2n ** 256n - 1n],
];

function integerType(value: bigint): ParamType | undefined {
  const found = INTEGERS.find(([, least, most]) => value >= least && value <= most);
  return found === undefined ? undefined : type('int', found[0]);
}

const MAX_DIGITS = 76;
const PLAIN_DIGITS = /^-?(\d+)(?:\.(\d+))?$/;

function decimalType(value: Decimal): ParamType {
  const [, whole = '', fraction = ''] = PLAIN_DIGITS.exec(exactDigits(value)) ?? [];
  const digits = whole.length + fraction.length;
  if (whole === '' || digits > MAX_DIGITS) return type('float', 'Float64');
  return type('decimal', `Decimal(${digits <= 38 ? 38 : MAX_DIGITS}, ${fraction.length})`);
}

/** Returns one array. Mixed numbers become the widest type, other mixtures strings. */
function listOf(items: readonly PlainValue[]): Filling {
  if (items.length === 0) return EMPTY;
  const present = items.filter((item) => item !== null);
  const casts = new Set(present.map((item) => typeOf(item)?.cast ?? 'String'));
  const cast = casts.size === 1 ? ([...casts][0] as string) : commonCast(casts);
  const nullable = present.length < items.length || present.length === 0;
  const element = nullable ? `Nullable(${cast})` : cast;
  const texts = cast === 'String' ? items.map((item) => (item === null ? null : textOf(item).value)) : items;
  return { typed: [{ type: type('json', `Array(${element})`), value: writeJson(texts as PlainValue) }] };
}

function commonCast(casts: ReadonlySet<string>): string {
  if (casts.size === 0 || casts.has('String') || casts.has('Bool')) return 'String';
  if ([...casts].every((cast) => cast.includes('Int'))) return casts.has('UInt256') ? 'UInt256' : 'Int256';
  const scales = [...casts].map((cast) => Number(/, (\d+)\)/.exec(cast)?.[1] ?? 0));
  return casts.has('Float64') ? 'Float64' : `Decimal(76, ${Math.max(...scales)})`;
}
