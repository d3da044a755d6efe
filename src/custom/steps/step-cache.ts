/**
 * Caches compiled steps by their source. The spaces of a project, the versions of an endpoint and the projects of many customers share most of their
 * code: it is compiled once and is in memory once, which is also good for the processor's cache. Steps are pure: they hold code and no values.
 */
import { BoundedMap } from '../../util/bounded-map.ts';
import { after, type MaybePromise } from '../../util/concurrency/maybe-promise.ts';
import type { StepSource } from '../document/document-logic.ts';
import { STEPS } from './index.ts';
import type { Step, StepScope } from './step.ts';

/** How many are remembered. Evicted ones stay in use where they are. */
const MOST = 2_000;
const LONGEST_CODE = 8_000;

const known = new BoundedMap<string, Step>(MOST);

/** Throws StepProblems, as the compilers do. */
export function compileStep(source: StepSource, scope: StepScope): MaybePromise<Step> {
  // What a lark step may load differs from space to space.
  if (source.kind === 'lark' || source.code.length > LONGEST_CODE) return STEPS[source.kind](source, scope);
  const key = JSON.stringify([scope.engine.type, scope.stage, scope.count, [...scope.names], source]);
  const same = known.get(key);
  if (same !== undefined) return same;
  return after(STEPS[source.kind](source, scope), (step) => {
    known.set(key, step);
    return step;
  });
}
