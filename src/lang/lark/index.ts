/**
 * Lark: the language of the public Starlark specification, compiled to closures and bounded by
 * budgets. Entry of this folder; must not import HTTP, SQL or YAML.
 */

export { isBuiltinModule, UNIVERSE } from './library/universe.ts';
export { type CompileOptions, compileLark, findModuleCycle, type LarkProgram, moduleDependencies } from './program.ts';
export { describeError, LarkSession, type LarkStreams, runLarkFile, startLarkRepl } from './repl.ts';
export { executeWith, type LarkRunOptions, LoadError, makeThread, runLark, traceback } from './run.ts';
export { type LarkDialect, STEP_DIALECT } from './syntax/options.ts';
export type { LarkTask } from './task.ts';
export { LarkFailure } from './values/failure.ts';
export { freeze } from './values/freeze.ts';
export { repr, str } from './values/text/text.ts';
export { Thread } from './values/thread.ts';
