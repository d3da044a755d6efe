/**
 * Lark steps as tasks: a compiled program here, its text in a worker, which compiles once and
 * caches.
 */
import { BoundedMap } from '../../util/bounded-map.ts';
import type { PlainValue } from '../../util/text/decimal.ts';
import type { RunLimits } from '../budget.ts';
import type { RunError } from '../source.ts';
import type { Ran, TaskKind } from '../task-kind.ts';
import { compileLark, type LarkProgram } from './program.ts';
import { LoadError, runLark } from './run.ts';

export interface LarkTask {
  readonly program: LarkProgram;
  readonly values: ReadonlyMap<string, PlainValue>;
  readonly modules?: (name: string) => LarkProgram | undefined;
  /** Milliseconds since 1970 for `time.now`: the same inline and in a worker. */
  readonly now: number;
}

/** Program as cloneable data. */
export interface LarkText {
  readonly name: string;
  readonly text: string;
  readonly predeclared: readonly string[];
  readonly modules: readonly string[];
  readonly watch: string | undefined;
}

interface PackedLark {
  readonly step: LarkText;
  readonly modules: ReadonlyMap<string, LarkText>;
  readonly now: number;
}

/** Printed lines that are kept, and their characters. The rest is dropped, with a note. */
const MAX_PRINTS = 1000;
const MAX_PRINTED = 256 * 1024;

function run(task: LarkTask, limits: RunLimits): Ran {
  const prints: string[] = [];
  let room = MAX_PRINTED;
  const print = (line: string): void => {
    if (room < 0) return;
    const isKept = prints.length < MAX_PRINTS && line.length <= room;
    prints.push(isKept ? line : '(further lines are not kept)');
    room = isKept ? room - line.length : -1;
  };
  const find = task.modules === undefined ? {} : { modules: task.modules };
  const value = runLark(task.program, { values: task.values, limits, now: task.now, print, ...find });
  return { value, prints };
}

function packText(program: LarkProgram): LarkText {
  const { name = 'main.star', predeclared = [], modules = [], watch } = program.options;
  return { name, text: program.source.text, predeclared: [...predeclared], modules: [...modules], watch };
}

/** Modules that the program can reach, directly or indirectly. */
function reachable(task: LarkTask): Map<string, LarkText> {
  const packed = new Map<string, LarkText>();
  const waiting = [...task.program.modules];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const module = packed.has(name) ? undefined : task.modules?.(name);
    if (module === undefined) continue;
    packed.set(name, packText(module));
    waiting.push(...module.modules);
  }
  return packed;
}

const MAX_KEPT = 200;
const compiled = new BoundedMap<string, LarkProgram>(MAX_KEPT);

/** Compiles a program and caches it by its text, once per worker. */
export function compileKept({ name, text, predeclared, modules, watch }: LarkText): LarkProgram {
  const key = [name, predeclared.join(), modules.join(), watch, text].join('\0');
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const program = compileLark(text, { name, predeclared, modules, ...(watch === undefined ? {} : { watch }) });
  compiled.set(key, program);
  return program;
}

export const larkKind: TaskKind<LarkTask> = {
  identity: (task) => task.program,
  run,
  pack: (task) => ({ program: { step: packText(task.program), modules: reachable(task), now: task.now }, values: task.values }),
  ready: (packed) => {
    const { step, modules } = packed as PackedLark;
    compileKept(step);
    for (const module of modules.values()) compileKept(module);
  },
  runPacked: (packed, values, limits) => {
    const { step, modules, now } = packed as PackedLark;
    const find = (name: string): LarkProgram | undefined => {
      const module = modules.get(name);
      return module === undefined ? undefined : compileKept(module);
    };
    return run({ program: compileKept(step), values, modules: find, now }, limits);
  },
  specialError: (module: string, error: RunError) => new LoadError(module, error),
};
