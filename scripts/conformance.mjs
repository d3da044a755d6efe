// Runs the public conformance suites of the languages: `npm run conformance -- --suites DIR`.
// Each language has its own part, which prints a table and returns whether its score is sufficient.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const args = process.argv.slice(2);
const at = args.indexOf('--suites');
const folder = at >= 0 ? args[at + 1] : undefined;
if (folder === undefined || !existsSync(folder)) {
  console.error('usage: npm run conformance -- --suites DIR [--verbose]');
  process.exit(2);
}

let good = true;
for (const part of ['conformance-lark.mjs', 'conformance-expr.mjs']) {
  const file = join(here, part);
  if (!existsSync(file)) continue;
  const { run } = await import(file);
  if (!(await run(folder, { verbose: args.includes('--verbose') }))) good = false;
}
process.exit(good ? 0 : 1);
