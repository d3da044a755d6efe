/** Tokens of a step's SQL, and the paths that its slots name. */

/** `step_0[2].x`: the first part, then fields and indexes. */
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
  /** For a slot: what it names. */
  readonly path?: Path;
  /** For a string with slots in it: what stands around them, quotes and prefix aside, and the slots. */
  readonly pieces?: readonly (string | Path)[];
  /** For a string: what stands before its first quote, and that quote. */
  readonly prefix?: string;
  readonly quote?: string;
}
