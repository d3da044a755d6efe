/**
 * Access of a caller to tables: types that are filled in by the personas and used by
 * `authorize.ts`.
 */
import type { SpaceCaller } from '../../model/caller.ts';
import type { Operation } from '../../model/persona.ts';
import type { DeclaredKey } from '../../model/relation.ts';
import type { Column, Table } from '../../model/table.ts';
import type { Condition } from '../../sql/plan.ts';
import type { ParamValue } from '../../sql/statement.ts';

/** The caller for whom rules are evaluated. */
export interface Subject {
  readonly caller: SpaceCaller;
  /** Name of the persona, for error messages. */
  readonly persona: string;
}

/** Row condition that depends on the caller. */
export type CallerRule = (subject: Subject) => Condition;

export type Rule = Condition | CallerRule;

/** A column value that the service sets itself. */
export interface Preset {
  readonly column: Column;
  readonly valueFor: (subject: Subject) => ParamValue;
}

/** Permission for one operation on a table. */
export interface Right {
  /** The table as requests for this operation see it. */
  readonly view: Table;
  /** Columns that the caller may read (read) or write (insert, update). */
  readonly columns: ReadonlySet<Column>;
  readonly rule: Rule | undefined;
  readonly presets: readonly Preset[];
  /** Replacement values by column; `null` shows NULL. */
  readonly masks: ReadonlyMap<Column, string | null>;
  readonly maxPageSize: number | undefined;
  /** `true` if a rule cannot be applied; every request fails. */
  readonly isBroken: boolean;
  /**
   * A required column that the caller may not write; `null` if its name is hidden from the caller.
   */
  readonly missingColumn: string | null | undefined;
}

export interface TableRights {
  readonly rights: { readonly [K in Operation]?: Right };
  /** Readable and writable columns in table order. */
  readonly visible: readonly Column[];
}

/** Encrypts cursors, which contain values that the caller may not be allowed to read. */
export interface CursorSeal {
  seal(text: string): string;
  /** `undefined` if the cursor was not sealed for this caller's persona. */
  open(cursor: string): string | undefined;
}

export interface Restriction {
  readonly subject: Subject;
  readonly seal: CursorSeal;
  /** `undefined` if the table does not exist for this caller. */
  rightsOn(table: Table): TableRights | undefined;
  /** The keys that exist for this caller: it may read their columns on both sides. */
  visibleKeys<K extends DeclaredKey>(keys: readonly K[]): readonly K[];
}

export interface Access {
  /**
   * Callers with the same key may share responses. Contains everything that authorization depends
   * on.
   */
  readonly key: string;
  /** `undefined` for unrestricted callers. */
  readonly restriction: Restriction | undefined;
  /** `true` if the table is hidden. The lookup then takes as long as for a missing table. */
  readonly isBlind: boolean;
}

export const UNRESTRICTED: Access = { key: '', restriction: undefined, isBlind: false };
