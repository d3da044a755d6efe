/**
 * Records failing versions: in the store for their authors, in the log and the metrics for
 * operators.
 */
import { ApiError } from '../../errors.ts';
import type { Definition } from '../../model/definition.ts';
import type { Observer } from '../../observe/observer.ts';
import type { Store } from '../../store/store.ts';
import type { Call } from './attempt.ts';

export class VersionFailures {
  readonly #store: Store;
  readonly #observer: Observer;

  constructor(store: Store, observer: Observer) {
    this.#store = store;
    this.#observer = observer;
  }

  record({ caller }: Call, { definitionId }: Definition, error: unknown): void {
    const message = error instanceof ApiError ? error.message : 'an unexpected error; the log has the details';
    this.#store.recordFailure(caller, definitionId, message);
  }

  rolledBack({ requestId, caller }: Call, requested: Definition, served: Definition, reason: unknown): void {
    if (!(reason instanceof ApiError)) this.#observer.emit({ kind: 'failure', requestId, error: reason });
    const { uri, version: from } = requested;
    this.#observer.emit({ kind: 'rolled_back', requestId, projectId: caller.projectId, uri, from, to: served.version, reason });
  }
}
