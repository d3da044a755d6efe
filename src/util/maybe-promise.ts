/**
 * Values that are there at once or come later. Most of what a request needs is in memory: what follows then runs at once, without promises
 * and their turns, and the rare case that has to wait is written in the same place.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Goes on with the value, now if it is there. */
export function after<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
