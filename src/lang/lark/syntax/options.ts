/**
 * The dialect switches of the language, named as the public test suites name them.
 * Refuses to know what each switch does: the scanner, the resolver and the calls look at them.
 */
export interface LarkDialect {
  /** The builtin `set`. */
  readonly set: boolean;
  readonly while: boolean;
  /** `if`, `for` and `while` outside of functions. */
  readonly topLevelControl: boolean;
  readonly globalReassign: boolean;
  /** Names bound by `load` are globals of the file rather than private to it. */
  readonly loadBindsGlobally: boolean;
  readonly recursion: boolean;
}

/** What steps and modules are written in. */
export const STEP_DIALECT: LarkDialect = {
  set: true,
  while: false,
  topLevelControl: true,
  globalReassign: true,
  loadBindsGlobally: false,
  recursion: false,
};
