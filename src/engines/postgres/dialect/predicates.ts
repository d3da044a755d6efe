/** PostgreSQL's predicates for the operators of `sql/operators.ts`. */
import type { Column } from '../../../model/table.ts';
import type { ParamBinder } from '../../../sql/dialect.ts';
import { LIKE_ESCAPE, likePattern, type Predicates, type Search, type Sign } from '../../../sql/operators.ts';
import type { Operand } from '../../../sql/statement.ts';
import { toServerNotation } from './notation.ts';

const BEYOND_ASCII = /[^\u0000-\u007f]/;

/**
 * Builds a case-insensitive regular expression. ILIKE folds case by the column's collation, and the
 * C collation folds ASCII only; brackets with both cases work with any collation.
 */
function eitherCase(text: string): string {
  return Array.from(text, (character) => {
    const cases = new Set([character, character.toLowerCase(), character.toUpperCase()].filter((one) => Array.from(one).length === 1));
    return cases.size > 1 ? `[${[...cases].join('')}]` : character.replace(/[^\w\s\u0080-\u{10ffff}]/u, '\\$&');
  }).join('');
}

export class PostgresPredicates implements Predicates {
  readonly #column: Column;
  readonly #name: string;
  readonly #bind: ParamBinder;
  readonly #cast: string;

  /** `cast`: appended to every value. */
  constructor(column: Column, name: string, bind: ParamBinder, cast: string) {
    this.#column = column;
    this.#name = name;
    this.#bind = bind;
    this.#cast = cast;
  }

  compare(sign: Sign, value: Operand): string {
    return `${this.#name} ${sign} ${this.#value(value)}`;
  }

  between(low: Operand, high: Operand): string {
    return `${this.#name} BETWEEN ${this.#value(low)} AND ${this.#value(high)}`;
  }

  member(values: readonly Operand[], negated: boolean): string {
    return `${this.#name} ${negated ? 'NOT IN' : 'IN'} (${values.map((value) => this.#value(value)).join(', ')})`;
  }

  contains(search: Search): string {
    const text = this.#column.kind === 'text' ? this.#name : `${this.#name}::text`;
    const isFolded = search.letters === 'any case';
    const not = search.negated ? 'NOT ' : '';
    if (isFolded && BEYOND_ASCII.test(search.text)) {
      const start = search.at === 'start' ? '^' : '';
      return `${text} ${search.negated ? '!~' : '~'} ${this.#bind.text(start + eitherCase(search.text))}`;
    }
    return `${text} ${not}${isFolded ? 'ILIKE' : 'LIKE'} ${this.#bind.text(likePattern(search))} ESCAPE '${LIKE_ESCAPE}'`;
  }

  #value(value: Operand): string {
    return `${this.#bind.value(this.#column, toServerNotation(this.#column, value))}${this.#cast}`;
  }
}
