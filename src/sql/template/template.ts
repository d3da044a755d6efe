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
}

export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'slot'; readonly slot: TemplateSlot; readonly cast?: string }
  /** A literal with slots in it; its fixed pieces are literals of their own. */
  | { readonly kind: 'joined'; readonly pieces: readonly (string | TemplateSlot)[]; readonly cast?: string }
  /** `[NOT] IN (?:list)`, the parentheses holding nothing else. */
  | { readonly kind: 'in'; readonly slot: TemplateSlot; readonly negated: boolean };

export interface Template {
  readonly parts: readonly TemplatePart[];
  readonly slots: readonly TemplateSlot[];
  readonly facts: StatementFacts;
  /** The tables that it names. */
  readonly tables: readonly string[];
}

/** What the words of a statement tell about it. What is not known is not trusted. */
export interface StatementFacts {
  /** Does it only read? Functions that it calls are not looked into. */
  readonly reads: boolean;
  /** Does it touch rows and nothing else, so that it neither ends a transaction nor does half of its work by itself? */
  readonly plain: boolean;
  /** Is it one that cannot be part of a transaction? */
  readonly alone: boolean;
  /** Is the session afterwards as it was before? */
  readonly harmless: boolean;
  /** Does it change the schema? */
  readonly changesSchema: boolean;
}
