/**
 * Values that are there at once or come later. Most of what a request needs is in memory: what follows then runs at once, without promises
 * and their turns, and the rare case that has to wait is written in the same place.
 */
export type Soon<T> = T | Promise<T>;

/** Goes on with the value, now if it is there. */
export function after<T, R>(value: Soon<T>, next: (value: T) => Soon<R>): Soon<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
