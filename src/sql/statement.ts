/**
 * A statement: its text, and what each of its parameters is. The values are kept apart from it, so one statement serves every request of its
 * shape. An engine that needs to say more of a statement extends this type in its own folder.
 */
import type { ResultColumn } from '../model/cells.ts';
import type { Lease } from '../util/bytes/buffer-pool.ts';

/** Text (or bytes) that has been checked against its parameter's type; null is SQL's NULL. */
export type ParamValue = Operand | null;

/** What a statement is run with. The connection takes a lease over: it releases the bytes when it has written them, whatever becomes of the run. */
export type StatementParam = ParamValue | Lease;

/** A value to compare with: never NULL, for which SQL has its own words. */
export type Operand = string | Uint8Array;

/** What a parameter is, fixed with the statement's text: binding never looks at the value to choose a type. */
export interface ParamType {
  readonly kind: ParamKind;
  /** The engine's own type for a cast or a typed parameter (`int4`, `UInt64`, `Array(String)`). */
  readonly cast: string;
}

export type ParamKind = 'int' | 'decimal' | 'float' | 'bool' | 'text' | 'bytes' | 'json' | 'temporal' | 'other';

export interface Statement {
  readonly text: string;
  readonly types: readonly ParamType[];
  /** What the select list yields, when the caller knows; else the engine derives it from the result's own description. */
  readonly columns?: readonly ResultColumn[];
  /**
   * What happens when the result's own description has other kinds than `columns`: the statement fails as stale, and no row is passed on.
   * Without it the description's kinds hold, under the names of `columns`.
   */
  readonly onOtherKinds?: 'fail';
}
