/**
 * A Lark module: code that the definitions of one space share. Knows nothing of the language nor of where it is kept.
 */
export interface LarkModule {
  readonly module: string;
  readonly code: string;
  readonly userId: string;
  readonly updatedAt: string;
  /** Differs between any two contents of a module of that name. Compiled code is cached by it. */
  readonly revision: string;
}

/** The modules of a space by name. */
export type LarkModules = ReadonlyMap<string, LarkModule>;

export const MODULE_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/;
