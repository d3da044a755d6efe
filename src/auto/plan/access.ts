/** Access of a caller to tables: types that are filled in by the personas and used by `authorize.ts`. */
import type { SpaceCaller } from '../../model/caller.ts';
import type { Operation } from '../../model/persona.ts';
import type { Column, Table } from '../../model/table.ts';
import type { Condition } from '../../sql/plan.ts';
import type { ParamValue } from '../../sql/statement.ts';

/** For whom rules are applied. */
export interface Subject {
  readonly caller: SpaceCaller;
  /** The name of the persona, for its refusals. */
  readonly persona: string;
}

/** Row condition that depends on the caller. */
export type CallerRule = (subject: Subject) => Condition;

export type Rule = Condition | CallerRule;

/** A value that the service gives itself. */
export interface Preset {
  readonly column: Column;
  readonly valueFor: (subject: Subject) => ParamValue;
}

/** What may be done with a table in one operation. */
export interface Right {
  /** The table as requests for the operation are planned on. */
  readonly view: Table;
  /** Readable, or what the caller may give. */
  readonly columns: ReadonlySet<Column>;
  readonly rule: Rule | undefined;
  readonly presets: readonly Preset[];
  /** What is shown instead of values. */
  readonly masks: ReadonlyMap<Column, string | null>;
  readonly maxPageSize: number | undefined;
  /** A rule of it cannot be applied: nothing is done. */
  readonly isBroken: boolean;
  /** A column that must be given and that nobody may give; null when its name is not for the caller. */
  readonly missingColumn: string | null | undefined;
}

export interface TableRights {
  readonly rights: { readonly [K in Operation]?: Right };
  /** Readable or writable, in the table's order: all that the caller knows of. */
  readonly visible: readonly Column[];
}

/** Nothing that is behind a cursor is for the caller to read or to make up. */
export interface CursorSeal {
  seal(text: string): string;
  /** Undefined when it was not sealed for this caller's persona. */
  open(cursor: string): string | undefined;
}

export interface Restriction {
  readonly subject: Subject;
  readonly seal: CursorSeal;
  /** Undefined: for this caller there is no such table. */
  rightsOn(table: Table): TableRights | undefined;
}

export interface Access {
  /** Two callers with the same key may see each other's answers: everything that narrows a plan is in it. */
  readonly key: string;
  /** Undefined for who may do everything. */
  readonly restriction: Restriction | undefined;
  /** For the caller there is no such table, and finding that out takes as long as for one that is not there. */
  readonly isBlind: boolean;
}

export const UNRESTRICTED: Access = { key: '', restriction: undefined, isBlind: false };
