// The difference between `npm test` and `npm run test:all` in files that run in both.
const isLong = process.env['MILLRACE_TEST_LONG'] === '1';

/** Number of repetitions: `short` in `npm test`, `long` in `npm run test:all`. */
export const times = (short: number, long: number): number => (isLong ? long : short);

/** Every n-th item in `npm test`, all items in `npm run test:all`. */
export function sampled<T>(every: number, items: readonly T[]): readonly T[] {
  return isLong ? items : items.filter((_, index) => index % every === 0);
}
