/**
 * Interface of a language to the sandbox: how a task runs inline, and how it is packed for a
 * worker.
 */
import type { PlainValue } from '../util/text/decimal.ts';
import type { RunLimits } from './budget.ts';
import type { RunError } from './source.ts';

export interface Ran {
  readonly value: PlainValue;
  /** Printed lines. */
  readonly prints: readonly string[];
}

export interface TaskKind<Task> {
  /** Identity of the program, the same object for all its tasks. */
  identity(task: Task): object;
  run(task: Task, limits: RunLimits): Ran;
  /** The task as cloneable data, separate from its values. */
  pack(task: Task): { readonly program: unknown; readonly values: ReadonlyMap<string, PlainValue> };
  /** Compiles the program in the worker, before its time limit starts. */
  ready?(program: unknown): void;
  /** Runs a packed task in the worker. */
  runPacked(program: unknown, values: ReadonlyMap<string, PlainValue>, limits: RunLimits): Ran;
  /** Rebuilds an error with more data than the common ones. */
  specialError(extra: string, error: RunError): Error;
}

/** Compiling as a task. Its result is an outline of the program. */
export function compilingKind<Text extends object>(outlineOf: (text: Text) => PlainValue): TaskKind<Text> {
  return {
    identity: (text) => text,
    run: (text) => ({ value: outlineOf(text), prints: [] }),
    pack: (text) => ({ program: text, values: new Map() }),
    runPacked: (text) => ({ value: outlineOf(text as Text), prints: [] }),
    specialError: (_, error) => error,
  };
}
