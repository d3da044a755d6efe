/**
 * expr steps as tasks: a compiled expression here, its text in a worker, which compiles once and
 * caches.
 */
import { BoundedMap } from '../../util/bounded-map.ts';
import type { PlainValue } from '../../util/text/decimal.ts';
import { Budget, type RunLimits } from '../budget.ts';
import type { Ran, TaskKind } from '../task-kind.ts';
import { type CompiledExpr, compileExpr, runExpr } from './index.ts';

export interface ExprTask {
  readonly compiled: CompiledExpr;
  readonly values: ReadonlyMap<string, PlainValue>;
}

/** Expression as cloneable data. */
export interface ExprText {
  readonly text: string;
  readonly file: string;
  readonly names: readonly string[];
  readonly watch: string | undefined;
}

const NO_PRINTS: readonly string[] = [];
const MAX_KEPT = 200;
const kept = new BoundedMap<string, CompiledExpr>(MAX_KEPT);

function run({ compiled, values }: ExprTask, limits: RunLimits): Ran {
  return { value: runExpr(compiled, values, new Budget(limits)), prints: NO_PRINTS };
}

export function compileKept({ text, file, names, watch }: ExprText): CompiledExpr {
  const key = [file, names.join(), watch, text].join('\0');
  const known = kept.get(key);
  if (known !== undefined) return known;
  const compiled = compileExpr(text, { names, file, ...(watch === undefined ? {} : { watch }) });
  kept.set(key, compiled);
  return compiled;
}

export const exprKind: TaskKind<ExprTask> = {
  identity: ({ compiled }) => compiled,
  run,
  pack: ({ compiled, values }) => {
    const { text, name } = compiled.source;
    return { program: { text, file: name, names: compiled.names, watch: compiled.watch }, values };
  },
  ready: (packed) => void compileKept(packed as ExprText),
  runPacked: (packed, values, limits) => run({ compiled: compileKept(packed as ExprText), values }, limits),
  specialError: (_, error) => error,
};
