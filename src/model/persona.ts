/**
 * A persona: the rights of callers with certain roles on tables, columns and rows of a space.
 * Independent of the grammar of rules and of storage.
 */
import type { PlainValue } from '../util/text/decimal.ts';

/** A stored persona: the fields that select it, and the document, which is parsed on first use. */
export interface PersonaRecord {
  readonly persona: string;
  readonly about: string;
  readonly roles: readonly string[];
  /** Lower ranks take precedence. */
  readonly rank: number;
  /** JSON. */
  readonly document: string;
  readonly userId: string;
  readonly updatedAt: string;
  /** Changes with the content of the persona. Derived values are cached by it. */
  readonly revision: string;
}

/** A persona before it is stored. */
export type PersonaDraft = Omit<PersonaRecord, 'updatedAt' | 'revision'>;

/**
 * The personas of a space by name, in order of rank and name. Immutable: a change replaces the map.
 */
export type Personas = ReadonlyMap<string, PersonaRecord>;

export const PERSONA_NAME = /^[a-z][a-z0-9_-]{0,62}$/;

/** A value that the service sets: a constant of the document, or an attribute of the caller. */
export type PresetValue =
  | { readonly from: 'document'; readonly value: PlainValue }
  /** `user_id`, `roles`, `claims.region` … */
  | { readonly from: 'caller'; readonly name: string };

/** Columns of an operation: listed, all except listed, or all. */
export interface ColumnGrant {
  readonly columns?: readonly string[] | undefined;
  readonly except?: readonly string[] | undefined;
}

/** Filters of the Auto grammar. A row must match all of them. */
export interface RowRule {
  readonly rows: readonly string[];
}

export interface ReadGrant extends ColumnGrant, RowRule {
  /** Replacement of a column's values. */
  readonly mask: ReadonlyMap<string, string | null>;
  readonly maxPageSize?: number | undefined;
}

export interface InsertGrant extends ColumnGrant {
  readonly set: ReadonlyMap<string, PresetValue>;
}

export interface UpdateGrant extends InsertGrant, RowRule {}

/** Rights on a table. An absent operation is not granted. */
export interface TableGrants {
  readonly read?: ReadGrant;
  readonly insert?: InsertGrant;
  readonly update?: UpdateGrant;
  readonly delete?: RowRule;
}

/** Operation that a plan is authorized for. Rows returned by a write need the right to read. */
export type Operation = keyof TableGrants;

/** A table as the document names it, or `*` for all tables that are not listed. */
export interface TableKey {
  readonly type: string;
  /** Includes the schema, if any. */
  readonly database: string;
  readonly table: string;
}

export interface GrantedTable extends TableKey {
  readonly grants: TableGrants;
}

/** A parsed persona document. */
export interface Persona {
  readonly persona: string;
  readonly about: string;
  readonly roles: readonly string[];
  readonly rank: number;
  readonly tables: readonly GrantedTable[];
}
