/**
 * Lark: the language of the public Starlark specification, compiled to closures and bounded by budgets.
 * The only door to this folder; a leaf that knows nothing of HTTP, SQL or YAML.
 */
export { LarkFailure } from './failure.ts';
export { freeze } from './freeze.ts';
export { type Dialect, STEP_DIALECT } from './options.ts';
export { type CompileOptions, compileLark, findModuleCycle, type LarkProgram, moduleDependencies } from './program.ts';
export { describeError, LarkSession, type LarkStreams, runLarkFile, startLarkRepl } from './repl.ts';
export { executeWith, LoadError, makeThread, type RunOptions, runLark, traceback } from './run.ts';
export type { LarkTask } from './task.ts';
export { repr, str } from './text.ts';
export { Thread } from './thread.ts';
export { UNIVERSE } from './universe.ts';
