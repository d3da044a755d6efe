/**
 * The dialect switches of the language, named as in the public test suites.
 * Does not know what each switch does: the scanner, the resolver and the calls do.
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
