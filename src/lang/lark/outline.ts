/**
 * Programs whose text is too long to be compiled on the thread that serves requests. A worker
 * compiles and runs them; this thread keeps an outline of what callers need.
 */
import type { PlainMap, PlainValue } from '../../util/text/decimal.ts';
import { Source } from '../source.ts';
import { compilingKind, type TaskKind } from '../task-kind.ts';
import { compileLark, type LarkProgram } from './program.ts';
import { compileKept, type LarkText } from './task.ts';

const FACTS = ['modules', 'reads', 'assigns', 'members'] as const;

function outlineOf(text: LarkText): PlainMap {
  const program = compileKept(text);
  return new Map(FACTS.map((name): [string, PlainValue] => [name, [...program[name]]]));
}

/** Program that is represented by its outline. It is compiled here only if it is run inline. */
export function awayLark(text: LarkText, outline: PlainMap): LarkProgram {
  const { name, predeclared, modules, watch } = text;
  const options = { name, predeclared, modules, ...(watch === undefined ? {} : { watch }) };
  const fact = (key: (typeof FACTS)[number]): readonly string[] => outline.get(key) as readonly string[];
  let layout: LarkProgram['layout'] | undefined;
  return {
    source: new Source(name, text.text),
    modules: fact('modules'),
    reads: fact('reads'),
    assigns: fact('assigns'),
    members: new Set(fact('members')),
    options,
    get layout() {
      layout ??= compileLark(text.text, options).layout;
      return layout;
    },
  };
}

export const larkOutlineKind: TaskKind<LarkText> = compilingKind(outlineOf);
