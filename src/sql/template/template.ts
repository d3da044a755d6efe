/** The SQL of a step as a template: fixed text, and slots for bound values. Types only. */
import type { Path } from './token.ts';

/**
 * Where a slot stands:
 *   limit       a number of rows
 *   comparison  beside a column that it is compared with
 *   listed      among others inside IN ( … )
 *   array       where an array of the engine belongs
 *   null_test   before IS NULL
 *   value       anywhere else
 */
export type SlotPlace = 'limit' | 'comparison' | 'listed' | 'array' | 'null_test' | 'value';

export interface TemplateSlot {
  readonly path: Path;
  readonly form: 'bare' | 'quoted';
  readonly place: SlotPlace;
  /** `true` if the server cannot take its type from a column, a function or a cast beside it. */
  readonly isOperand: boolean;
  /** `true` behind a slash, also in parentheses. */
  readonly isDivisor: boolean;
}

export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'slot'; readonly slot: TemplateSlot; readonly cast?: string }
  /** A literal with slots; its fixed pieces are literals. */
  | { readonly kind: 'joined'; readonly pieces: readonly (string | TemplateSlot)[]; readonly cast?: string }
  /** `[NOT] IN (?:list)` with a single slot. */
  | { readonly kind: 'in'; readonly slot: TemplateSlot; readonly negated: boolean };

export interface Template {
  readonly parts: readonly TemplatePart[];
  readonly slots: readonly TemplateSlot[];
  readonly facts: StatementFacts;
  readonly tables: readonly string[];
}

/** Facts about a statement, from its words. Unknown words are not trusted. */
export interface StatementFacts {
  /** `true` if it only reads. Called functions are not checked. */
  readonly reads: boolean;
  /** `true` if it only touches rows, so that it runs completely within the transaction. */
  readonly plain: boolean;
  /** `true` if it cannot be part of a transaction. */
  readonly alone: boolean;
  /** `true` if it leaves the session unchanged. */
  readonly harmless: boolean;
  /** `true` if it changes the schema. */
  readonly changesSchema: boolean;
}
