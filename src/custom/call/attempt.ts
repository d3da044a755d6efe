/** One version's attempt at a call, and how it ends: a value that says whether another version may try. Runs nothing. */
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

/** What a caller asks for. */
export interface Call {
  readonly caller: SpaceCaller;
  readonly context: ProjectContext;
  readonly path: CallPath;
  readonly method: DefinitionMethod;
  /** Undefined for the highest. */
  readonly version: string | undefined;
  readonly raw: RawInput;
  /** The name of the format, which tells answers apart. */
  readonly format: string;
  /** Was a format asked for? */
  readonly asksFormat: boolean;
  readonly requestId: string;
  readonly signal: StopSignal;
  readonly meter: WorkMeter;
  /** The memory that the call holds. */
  readonly lease: MemoryLease;
}

export interface Attempt {
  readonly call: Call;
  readonly endpoint: Endpoint;
  readonly version: Version;
  readonly input: PlainMap;
  readonly modules: LarkModules;
  /** Headers that say which version answers. */
  readonly headers: readonly string[];
}

/** An attempt that did not answer. */
export interface Failed {
  readonly kind: 'failed';
  readonly error: unknown;
  /** Is it the version's own fault, so that another version may succeed? */
  readonly isOwn: boolean;
  /** Has it left something behind, or may it have? Then no other version is tried. */
  readonly lasts: boolean;
}

export interface Answered {
  readonly kind: 'answered';
}

export const ANSWERED: Answered = { kind: 'answered' };

/** `lasting`: the attempt wrote what cannot be rolled back. */
export function failedBy(error: unknown, lasting?: 'lasting'): Failed {
  return { kind: 'failed', error, isOwn: isOwnFault(error), lasts: lasting === 'lasting' };
}
