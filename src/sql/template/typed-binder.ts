/**
 * Template binder for engines with typed parameters. Values determine the types, and types
 * determine the text. No text is used with two lists of types, which some servers would cache
 * incorrectly.
 */
import { BoundedMap } from '../../util/bounded-map.ts';
import { Decimal, type PlainValue } from '../../util/text/decimal.ts';
import type { BoundStatement } from '../dialect.ts';
import type { ParamType, ParamValue, Statement } from '../statement.ts';
import type { Template, TemplatePart, TemplateSlot } from './template.ts';
import { BindProblem, type Resolve, type TemplateBinder } from './template-binder.ts';

export interface Typed {
  readonly type: ParamType;
  readonly value: ParamValue;
}

/** Filling of a slot: parameters, or fixed SQL (NULL, an empty list). */
export type Filling = { readonly typed: readonly Typed[] } | { readonly text: string };

export interface TypedRules {
  /** Fills a slot outside of a list. */
  fill(slot: TemplateSlot, value: PlainValue): Filling;
  /** Fills the list of `IN (?:list)`. */
  fillIn(slot: TemplateSlot, value: PlainValue): Filling;
  /** Fills a slot inside a literal. */
  fillPiece(slot: TemplateSlot, value: PlainValue): Filling;
  /** Makes the statement of a text, if it needs more than text and types. */
  statement?(text: string, types: readonly ParamType[]): Statement;
  placeholder(index: number, type: ParamType): string;
  join(pieces: readonly string[]): string;
  cast(text: string, type: string): string;
  in(list: string, negated: boolean): string;
}

const MAX_TEXTS = 64;

export class TypedBinder implements TemplateBinder {
  readonly #template: Template;
  readonly #rules: TypedRules;
  readonly #statements = new BoundedMap<string, Statement>(MAX_TEXTS);

  constructor(template: Template, rules: TypedRules) {
    this.#template = template;
    this.#rules = rules;
  }

  bind(resolve: Resolve): BoundStatement {
    const fillings: Filling[] = [];
    const params: ParamValue[] = [];
    let signature = '';
    for (const part of this.#template.parts) {
      for (const filling of this.#fillingsOf(part, resolve)) {
        fillings.push(filling);
        signature += '|';
        if ('text' in filling) signature += filling.text;
        else
          for (const { type, value } of filling.typed) {
            signature += `${type.kind} ${type.cast},`;
            params.push(value);
          }
      }
    }
    return { statement: this.#statements.get(signature) ?? this.#keep(signature, fillings), params };
  }

  #fillingsOf(part: TemplatePart, resolve: Resolve): readonly Filling[] {
    switch (part.kind) {
      case 'text':
        return NONE;
      case 'slot':
        return [this.#rules.fill(part.slot, resolve(part.slot.path))];
      case 'in':
        return [this.#rules.fillIn(part.slot, resolve(part.slot.path))];
      case 'joined':
        return part.pieces.filter((piece) => typeof piece !== 'string').map((slot) => this.#rules.fillPiece(slot, resolve(slot.path)));
    }
  }

  #keep(signature: string, fillings: readonly Filling[]): Statement {
    const statement = this.#render(fillings);
    this.#statements.set(signature, statement);
    return statement;
  }

  #render(fillings: readonly Filling[]): Statement {
    const types: ParamType[] = [];
    let next = 0;
    const fill = (): string => {
      const filling = fillings[next++];
      if (filling === undefined || 'text' in filling) return filling?.text ?? '';
      return filling.typed.map(({ type }) => this.#rules.placeholder(types.push(type), type)).join(', ');
    };
    const text = this.#template.parts.map((part) => this.#text(part, fill)).join('');
    return this.#rules.statement?.(text, types) ?? { text, types };
  }

  #text(part: TemplatePart, fill: () => string): string {
    switch (part.kind) {
      case 'text':
        return part.text;
      case 'in':
        return this.#rules.in(fill(), part.negated);
      case 'slot':
        return part.cast === undefined ? fill() : this.#rules.cast(fill(), part.cast);
      case 'joined': {
        const joined = this.#rules.join(part.pieces.map((piece) => (typeof piece === 'string' ? piece : fill())));
        return part.cast === undefined ? joined : this.#rules.cast(joined, part.cast);
      }
    }
  }
}

const NONE: readonly Filling[] = [];

const DIGITS = /^\d{1,18}$/;

/** Returns the digits of a row count; throws for anything else. */
export function rowCount(slot: TemplateSlot, value: PlainValue): string {
  const text = value instanceof Decimal ? value.text : String(value);
  if (!DIGITS.test(text)) throw new BindProblem(slot.path, 'is not a number of rows; give a whole number');
  return text;
}
