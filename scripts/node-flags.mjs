// The options of Node that a service runs with: those in the first line of its program
// (docs/decisions/0004-memory.md).
import { readFileSync } from 'node:fs';

/**
 * Returns the options in the first line of `dist/main.js`, which only take effect if that file is
 * executed itself.
 */
export function nodeFlagsOf(program) {
  const [firstLine = ''] = readFileSync(program, 'utf8').split('\n', 1);
  return firstLine.split(' ').filter((part) => part.startsWith('--'));
}
