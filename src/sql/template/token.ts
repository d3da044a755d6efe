/** Tokens of a step's SQL, and the paths that its slots name. */

/** A path such as `step_0[2].x`: the first name, then fields and indexes. */
export interface Path {
  readonly text: string;
  readonly first: string;
  readonly rest: readonly (string | number)[];
}

export type SqlTokenKind = 'space' | 'comment' | 'word' | 'name' | 'string' | 'number' | 'slot' | 'symbol';

export interface SqlToken {
  readonly kind: SqlTokenKind;
  readonly text: string;
  readonly at: number;
  /** Path of a slot. */
  readonly path?: Path;
  /**
   * For a string with slots: its text between the slots, without quotes and prefix, and the slots.
   */
  readonly pieces?: readonly (string | Path)[];
  /** Prefix and quote of a string. */
  readonly prefix?: string;
  readonly quote?: string;
}
