/**
 * A value that is available now or later. Most of what a request needs is in memory, and its next
 * step then runs without a promise and the extra tick.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Continues with the value, synchronously if it is available. */
export function after<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** The result of `make`, or of `rescuer` if `make` throws or rejects. */
export function rescue<T>(make: () => MaybePromise<T>, rescuer: (error: unknown) => MaybePromise<T>): MaybePromise<T> {
  try {
    const value = make();
    return value instanceof Promise ? value.catch(rescuer) : value;
  } catch (error) {
    return rescuer(error);
  }
}
