/** Dialect switches of the language, named as in the public test suites. */
export interface LarkDialect {
  /** Enables the builtin `set`. */
  readonly set: boolean;
  readonly while: boolean;
  /** Allows `if`, `for` and `while` outside of functions. */
  readonly topLevelControl: boolean;
  readonly globalReassign: boolean;
  /** Names bound by `load` are globals of the file instead of private to it. */
  readonly loadBindsGlobally: boolean;
  readonly recursion: boolean;
}

/** Dialect of steps and modules. */
export const STEP_DIALECT: LarkDialect = {
  set: true,
  while: false,
  topLevelControl: true,
  globalReassign: true,
  loadBindsGlobally: false,
  recursion: false,
};
