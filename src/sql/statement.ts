/**
 * A statement: its text and parameter types, without values, so that it is reused for every request
 * of the same form. Engines extend this type in their own folders.
 */
import type { ResultColumn } from '../model/cells.ts';
import type { Lease } from '../util/bytes/buffer-pool.ts';

/** A checked value, as text or bytes; `null` for NULL. */
export type ParamValue = Operand | null;

/** A parameter value. The connection owns a lease and releases it after writing the bytes. */
export type StatementParam = ParamValue | Lease;

/** A value to compare with, never NULL. */
export type Operand = string | Uint8Array;

/** Type of a parameter, fixed with the statement's text. */
export interface ParamType {
  readonly kind: ParamKind;
  /** The engine's own type for a cast or a typed parameter (`int4`, `UInt64`, `Array(String)`). */
  readonly cast: string;
}

export type ParamKind = 'int' | 'decimal' | 'float' | 'bool' | 'text' | 'bytes' | 'json' | 'temporal' | 'other';

export interface Statement {
  readonly text: string;
  readonly types: readonly ParamType[];
  /** Result columns, if known; otherwise taken from the result's own description. */
  readonly columns?: readonly ResultColumn[];
  /**
   * If set, the statement fails as stale when the result has other kinds than `columns`, before any
   * row. Otherwise the result's own kinds are used, with the names of `columns`.
   */
  readonly onOtherKinds?: 'fail';
}
