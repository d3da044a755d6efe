/**
 * A call, one version's attempt at it, and the outcome as a value that decides whether a rollback
 * version may try. Pure.
 */
import type { StopSignal } from '../../engines/contract/engine.ts';
import type { SpaceCaller } from '../../model/caller.ts';
import type { DefinitionMethod, Endpoint } from '../../model/definition.ts';
import type { LarkModules } from '../../model/lark-module.ts';
import type { ProjectContext } from '../../model/project.ts';
import type { MemoryLease } from '../../util/bytes/memory-lease.ts';
import type { WorkMeter } from '../../util/concurrency/work-meter.ts';
import type { PlainMap } from '../../util/text/decimal.ts';
import { isOwnFault } from '../failures.ts';
import type { CallPath, Version } from './endpoint-resolver.ts';
import type { RawInput } from './input.ts';

export interface Call {
  readonly caller: SpaceCaller;
  readonly context: ProjectContext;
  readonly path: CallPath;
  readonly method: DefinitionMethod;
  /** `undefined` selects the highest version. */
  readonly version: string | undefined;
  readonly raw: RawInput;
  /** Name of the response format, which is part of the cache key. */
  readonly format: string;
  readonly hasFormatParameter: boolean;
  readonly requestId: string;
  readonly signal: StopSignal;
  readonly meter: WorkMeter;
  /** Memory that the call has reserved. */
  readonly lease: MemoryLease;
}

export interface Attempt {
  readonly call: Call;
  readonly endpoint: Endpoint;
  readonly version: Version;
  readonly input: PlainMap;
  readonly modules: LarkModules;
  /** Response headers that name the version. */
  readonly headers: readonly string[];
}

export interface Answered {
  readonly kind: 'answered';
}

export interface Failed {
  readonly kind: 'failed';
  readonly error: unknown;
  /** `true` if the version itself is at fault, so another version may succeed. */
  readonly isOwnFault: boolean;
  /** `true` if the attempt changed something, or may have. No other version is tried then. */
  readonly hasSideEffects: boolean;
}

export const ANSWERED: Answered = { kind: 'answered' };

export function failedBy(error: unknown, hasSideEffects = false): Failed {
  return { kind: 'failed', error, isOwnFault: isOwnFault(error), hasSideEffects };
}
