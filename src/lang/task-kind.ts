/** What a language provides to run in the sandbox: how a task runs here, and how it is packed for a worker. */
import type { PlainValue } from '../util/text/decimal.ts';
import type { RunLimits } from './budget.ts';
import type { RunError } from './source.ts';

export interface Ran {
  readonly value: PlainValue;
  /** What the program printed, line by line. */
  readonly prints: readonly string[];
}

export interface TaskKind<Task> {
  /** The same object for all tasks of one program; facts about the program are remembered by it. */
  identity(task: Task): object;
  run(task: Task, limits: RunLimits): Ran;
  /** The task as data that can be cloned, with its values apart. */
  pack(task: Task): { readonly program: unknown; readonly values: ReadonlyMap<string, PlainValue> };
  /** In the worker, before the program's time begins: compiles it. */
  ready?(program: unknown): void;
  /** In the worker. */
  runPacked(program: unknown, values: ReadonlyMap<string, PlainValue>, limits: RunLimits): Ran;
  /** An error that carries more than the common ones. */
  specialError(extra: string, error: RunError): Error;
}

/** Compiling as a task: its result is an outline of the program, what others must know of it. */
export function compilingKind<Text extends object>(outlineOf: (text: Text) => PlainValue): TaskKind<Text> {
  return {
    identity: (text) => text,
    run: (text) => ({ value: outlineOf(text), prints: [] }),
    pack: (text) => ({ program: text, values: new Map() }),
    runPacked: (text) => ({ value: outlineOf(text as Text), prints: [] }),
    specialError: (_, error) => error,
  };
}
