/**
 * A persona: what callers with certain roles may do with the tables of a space, on which columns and rows. Knows neither the grammar of rules
 * nor where personas are kept.
 */
import type { PlainValue } from '../util/text/decimal.ts';

/** A persona as it is kept: what choosing one needs, and the document, which is read when the persona is first in force. */
export interface PersonaRecord {
  readonly persona: string;
  readonly about: string;
  readonly roles: readonly string[];
  /** Lower comes first. */
  readonly rank: number;
  /** JSON. */
  readonly document: string;
  readonly userId: string;
  readonly updatedAt: string;
  /** Differs between any two contents of a persona of that name: what was made of it is kept by it. */
  readonly revision: string;
}

/** What a caller of the store gives; the rest is the store's. */
export type PersonaDraft = Omit<PersonaRecord, 'updatedAt' | 'revision'>;

/** The personas of a space by name, in order of rank and name. One immutable picture, replaced as a whole. */
export type Personas = ReadonlyMap<string, PersonaRecord>;

export const PERSONA_NAME = /^[a-z][a-z0-9_-]{0,62}$/;

/** A value that the service gives: as the document has it, or taken from the caller at each request. */
export type PresetValue =
  | { readonly from: 'document'; readonly value: PlainValue }
  /** `user_id`, `roles`, `claims.region` … */
  | { readonly from: 'caller'; readonly name: string };

/** Columns of an operation: these, all but these, or all. */
export interface ColumnGrant {
  readonly columns?: readonly string[] | undefined;
  readonly except?: readonly string[] | undefined;
}

/** Filters of the Auto grammar, all of which a row must match. */
export interface RowRule {
  readonly rows: readonly string[];
}

export interface ReadGrant extends ColumnGrant, RowRule {
  /** What is shown instead of a column's values. */
  readonly mask: ReadonlyMap<string, string | null>;
  readonly maxPageSize?: number | undefined;
}

export interface InsertGrant extends ColumnGrant {
  readonly set: ReadonlyMap<string, PresetValue>;
}

export interface UpdateGrant extends InsertGrant, RowRule {}

/** What may be done with a table; an operation that is absent is not granted. */
export interface TableGrants {
  readonly read?: ReadGrant;
  readonly insert?: InsertGrant;
  readonly update?: UpdateGrant;
  readonly delete?: RowRule;
}

/** Which rule a plan falls under. Rows that a write gives back are read. */
export type Operation = keyof TableGrants;

/** A table, or `*` for every other one, as the document names it. */
export interface TableKey {
  readonly type: string;
  /** With the schema, where one is given. */
  readonly database: string;
  readonly table: string;
}

export interface GrantedTable extends TableKey {
  readonly grants: TableGrants;
}

/** The document, read. */
export interface Persona {
  readonly persona: string;
  readonly about: string;
  readonly roles: readonly string[];
  readonly rank: number;
  readonly tables: readonly GrantedTable[];
}
