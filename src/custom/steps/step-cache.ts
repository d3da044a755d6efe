/**
 * Steps that say the same are one step. The spaces of a project, the versions of an endpoint and the projects of many customers have most of their
 * code in common: it is compiled once, lies in memory once, and is found in the processor's cache by the calls of all of them. Steps are
 * pure: they hold code and no values.
 */
import { BoundedMap } from '../../util/bounded-map.ts';
import type { StepSource } from '../document-logic.ts';
import { STEPS } from './index.ts';
import type { Step, StepScope } from './step.ts';

/** The latest ones are remembered; those that are not go on being used by who has them. */
const MOST = 2_000;
const LONGEST_CODE = 8_000;

const known = new BoundedMap<string, Step>(MOST);

/** Throws StepProblems, as the compilers do. */
export function compileStep(source: StepSource, scope: StepScope): Step {
  // What a lark step may load differs from space to space.
  if (source.kind === 'lark' || source.code.length > LONGEST_CODE) return STEPS[source.kind](source, scope);
  const key = JSON.stringify([scope.engine.type, scope.stage, scope.count, [...scope.names], source]);
  const same = known.get(key);
  if (same !== undefined) return same;
  const step = STEPS[source.kind](source, scope);
  known.set(key, step);
  return step;
}
