/**
 * A value that is there at once or comes later. Most of what a request needs is in memory. Then the next step runs at once, without a promise
 * and its extra turn; the rare case that has to wait is written in the same place.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Continues with the value, at once if it is there. */
export function after<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** What `make` gives, or what `rescuer` makes of its failure, now or later. */
export function rescue<T>(make: () => MaybePromise<T>, rescuer: (error: unknown) => MaybePromise<T>): MaybePromise<T> {
  try {
    const value = make();
    return value instanceof Promise ? value.catch(rescuer) : value;
  } catch (error) {
    return rescuer(error);
  }
}
