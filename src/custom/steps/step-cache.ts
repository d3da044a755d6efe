/**
 * Caches compiled steps by their source. Spaces, versions and projects share most of their code, so
 * each step is compiled and held in memory once. Compiled steps hold code only, no values.
 */
import { BoundedMap } from '../../util/bounded-map.ts';
import { after, type MaybePromise } from '../../util/concurrency/maybe-promise.ts';
import type { StepSource } from '../document/document-logic.ts';
import { typesText } from '../inputs/slot-types.ts';
import { STEPS } from './index.ts';
import type { Step, StepScope } from './step.ts';

const MAX_STEPS = 2_000;
const MAX_CODE_LENGTH = 8_000;

export class StepCache {
  readonly #steps = new BoundedMap<string, Step>(MAX_STEPS);

  /** Throws StepProblems. */
  compile(source: StepSource, scope: StepScope): MaybePromise<Step> {
    // The modules that a lark step may load differ between spaces.
    if (source.kind === 'lark' || source.code.length > MAX_CODE_LENGTH) return STEPS[source.kind](source, scope);
    const types = source.kind === 'sql' ? typesText(scope.inputs) : '';
    const key = JSON.stringify([scope.engine.type, scope.stage, scope.count, [...scope.names], source, types]);
    const cached = this.#steps.get(key);
    if (cached !== undefined) return cached;
    return after(STEPS[source.kind](source, scope), (step) => {
      this.#steps.set(key, step);
      return step;
    });
  }
}
