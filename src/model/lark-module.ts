/**
 * A Lark module: code that the definitions of a space share. Independent of the language and of
 * storage.
 */
export interface LarkModule {
  readonly module: string;
  readonly code: string;
  readonly userId: string;
  readonly updatedAt: string;
  /** Changes with the content of the module. Compiled code is cached by it. */
  readonly revision: string;
}

/** The modules of a space by name. */
export type LarkModules = ReadonlyMap<string, LarkModule>;

export const MODULE_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/;
