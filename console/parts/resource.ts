/** Loading something for a view: its states, and the means to stop and repeat it. */
import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';

export type Loaded<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly value: T }
  | { readonly state: 'error'; readonly error: Error };

export class Resource<T> {
  readonly #loaded: Signal<Loaded<T>> = signal({ state: 'loading' });
  readonly #load: (signal: AbortSignal) => Promise<T>;
  #running: AbortController | undefined;

  constructor(load: (signal: AbortSignal) => Promise<T>) {
    this.#load = load;
  }

  get loaded(): ReadonlySignal<Loaded<T>> {
    return this.#loaded;
  }

  /** The value, if there is one. */
  get value(): T | undefined {
    const loaded = this.#loaded.value;
    return loaded.state === 'ready' ? loaded.value : undefined;
  }

  /** Loads again. With `quietly`, the present value stays until the new one is there. */
  async start({ quietly = false } = {}): Promise<void> {
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    if (!quietly || this.value === undefined) this.#loaded.value = { state: 'loading' };
    try {
      const value = await this.#load(running.signal);
      if (this.#running === running) this.#loaded.value = { state: 'ready', value };
    } catch (error) {
      if (this.#running !== running) return;
      const stopped = running.signal.aborted ? new Error('Stopped. Try again when you like.') : undefined;
      this.#loaded.value = { state: 'error', error: stopped ?? asError(error) };
    }
  }

  /** Ends the request; the service ends its work too. */
  stop(): void {
    this.#running?.abort();
  }

  dispose(): void {
    const running = this.#running;
    this.#running = undefined;
    running?.abort();
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** A resource that is loaded again when one of `keys` changes. */
export function useResource<T>(load: (signal: AbortSignal) => Promise<T>, keys: readonly unknown[]): Resource<T> {
  const resource = useMemo(() => new Resource(load), keys);
  useEffect(() => {
    void resource.start();
    return () => resource.dispose();
  }, [resource]);
  return resource;
}
