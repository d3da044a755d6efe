/**
 * What MySQL and MariaDB can say of a column. Where the result does not show what the column is, every comparison goes with a guard (`strict.ts`);
 * LIKE compares texts whatever it is given, and needs none.
 */
import type { Comparing, ParamBinder } from '../../../sql/dialect.ts';
import { LIKE_ESCAPE, likePattern, type Predicates, type Search, type Sign } from '../../../sql/operators.ts';
import type { Operand } from '../../../sql/statement.ts';
import type { MysqlColumn } from '../types/column-types.ts';
import { geometryOf } from './names.ts';
import { guarded, typed } from './strict.ts';

/** The character set that holds every character. */
const WIDEST = 'utf8mb4';
/** The highest character that every column of a set can hold; of the others only ASCII is taken for granted. */
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

  /** Any case: both sides are lowered, which works for every collation. */
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
   * The column as it is compared. The servers refuse to compare a column with a value that its character set cannot hold; it is widened
   * then, and only then, since a widened column finds no index.
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
