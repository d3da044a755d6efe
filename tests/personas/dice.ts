// Random rows, filters, grants and claims for the oracle test. The same seed gives the same values.
import type { Random } from '../torture/random.ts';
import { type Claims, columnsIn, type Filter, type Grant, type Grants, isNumber, type Row, type Value } from './oracle.ts';

export const FACTS = ['id', 'a', 'b', 'c', 'd'] as const;
export const NOTES = ['id', 'fact', 't'] as const;
export const IDS = 30;

const LETTERS = ['w', 'x', 'y', 'z'];
const NUMBERS = [0, 1, 2, 3, 4, 5];

export class Dice {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  chance(share: number): boolean {
    return this.#random.next() < share;
  }

  one<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  below(most: number): number {
    return Math.floor(this.#random.next() * most);
  }

  some<T>(items: readonly T[], share = 0.5): T[] {
    return items.filter(() => this.chance(share));
  }

  value(column: string): number | string {
    if (column === 'id' || column === 'fact') return this.below(IDS);
    return isNumber(column) ? this.below(6) : this.one(LETTERS);
  }

  filter(columns: readonly string[], source: 'claims' | 'values', depth = 0): Filter {
    const kind = this.below(depth > 1 ? 7 : 10);
    const column = this.one(columns);
    const isClaimed = source === 'claims' && this.chance(0.5);
    if (kind < 4) {
      const op = this.one(['eq', 'ne', 'lt', 'gt'] as const);
      return { op, column, value: isClaimed ? { claim: isNumber(column) ? 'n' : 't' } : this.value(column) };
    }
    if (kind < 6) {
      const values = isClaimed ? { claim: isNumber(column) ? 'ns' : 'ts' } : [this.value(column), this.value(column)];
      return { op: this.one(['in', 'nin'] as const), column, values };
    }
    if (kind === 6) return { op: this.one(['null', 'notnull'] as const), column };
    if (kind === 7) return { op: 'not', of: this.filter(columns, source, depth + 1) };
    return { op: this.one(['or', 'and'] as const), of: [this.filter(columns, source, depth + 1), this.filter(columns, source, depth + 1)] };
  }

  /** A filter that a caller may try, including filters that match every row. */
  asked(columns: readonly string[]): Filter {
    const filter = this.filter(columns, 'values');
    if (this.chance(0.8)) return filter;
    const column = this.one(columns);
    const all: Filter = {
      op: 'or',
      of: [
        { op: 'null', column },
        { op: 'notnull', column },
      ],
    };
    return this.one<Filter>([all, { op: 'or', of: [all, filter] }, { op: 'not', of: { op: 'and', of: [{ op: 'not', of: all }, filter] } }]);
  }

  #rows(columns: readonly string[]): Pick<Grant, 'rows'> {
    if (!this.chance(0.7)) return {};
    return { rows: [this.filter(columns, 'claims'), ...(this.chance(0.3) ? [this.filter(columns, 'values')] : [])] };
  }

  #columns(from: readonly string[]): Pick<Grant, 'columns' | 'except'> {
    const chosen = this.some(from, 0.7);
    if (chosen.length === 0 || this.chance(0.3)) return {};
    return this.chance(0.5) ? { columns: chosen } : { except: chosen.slice(0, 2) };
  }

  #set(): Row {
    return Object.fromEntries(
      this.some(['a', 'b', 'd'], 0.25).map((column) => [
        column,
        this.chance(0.4) ? ({ claim: isNumber(column) ? 'n' : 't' } as unknown as Value) : this.value(column),
      ]),
    );
  }

  read(columns: readonly string[]): Grant {
    const mask = Object.fromEntries(this.some(columns.slice(1), 0.12).map((column) => [column, this.one(['***', null])]));
    return { ...this.#columns(columns), ...this.#rows(columns), mask, ...(this.chance(0.3) && { max_page_size: 1 + this.below(8) }) };
  }

  grants(): Grants {
    const grants: { -readonly [K in keyof Grants]: Grant } = {};
    if (this.chance(0.9)) grants.read = this.read(FACTS);
    if (this.chance(0.7)) {
      const set = this.#set();
      grants.insert = { ...this.#columns(FACTS.filter((column) => !(column in set))), set };
    }
    if (this.chance(0.7)) {
      const set = this.#set();
      const ruled = this.#rows(FACTS);
      const named = new Set((ruled.rows ?? []).flatMap(columnsIn));
      const free = FACTS.filter((column) => column !== 'id' && !(column in set) && !named.has(column));
      grants.update = { ...this.#columns(free), ...ruled, set };
    }
    if (this.chance(0.6)) grants.delete = this.#rows(FACTS);
    return grants;
  }

  claims(): Claims {
    const all: Claims = { n: this.below(6), t: this.one(LETTERS), ns: this.some(NUMBERS, 0.4), ts: this.some(LETTERS, 0.4) };
    return Object.fromEntries(Object.entries(all).filter(() => this.chance(0.96)));
  }

  fact(id: number): Row {
    return {
      id,
      a: this.chance(0.2) ? null : this.below(6),
      b: this.chance(0.2) ? null : this.one(LETTERS),
      c: this.one(LETTERS),
      d: this.below(6),
    };
  }

  note(id: number): Row {
    return { id, fact: this.chance(0.1) ? null : this.below(IDS), t: this.one(LETTERS) };
  }
}
