/** Number of repetitions: `short` in `npm test`, `long` in `npm run test:all`. */
export function times(short: number, long: number): number {
  return process.env['MILLRACE_TEST_LONG'] === '1' ? long : short;
}
