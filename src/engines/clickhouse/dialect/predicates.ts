/**
 * ClickHouse's predicates: they follow SQL's rules for NULL, and compare with values that the
 * column can hold. As on PostgreSQL, NaN equals itself and is above every number.
 */
import type { Column } from '../../../model/table.ts';
import type { ParamBinder } from '../../../sql/dialect.ts';
import type { Predicates, Search, Sign } from '../../../sql/operators.ts';
import type { Operand } from '../../../sql/statement.ts';
import { DbFailure } from '../../contract/engine.ts';
import { type Fit, fitOf } from '../types/fit.ts';
import { isSortable } from '../types/kinds.ts';
import { type ChType, innerType, parameterType, parseType } from '../types/type-text.ts';

export function clickhousePredicates(column: Column, name: string, bind: ParamBinder): Predicates {
  const type = innerType(parseType(column.type));
  return column.kind === 'float' ? new FloatPredicates(column, type, name, bind) : new OrderedPredicates(column, type, name, bind);
}

/** Types that typed parameters cannot express. */
const COMPARED_BY_TEXT = /^(Interval\w+|Nothing|Map|JSON|Object|Variant|Dynamic|AggregateFunction|Geometry|QBit)$/;

/**
 * Types without the order of ORDER BY are compared by their text, so that paging by key and
 * filtering agree.
 */
function isComparedByText(type: ChType): boolean {
  return COMPARED_BY_TEXT.test(type.name) || !isSortable(type);
}

/** Longer lists of integers become a single parameter. */
const LONG_LIST = 20;

type OrderSign = Exclude<Sign, '=' | '<>'>;

/** A value between two of the column's is rounded down: for integers, `< 1.5` is `<= 1`. */
const ROUNDED: Readonly<Record<OrderSign, OrderSign>> = { '<': '<=', '<=': '<=', '>': '>', '>=': '>' };

class OrderedPredicates implements Predicates {
  readonly column: Column;
  readonly type: ChType;
  readonly name: string;
  readonly #bind: ParamBinder;

  constructor(column: Column, type: ChType, name: string, bind: ParamBinder) {
    this.column = column;
    this.type = type;
    this.name = name;
    this.#bind = bind;
  }

  compare(sign: Sign, value: Operand): string {
    if (sign === '=' || sign === '<>') return this.member([value], sign === '<>');
    const found = this.#standing(String(value));
    if (found.side !== 'within') return (found.side === 'above') === sign.startsWith('<') ? this.#always() : this.#never();
    return `${this.left()} ${found.exact ? sign : ROUNDED[sign]} ${this.value(found.text)}`;
  }

  between(low: Operand, high: Operand): string {
    return `${this.compare('>=', low)} AND ${this.compare('<=', high)}`;
  }

  member(values: readonly Operand[], negated: boolean): string {
    const held = values.map((value) => this.#standing(String(value))).filter((found) => found.side === 'within' && found.exact);
    if (held.length === 0) return negated ? this.#always() : this.#never();
    const [only] = held;
    if (held.length === 1 && only !== undefined) return `${this.left()} ${negated ? '<>' : '='} ${this.value(only.text)}`;
    const list = held.length > LONG_LIST && this.column.kind === 'int' ? this.#asArray(held) : undefined;
    return `${this.left()} ${negated ? 'NOT IN' : 'IN'} ${list ?? `(${held.map((found) => this.value(found.text)).join(', ')})`}`;
  }

  /** Passes one array: many parameters take the server long. */
  #asArray(held: readonly Fit[]): string {
    const texts = held.map((found) => ('text' in found ? found.text : ''));
    return this.#bind.value({ ...this.column, kind: 'json', cast: `Array(${parameterType(this.type)})` }, `[${texts.join(',')}]`);
  }

  /** Searches for the text itself, so nothing needs escaping. */
  contains({ text, at, letters, negated }: Search): string {
    const fold = (side: string): string => (letters === 'any case' ? `lowerUTF8(${side})` : side);
    const [column, wanted] = [fold(this.#asText()), fold(this.#bind.text(text))];
    if (at === 'start') return `${negated ? 'NOT ' : ''}startsWith(${column}, ${wanted})`;
    return `position(${column}, ${wanted}) ${negated ? '=' : '>'} 0`;
  }

  /** Returns the left side of a comparison. */
  left(): string {
    const { name } = this.type;
    if (name === 'String' || name === 'FixedString' || !isComparedByText(this.type)) return this.name;
    return this.column.kind === 'json' ? `toJSONString(${this.name})` : `toString(${this.name})`;
  }

  /** Binds the right side of a comparison. */
  value(text: string): string {
    const { name } = this.type;
    if (name === 'String' || name === 'FixedString' || isComparedByText(this.type)) return this.#bind.text(text);
    return this.#bind.value({ ...this.column, cast: parameterType(this.type) }, text);
  }

  #asText(): string {
    if (this.type.name === 'String') return this.name;
    if (this.type.name !== 'FixedString') return `toString(${this.name})`;
    return `CAST(${this.name}, ${this.column.nullable ? `'Nullable(String)'` : `'String'`})`;
  }

  /** `true` (or `false`) for every value except NULL. */
  #always(): string {
    return `${this.left()} = ${this.left()}`;
  }

  #never(): string {
    return `${this.left()} <> ${this.left()}`;
  }

  #standing(value: string): Fit {
    if (isComparedByText(this.type)) return { side: 'within', exact: true, text: value };
    const found = fitOf(this.type, value);
    if (found === undefined) throw new DbFailure('invalid', `the value is not a ${this.type.name}`);
    return found;
  }
}

const NAN = 'NaN';

/** Orders NaN as ORDER BY in the dialect does; the server's comparisons ignore it. */
class FloatPredicates extends OrderedPredicates {
  override compare(sign: Sign, value: Operand): string {
    const isNan = `isNaN(${this.name})`;
    const isAsked = value === NAN;
    switch (sign) {
      case '=':
      case '<>':
        return this.member([value], sign === '<>');
      case '<':
        return isAsked ? `NOT ${isNan}` : `${this.name} < ${this.value(String(value))}`;
      case '<=':
        return isAsked ? `${isNan} IN (0, 1)` : `${this.name} <= ${this.value(String(value))}`;
      case '>':
        return isAsked ? `${isNan} NOT IN (0, 1)` : `(${this.name} > ${this.value(String(value))} OR ${isNan})`;
      case '>=':
        return isAsked ? isNan : `(${this.name} >= ${this.value(String(value))} OR ${isNan})`;
    }
  }

  override member(values: readonly Operand[], negated: boolean): string {
    const any = values.map((value) => (value === NAN ? `isNaN(${this.name})` : `${this.name} = ${this.value(String(value))}`)).join(' OR ');
    return negated ? `NOT (${any})` : any;
  }
}
