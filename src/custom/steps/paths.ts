/**
 * Resolves the path of a slot (`?:name`, `?:input.x`, `?:step_0[2].x`) when a definition is
 * compiled. Independent of SQL.
 */
import type { Path } from '../../sql/template/token.ts';
import type { PlainMap, PlainValue } from '../../util/text/decimal.ts';
import type { StepFrame, StepScope } from './step.ts';

/** Returns `undefined` if the path leads nowhere. */
export type PathReader = (frame: StepFrame) => PlainValue | undefined;

/** A name of an input, then fields and indexes. */
export type InputPath = readonly (string | number)[];

export interface ResolvedPath {
  readonly read: PathReader;
  readonly needs: readonly number[];
  readonly readsContext: boolean;
  /** Name of the input, if the path can only mean an input. */
  readonly inputName?: string | undefined;
  /** Path within the input, if it may lead there. */
  readonly inInput?: InputPath;
  /** Returns whether an earlier result hides the input. Absent if none can. */
  readonly isHidden?: (frame: StepFrame) => boolean;
}

/** The path can never resolve to a value. */
export class PathProblem extends Error {}

const STEP = /^step_(\d+)$/;

export function resolvePath(path: Path, scope: StepScope): ResolvedPath {
  const { first, rest } = path;
  if (rest.length > 0 && first === 'input') {
    const [name] = rest;
    return {
      read: (frame) => walk(frame.input, rest),
      needs: [],
      readsContext: false,
      inputName: typeof name === 'string' ? name : undefined,
      inInput: rest,
    };
  }
  if (rest.length > 0 && first === 'context') return { read: (frame) => walk(frame.context(), rest), needs: [], readsContext: true };
  const number = STEP.exec(first)?.[1];
  const index = number === undefined ? scope.names.get(first) : Number(number);
  if (index !== undefined) {
    if (index >= scope.count) throw new PathProblem(`?:${path.text} names a step that has not run yet`);
    return { read: (frame) => walk(frame.results[index], rest), needs: [index], readsContext: false };
  }
  const all = Array.from({ length: scope.count }, (_, i) => i);
  const inInput = [first, ...rest];
  if (scope.count === 0)
    return { read: (frame) => walk(frame.input.get(first), rest), needs: [], readsContext: false, inputName: first, inInput };
  return {
    read: (frame) => walk(lookUp(first, frame, scope.count), rest),
    needs: all,
    readsContext: false,
    inInput,
    isHidden: (frame) => inResults(first, frame, scope.count) !== undefined,
  };
}

/** Searches the results, the latest first, then the input. */
function lookUp(name: string, frame: StepFrame, count: number): PlainValue | undefined {
  const value = inResults(name, frame, count);
  return value === undefined ? frame.input.get(name) : value;
}

function inResults(name: string, frame: StepFrame, count: number): PlainValue | undefined {
  for (let i = count - 1; i >= 0; i--) {
    const record = recordOf(frame.results[i]);
    const value = record?.get(name);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Returns an object, or the first row of a list. */
function recordOf(value: PlainValue | undefined): PlainMap | undefined {
  const candidate = Array.isArray(value) ? (value as readonly PlainValue[])[0] : value;
  return candidate instanceof Map ? candidate : undefined;
}

function walk(start: PlainValue | undefined, rest: readonly (string | number)[]): PlainValue | undefined {
  let value = start;
  for (const part of rest) {
    if (typeof part === 'string') value = recordOf(value)?.get(part);
    else value = Array.isArray(value) ? (value as readonly PlainValue[])[part] : undefined;
    if (value === undefined) return undefined;
  }
  return value;
}
