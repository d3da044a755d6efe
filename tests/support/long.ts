/** How often a test repeats that finds the more the longer it runs: a part of it in `npm test`, all of it with MILLRACE_TEST_LONG=1. */
export function times(short: number, long: number): number {
  return process.env['MILLRACE_TEST_LONG'] === '1' ? long : short;
}
