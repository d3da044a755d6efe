// The project's files as text: lines, imports, code without comments. Relies on the formatting that
// Biome enforces; no compiler.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export interface Import {
  readonly from: string;
  /** Path of the imported file in the project. `undefined` for a package. */
  readonly file: string | undefined;
  /** `true` if the compiler erases the import. */
  readonly isTypeOnly: boolean;
}

/** Files that are tracked, or untracked and not ignored. */
export function projectFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' });
  return listed.split('\n').filter((file) => file !== '' && existsSync(join(ROOT, file)) && statSync(join(ROOT, file)).isFile());
}

export const sourceFiles = (folder: string): string[] =>
  projectFiles().filter((file) => file.startsWith(`${folder}/`) && /\.(?:ts|mjs)$/.test(file));

export const readProjectFile = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** The text with its comments blanked out; line numbers stay. Comment marks in strings stay too. */
export function codeOf(file: string): string {
  return readProjectFile(file)
    .replace(/(?<=^|\s)\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/(^|[\s;{}(,])\/\/[^\n]*/g, '$1');
}

const STATEMENT = /^(?:import|export)\s+(type\s+)?([\w$*\s{},]*?)\s*from\s*'([^']+)'/gm;
const BARE = /^import\s+'([^']+)'/gm;
const DYNAMIC = /\bimport\(\s*'([^']+)'/g;

export function importsOf(file: string): Import[] {
  const code = codeOf(file);
  const found: Import[] = [];
  const add = (from: string, isTypeOnly: boolean): void => {
    found.push({ from, file: from.startsWith('.') ? posix.join(posix.dirname(file), from) : undefined, isTypeOnly });
  };
  for (const [, keyword, names = '', from = ''] of code.matchAll(STATEMENT)) {
    const specifiers = /^\{([^}]*)\}$/
      .exec(names.trim())?.[1]
      ?.split(',')
      .filter((name) => name.trim() !== '');
    const erasesAll = specifiers !== undefined && specifiers.length > 0 && specifiers.every((name) => /^\s*type\s/.test(name));
    add(from, keyword !== undefined || erasesAll);
  }
  for (const pattern of [BARE, DYNAMIC]) for (const [, from = ''] of code.matchAll(pattern)) add(from, false);
  return found;
}

/** Lines of code that match the pattern, as `file:line: text`. */
export function linesMatching(files: readonly string[], pattern: RegExp): string[] {
  return files.flatMap((file) =>
    codeOf(file)
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );
}
