/**
 * Kinds of tasks that the sandbox runs. A new language adds two entries: its programs, and
 * compiling them.
 */
import { exprOutlineKind } from './expr/outline.ts';
import { type ExprTask, type ExprText, exprKind } from './expr/task.ts';
import { larkOutlineKind } from './lark/outline.ts';
import { type LarkTask, type LarkText, larkKind } from './lark/task.ts';
import type { TaskKind } from './task-kind.ts';

export interface Tasks {
  readonly lark: LarkTask;
  readonly expr: ExprTask;
  readonly larkOutline: LarkText;
  readonly exprOutline: ExprText;
}

export type KindName = keyof Tasks;

export const KINDS: { readonly [K in KindName]: TaskKind<Tasks[K]> } = {
  lark: larkKind,
  expr: exprKind,
  larkOutline: larkOutlineKind,
  exprOutline: exprOutlineKind,
};
