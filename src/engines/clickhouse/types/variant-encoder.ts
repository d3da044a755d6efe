/**
 * Encodes Variant columns: the member type of each row, then the values of each member. JSON does
 * not name the type, so a value belongs to the first member that accepts it.
 */
import type { Lease } from '../../../util/bytes/buffer-pool.ts';
import type { PlainValue } from '../../../util/text/decimal.ts';
import { type ColumnEncoder, counts, growing } from './column-parts.ts';
import { invalid } from './invalid-value.ts';
import { isNumber, parseNested } from './nested.ts';
import type { ChType } from './type-text.ts';

const NO_MEMBER = 255;

/** Tries integer types first for numbers, and String last for text. */
export class VariantEncoder implements ColumnEncoder {
  readonly #encoderOf: (type: ChType) => ColumnEncoder;
  readonly #types: readonly ChType[];
  readonly #members: readonly ColumnEncoder[];
  readonly #choices = growing();
  readonly #order: readonly number[];

  constructor(type: ChType, encoderOf: (type: ChType) => ColumnEncoder) {
    this.#encoderOf = encoderOf;
    this.#types = type.of;
    this.#members = type.of.map(encoderOf);
    this.#order = type.of.map((_, index) => index).sort((a, b) => preference(type.of[a]) - preference(type.of[b]));
  }

  json(value: PlainValue): void {
    if (value === null) {
      this.blank();
      return;
    }
    const index = this.#order.find((candidate) => this.#takes(candidate, value));
    if (index === undefined) throw invalid('no type of the variant accepts the value');
    this.#choices.byte(index);
    this.#members[index]?.json(value);
  }

  text(value: string): void {
    this.json(parseNested(value));
  }

  blank(): void {
    this.#choices.byte(NO_MEMBER);
  }

  /** Tries the value on a separate encoder: half a value must not stay in the column. */
  #takes(index: number, value: PlainValue): boolean {
    const type = this.#types[index];
    if (type === undefined || !isOfSort(type, value)) return false;
    try {
      this.#encoderOf(type).json(value);
      return true;
    } catch {
      return false;
    }
  }

  prefix(): Lease[] {
    return [counts(0), ...this.#members.flatMap((member) => member.prefix())];
  }

  data(): Lease[] {
    return [this.#choices.take(), ...this.#members.flatMap((member) => member.data())];
  }
}

const NUMERIC = /^(U?Int\d+|Float\d+|BFloat16|Decimal\d*)$/;

/**
 * `true` if the JSON kind matches. Unlike single columns, members do not accept each other's
 * notation.
 */
function isOfSort(type: ChType, value: PlainValue): boolean {
  if (typeof value === 'boolean' || type.name === 'Bool') return typeof value === 'boolean' && type.name === 'Bool';
  return isNumber(value) === NUMERIC.test(type.name);
}

function preference(type: ChType | undefined): number {
  const ranks: readonly RegExp[] = [/^Int/, /^UInt/, /^Decimal/, /Float/, /^(?!String)/];
  const rank = ranks.findIndex((pattern) => pattern.test(type?.name ?? ''));
  return rank < 0 ? ranks.length : rank;
}
