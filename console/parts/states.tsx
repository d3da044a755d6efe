/** The states of whatever is loaded: loading, error, empty. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../api/request.ts';
import type { Resource } from './resource.ts';

const BAR_AFTER_MS = 300;
const STOP_AFTER_MS = 1000;

/** Milliseconds since the component appeared, as far as `marks` are concerned. */
function usePassed(marks: readonly number[]): number {
  const [passed, setPassed] = useState(0);
  useEffect(() => {
    const timers = marks.map((mark) => setTimeout(() => setPassed(mark), mark));
    return () => {
      for (const timer of timers) clearTimeout(timer);
    };
  }, []);
  return passed;
}

/** A bar after 300 ms, and from 1 s on a button that ends the request. */
export function Loading({ what, onStop }: { readonly what: string; readonly onStop?: (() => void) | undefined }) {
  const passed = usePassed([BAR_AFTER_MS, STOP_AFTER_MS]);
  return (
    <div class="state-loading" data-testid="loading" role="status" aria-busy="true">
      {passed >= BAR_AFTER_MS && <div class="progress" />}
      <span class="visually-hidden">Loading {what}</span>
      {passed >= STOP_AFTER_MS && onStop !== undefined && (
        <p class="state-text">
          Loading {what}…{' '}
          <button type="button" data-testid="stop" onClick={onStop}>
            Stop
          </button>
        </p>
      )}
    </div>
  );
}

/** The message of the API as it is, its request id, and a way to try again. */
export function ErrorState({ error, onRetry }: { readonly error: Error; readonly onRetry?: (() => void) | undefined }) {
  const requestId = error instanceof ApiError ? error.requestId : null;
  return (
    <div class="state-error" data-testid="error" role="alert">
      <p>{error.message}</p>
      {requestId !== null && <p class="faint">Request {requestId}</p>}
      {onRetry !== undefined && (
        <button type="button" data-testid="retry" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** What would be here, and the one action that puts it there. */
export function Empty({ children, action }: { readonly children: ComponentChildren; readonly action?: ComponentChildren }) {
  return (
    <div class="state-empty" data-testid="empty">
      <p>{children}</p>
      {action}
    </div>
  );
}

interface AwaitProps<T> {
  readonly of: Resource<T>;
  /** Name of what is loaded, for the progress: `tables`. */
  readonly what: string;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows a resource in its present state. */
export function Await<T>({ of, what, children }: AwaitProps<T>) {
  const loaded = of.loaded.value;
  if (loaded.state === 'loading') return <Loading what={what} onStop={() => of.stop()} />;
  if (loaded.state === 'error') return <ErrorState error={loaded.error} onRetry={() => void of.start()} />;
  return <>{children(loaded.value)}</>;
}
