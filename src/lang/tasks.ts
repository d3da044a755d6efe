/** What can be run in the sandbox: a table of kinds. A new language is one more entry. */
import { type ExprTask, exprKind } from './expr/task.ts';
import { type LarkTask, larkKind } from './lark/task.ts';
import type { TaskKind } from './task-kind.ts';

export interface Tasks {
  readonly lark: LarkTask;
  readonly expr: ExprTask;
}

export type KindName = keyof Tasks;

export const KINDS: { readonly [K in KindName]: TaskKind<Tasks[K]> } = { lark: larkKind, expr: exprKind };
