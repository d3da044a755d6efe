// The sets of tests: what `npm test`, `test:unit` and `test:all` hand to Vitest.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folders and files that need no engine. */
const UNIT = [
  'tidy',
  'auto/',
  'sql/',
  'engines/fifth-engine',
  'formats/',
  'model/',
  'util/',
  'custom/bind',
  'lang/expr/tables',
  'lang/lark/testdata',
].map((name) => `tests/${name}`);

/**
 * Arguments of Vitest by set; the variable MILLRACE_TEST_LONG tells `times` which number to use.
 */
export const SETS = {
  fast: { args: () => ['--project', 'fast'] },
  unit: { args: () => ['--project', 'fast', ...UNIT], needsEngines: false },
  all: { args: () => [], isLong: true },
  /**
   * Files that `all` adds to `fast`: the long ones, and property tests with more runs.
   */
  rest: { args: (root) => filesOfRest(root), isLong: true },
};

function filesOfRest(root) {
  return readdirSync(join(root, 'tests'), { recursive: true })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => `tests/${file}`)
    .filter((file) => file.endsWith('.long.test.ts') || /\/times\.ts'/.test(readFileSync(join(root, file), 'utf8')))
    .sort();
}
