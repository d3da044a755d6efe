/**
 * Compiles a short text inline and a long one in a worker, where it will also run, so that the
 * event loop is never blocked. Throws CompileError either way.
 */
import type { PlainMap } from '../util/text/decimal.ts';
import { DEFAULT_LIMITS, type RunLimits } from './budget.ts';
import { type CompiledExpr, compileExpr } from './expr/index.ts';
import { awayExpr } from './expr/outline.ts';
import { awayLark } from './lark/outline.ts';
import { type CompileOptions, compileLark, type LarkProgram } from './lark/program.ts';
import { runStep, type StepOptions } from './sandbox/index.ts';

/** Length up to which a text is compiled inline, in a few milliseconds. */
const LONG_TEXT = 32 * 1024;

export function isLongText(text: string): boolean {
  return text.length > LONG_TEXT;
}

/** Tenant of the text, and the time slices of that tenant. */
export type CompileTenant = Required<Pick<StepOptions, 'tenant' | 'nextSlice'>>;

/** Budget of compiling. The longest text takes less than a second on an idle machine. */
const LIMITS: RunLimits = { ...DEFAULT_LIMITS, millis: 30_000, bytes: 16 * 1024 * 1024 };

export interface LarkOptions extends Pick<CompileOptions, 'watch'> {
  readonly name: string;
  readonly predeclared: readonly string[];
  readonly modules: readonly string[];
}

export function compileLarkFor(tenant: CompileTenant, text: string, options: LarkOptions): LarkProgram | Promise<LarkProgram> {
  if (!isLongText(text)) return compileLark(text, options);
  const packed = { ...options, text, watch: options.watch };
  return outline('larkOutline', packed, tenant).then((facts) => awayLark(packed, facts));
}

export interface ExprTextOptions {
  readonly file: string;
  readonly names: readonly string[];
  readonly watch: string;
}

export function compileExprFor(tenant: CompileTenant, text: string, options: ExprTextOptions): CompiledExpr | Promise<CompiledExpr> {
  if (!isLongText(text)) return compileExpr(text, options);
  const packed = { ...options, text };
  return outline('exprOutline', packed, tenant).then((facts) => awayExpr(packed, facts));
}

async function outline<K extends 'larkOutline' | 'exprOutline'>(
  kind: K,
  text: Parameters<typeof runStep<K>>[1],
  tenant: CompileTenant,
): Promise<PlainMap> {
  return (await runStep(kind, text, LIMITS, { ...tenant, place: 'worker' })) as PlainMap;
}
