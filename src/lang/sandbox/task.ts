/** What can be run in the sandbox: a table of kinds. A new language is one more entry. */
import type { TaskKind } from './kind.ts';
import { type LarkTask, larkKind } from './lark-task.ts';

export interface Tasks {
  readonly lark: LarkTask;
}

export type KindName = keyof Tasks;

export const KINDS: { readonly [K in KindName]: TaskKind<Tasks[K]> } = { lark: larkKind };
