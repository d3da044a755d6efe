/**
 * Predicates of MySQL and MariaDB. If the result does not reveal the type of the column,
 * comparisons have a guard (`strict.ts`). LIKE compares text in any case and needs none.
 */
import type { Comparing, ParamBinder } from '../../../sql/dialect.ts';
import { LIKE_ESCAPE, likePattern, type Predicates, type Search, type Sign } from '../../../sql/operators.ts';
import type { Operand } from '../../../sql/statement.ts';
import type { MysqlColumn } from '../types/column-types.ts';
import { geometryOf } from './names.ts';
import { guarded, typed } from './strict.ts';

/** Character set with every character. */
const WIDEST = 'utf8mb4';
/** Highest character of every column of a set. For other sets, only ASCII is assumed. */
const HIGHEST: Readonly<Record<string, number>> = {
  latin1: 0xff,
  utf8mb3: 0xffff,
  utf8: 0xffff,
  ucs2: 0xffff,
  utf16: 0x10ffff,
  utf32: 0x10ffff,
};

export class MysqlPredicates implements Predicates {
  readonly #column: MysqlColumn;
  readonly #name: string;
  readonly #bind: ParamBinder;
  readonly #how: Comparing;

  constructor(column: MysqlColumn, name: string, bind: ParamBinder, how: Comparing) {
    this.#column = column;
    this.#name = name;
    this.#bind = bind;
    this.#how = how;
  }

  compare(sign: Sign, value: Operand): string {
    return this.#guarded(`${this.#wideEnough(value)} ${sign} ${this.#value(value)}`);
  }

  between(low: Operand, high: Operand): string {
    return this.#guarded(`${this.#wideEnough(low, high)} BETWEEN ${this.#value(low)} AND ${this.#value(high)}`);
  }

  member(values: readonly Operand[], negated: boolean): string {
    const list = values.map((value) => this.#value(value)).join(', ');
    return this.#guarded(`${this.#wideEnough(...values)} ${negated ? 'NOT IN' : 'IN'} (${list})`);
  }

  /** For any case, lowers both sides, which works with every collation. */
  contains(search: Search): string {
    const column = this.#wideEnough(search.text);
    const like = search.negated ? 'NOT LIKE' : 'LIKE';
    const pattern = this.#bind.text(likePattern(search));
    if (search.letters === 'any case') return `LOWER(${column}) ${like} LOWER(${pattern}) ESCAPE '${LIKE_ESCAPE}'`;
    return `${column} ${like} ${pattern} ESCAPE '${LIKE_ESCAPE}'`;
  }

  #value(value: Operand): string {
    const placeholder = geometryOf(this.#column, this.#bind.value(this.#column, value));
    return this.#how === 'strict' ? typed(placeholder, this.#column.kind) : placeholder;
  }

  #guarded(comparison: string): string {
    return this.#how === 'strict' ? guarded(comparison, this.#name, this.#column.kind) : comparison;
  }

  /**
   * Returns the column for a comparison. The servers reject values that its character set lacks, so
   * it is converted for such values, and only then, because a converted column uses no index.
   */
  #wideEnough(...values: readonly Operand[]): string {
    const { collation } = this.#column;
    if (collation === undefined || collation.startsWith(WIDEST)) return this.#name;
    const highest = HIGHEST[collation.split('_')[0] ?? ''] ?? 0x7f;
    const isHeld = (value: Operand): boolean => Array.from(String(value)).every((character) => (character.codePointAt(0) ?? 0) <= highest);
    if (values.every(isHeld)) return this.#name;
    const exact = /_(?:bin|cs)$/.test(collation) ? ' COLLATE utf8mb4_bin' : '';
    return `CONVERT(${this.#name} USING utf8mb4)${exact}`;
  }
}
