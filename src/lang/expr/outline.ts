/**
 * Expressions whose text is too long to be compiled on the thread that serves requests: a worker
 * compiles and runs them.
 */
import type { PlainMap } from '../../util/text/decimal.ts';
import { Source } from '../source.ts';
import { compilingKind, type TaskKind } from '../task-kind.ts';
import { type CompiledExpr, compileExpr } from './index.ts';
import { compileKept, type ExprText } from './task.ts';

function outlineOf(text: ExprText): PlainMap {
  const { uses, members } = compileKept(text);
  return new Map([
    ['uses', [...uses]],
    ['members', [...members]],
  ]);
}

/** Expression that is represented by its outline. It is compiled here only if it is run inline. */
export function awayExpr({ text, file, names, watch }: ExprText, outline: PlainMap): CompiledExpr {
  let whole: CompiledExpr | undefined;
  const compiled = (): CompiledExpr => {
    whole ??= compileExpr(text, { names, file, ...(watch === undefined ? {} : { watch }) });
    return whole;
  };
  return {
    source: new Source(file, text),
    uses: new Set(outline.get('uses') as readonly string[]),
    members: new Set(outline.get('members') as readonly string[]),
    names,
    watch,
    get code() {
      return compiled().code;
    },
    get slots() {
      return compiled().slots;
    },
  };
}

export const exprOutlineKind: TaskKind<ExprText> = compilingKind(outlineOf);
