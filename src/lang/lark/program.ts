/** A program: compiled once, run many times with different values. */
import { CompileError, type Problem, problemAt, Source } from '../source.ts';
import { compileFile } from './compile/compile.ts';
import { UNIVERSE } from './library/universe.ts';
import { resolveFile } from './resolve/resolve.ts';
import { memberReads } from './syntax/members.ts';
import { type LarkDialect, STEP_DIALECT } from './syntax/options.ts';
import { parseFile } from './syntax/parse.ts';
import type { Binding } from './syntax/scope.ts';
import { SyntaxProblem } from './syntax/syntax-problem.ts';
import type { Execute } from './values/function.ts';
import { readable } from './values/text/utf8.ts';
import type { LarkValue } from './values/value.ts';

export interface CompileOptions {
  /** Name of the text in errors. */
  readonly name?: string;
  /** Names for which the host provides a value in every run. */
  readonly predeclared?: Iterable<string>;
  /** Modules that can be used by their name without a `load`. */
  readonly modules?: Iterable<string>;
  readonly dialect?: Partial<LarkDialect>;
  /** Additional values for all runs, for hosts that extend the language. */
  readonly extensions?: ReadonlyMap<string, LarkValue>;
  /** A predeclared name whose fields read by the program are reported. */
  readonly watch?: string;
}

export interface LarkProgram {
  readonly source: Source;
  /** Modules named by `load`, and modules used by their name alone. */
  readonly modules: readonly string[];
  /** Predeclared names that the program reads. */
  readonly reads: readonly string[];
  /** Global names that the program assigns. */
  readonly assigns: readonly string[];
  /** Fields of the watched name that the program reads by a constant. */
  readonly members: ReadonlySet<string>;
  readonly options: CompileOptions;
  readonly layout: ProgramLayout;
}

export interface ProgramLayout {
  readonly body: Execute;
  readonly size: number;
  readonly globals: readonly Binding[];
  readonly predeclared: readonly Binding[];
  readonly cellSlots: readonly number[];
}

const NO_MEMBERS: ReadonlySet<string> = new Set();

/**
 * Maximum length of a source text that is compiled inline: compiling cannot be split into slices.
 */
const MAX_TEXT = 256 * 1024;

export function compileLark(rawText: string, options: CompileOptions = {}): LarkProgram {
  const text = readable(rawText);
  const source = new Source(options.name ?? 'main.star', text);
  if (text.length > MAX_TEXT) refuse(source, [new SyntaxProblem(0, `the text is longer than ${MAX_TEXT} characters`)]);
  const dialect: LarkDialect = { ...STEP_DIALECT, ...options.dialect };
  const moduleNames = new Set(options.modules ?? []);
  const predeclared = new Set([...moduleNames, ...(options.predeclared ?? [])]);
  const universe = options.extensions === undefined ? UNIVERSE : new Map([...UNIVERSE, ...options.extensions]);
  const parsed = parseFile(text);
  const names = { predeclared, universal: new Set(universe.keys()) };
  const resolved = resolveFile(source, parsed.statements, names, dialect);
  // A statement that did not parse may have bound any name, so only other errors are certain.
  const resolverProblems =
    parsed.problems.length === 0 ? resolved.problems : resolved.problems.filter((p) => !p.message.startsWith('undefined:'));
  refuse(source, [...parsed.problems, ...resolverProblems]);
  const reads = resolved.predeclared.map((binding) => binding.name);
  return {
    source,
    modules: [...new Set([...resolved.modules, ...reads.filter((name) => moduleNames.has(name))])],
    reads: reads.filter((name) => !moduleNames.has(name)),
    assigns: resolved.globals.map((binding) => binding.name),
    members: options.watch !== undefined && reads.includes(options.watch) ? memberReads(parsed.statements, options.watch) : NO_MEMBERS,
    options,
    layout: {
      body: compileFile(source, parsed.statements, resolved.scope, dialect, universe),
      size: resolved.size,
      globals: resolved.globals,
      predeclared: resolved.predeclared,
      cellSlots: resolved.scope.locals.filter((binding) => binding.captured).map((binding) => binding.slot),
    },
  };
}

function refuse(source: Source, problems: readonly SyntaxProblem[]): void {
  const sorted = problems.toSorted((a, b) => a.at - b.at).map((p): Problem => problemAt(source, p.at, p.message));
  const [first, ...rest] = sorted;
  if (first !== undefined) throw new CompileError([first, ...rest]);
}

/** Modules that a program may load. They are checked before it is stored. */
export function moduleDependencies(program: LarkProgram): readonly string[] {
  return program.modules;
}

/** Modules that load each other in a cycle, if any. Missing modules do not count. */
export function findModuleCycle(start: string, dependencies: (module: string) => readonly string[] | undefined): string[] | undefined {
  const done = new Set<string>();
  const visit = (module: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(module)) return [...path.slice(path.indexOf(module)), module];
    if (done.has(module)) return undefined;
    for (const next of dependencies(module) ?? []) {
      const cycle = visit(next, [...path, module]);
      if (cycle !== undefined) return cycle;
    }
    done.add(module);
    return undefined;
  };
  return visit(start, []);
}
