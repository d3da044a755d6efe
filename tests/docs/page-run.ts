// Runs one page from top to bottom, in its own folder and shell, against a running demo. A table
// has a handler for each language; a block without a handler is a problem.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { evaluateExpression } from '../../src/lang/expr/try.ts';
import type { Fence, LANGUAGES, Page } from '../support/documents.ts';
import { projectFiles, readProjectFile } from '../support/sources.ts';
import type { Demo } from './demo.ts';
import { matches } from './expected.ts';
import { runInlineCommands, runInlineRequests } from './inline-code.ts';
import { checkDocument } from './page-documents.ts';
import { type Command, commandsOf, expectationOf, type Outcome, runSession } from './shell-session.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface PageReport {
  readonly page: string;
  /** Number of items that were run, by kind. */
  readonly tried: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
}

/** Contribution of a block to the run of its page. */
interface Part {
  /** Commands for the page's shell. */
  readonly commands?: readonly Command[];
  /** Work beside the shell; returns problems. */
  readonly check?: () => Promise<readonly string[]>;
}

interface PageFolder {
  readonly demo: Demo;
  readonly page: Page;
  readonly path: string;
  /** Name of a file with the block's text. */
  save(fence: Fence): string;
}

const NAME = /^(?:#|\/\/|--) ([\w./-]+\.\w+)$/;
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const nameOf = ({ text }: Fence): string | undefined => NAME.exec(text.split('\n', 1)[0] ?? '')?.[1];

/** A block whose first line is a comment with a name is saved as a file. */
function savedFile(folder: PageFolder, fence: Fence, name: string): Part {
  const text = `mkdir -p ${quoted(dirname(name))} && cp ${quoted(folder.save(fence))} ${quoted(name)}`;
  return { commands: [{ line: fence.line, text }] };
}

const command = (fence: Fence, text: string): Part => ({ commands: [{ line: fence.line, text }] });
const check = (...problems: readonly string[]): Part => ({ check: async () => problems });

/**
 * Programs that cannot run here, or are too slow, have stand-ins that check arguments; see
 * `prelude`.
 */
const TREATMENTS: Readonly<Record<(typeof LANGUAGES)[number], (folder: PageFolder, fence: Fence) => Part>> = {
  sh: (_, fence) => ({ commands: commandsOf(fence.text, fence.line) }),
  yaml: ({ demo }, fence) => ({ check: () => checkDocument(demo, fence) }),
  json: (_, fence) => ({
    check: async () => {
      JSON.parse(fence.text);
      return [];
    },
  }),
  expr: ({ page }, fence) => ({
    check: async () => {
      const before = page.fences.filter(({ language, line }) => language === 'json' && line < fence.line).at(-1);
      const result = evaluateExpression(fence.text, before?.text ?? '{}');
      const shown = outputOf(page, fence);
      return shown === undefined || matches(shown.language, shown.text, result) ? [] : [`gives ${result}`];
    },
  }),
  python: (folder, fence) => command(fence, `npx millrace lark ${quoted(folder.save(fence))}`),
  // A comment in the first line names the database. The default is the reader's.
  sql: (folder, fence) => {
    const url = folder.demo.databases[/^-- in (\S+)/.exec(fence.text)?.[1] ?? 'pg/library'] ?? 'nowhere';
    return command(fence, [process.execPath, `${root}tests/docs/run-sql.mjs`, folder.save(fence), url].map(quoted).join(' '));
  },
  ts: (folder, fence) => command(fence, `run_typescript ${quoted(folder.save(fence))}`),
  // tests/mcp/agents.test.ts plays the sessions of agents.
  mcp: (_, fence) => check(...(readProjectFile('tests/mcp/agents.test.ts').includes(fence.page) ? [] : ['no test plays this session'])),
  nginx: (_, fence) => {
    const known = new Set(
      readProjectFile('deploy/nginx.conf')
        .split('\n')
        .map((line) => line.trim()),
    );
    return check(
      ...fence.text.split('\n').flatMap((line) => (known.has(line.trim()) ? [] : [`deploy/nginx.conf has no line ${line.trim()}`])),
    );
  },
  // A transcript of the project's programs: checks that they exist.
  text: (_, fence) => {
    if (!fence.text.startsWith('$ ')) return check('text that is the output of nothing');
    const programs = Array.from(fence.text.matchAll(/^\$ node (\S+)/gm), ([, file = '']) => file);
    return check(...programs.flatMap((file) => (projectFiles().includes(file) ? [] : [`there is no ${file}`])));
  },
};

const OUTPUTS = new Set(['text', 'json']);
const GIVES_OUTPUT = new Set(['sh', 'expr', 'python']);

/** The block right after this one that shows its output. */
function outputOf({ fences }: Page, fence: Fence): Fence | undefined {
  const next = fences[fences.indexOf(fence) + 1];
  return next?.isAttached && OUTPUTS.has(next.language) && GIVES_OUTPUT.has(fence.language) ? next : undefined;
}

export async function runPage(demo: Demo, page: Page): Promise<PageReport> {
  const path = mkdtempSync(join(tmpdir(), 'millrace-page-'));
  try {
    return await followPage(demo, page, path);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

async function followPage(demo: Demo, page: Page, path: string): Promise<PageReport> {
  const files = join(path, '.blocks');
  mkdirSync(join(path, 'node_modules'), { recursive: true });
  mkdirSync(files);
  writeFileSync(join(path, 'package.json'), '{"type": "module"}\n');
  for (const name of ['examples', 'deploy', 'docs']) symlinkSync(join(root, name), join(path, name));
  symlinkSync(demo.dataDir, join(path, 'data'));
  symlinkSync(root, join(path, 'node_modules', 'millrace'));
  const save = (fence: Fence): string => {
    const file = join(files, `line-${fence.line}.${fence.language}`);
    writeFileSync(file, demo.substitute(fence.text));
    return file;
  };
  const folder: PageFolder = { demo, page, path, save };
  const outputs = new Set(page.fences.flatMap((fence) => outputOf(page, fence) ?? []));
  const blocks = page.fences.filter((fence) => !outputs.has(fence));
  const parts = blocks.map((fence): Part => {
    const name = nameOf(fence);
    if (name !== undefined) return savedFile(folder, fence, name);
    return (
      TREATMENTS[fence.language as keyof typeof TREATMENTS]?.(folder, fence) ??
      check(`a block of ${fence.language || 'no language'}, which nobody knows how to try`)
    );
  });
  const outcomes = await runShell(demo, page, path, parts);
  const problems = outcomes.flatMap((outcome) => judge(page.file, outcome));
  for (const [index, fence] of blocks.entries()) {
    const wrong = await parts[index]?.check?.().catch((error: unknown) => [String(error)]);
    problems.push(...(wrong ?? []).map((problem) => `${page.file}:${fence.line}: ${problem}`));
    const shown = outputOf(page, fence);
    const printed = parts[index]?.commands?.map(({ line }) => outcomes.find((outcome) => outcome.line === line)?.stdout ?? '').join('');
    if (shown !== undefined && printed !== undefined && !matches(shown.language, demo.substitute(shown.text), printed))
      problems.push(`${page.file}:${shown.line}: the page shows\n${shown.text}but it is\n${printed}`);
  }
  const [requests, commands] = await Promise.all([runInlineRequests(demo, page), runInlineCommands(page)]);
  const count = (...languages: string[]): number => blocks.filter(({ language }) => languages.includes(language)).length;
  const sessions = new Set(blocks.flatMap((fence, index) => (fence.language === 'sh' ? (parts[index]?.commands ?? []) : [])));
  return {
    page: page.file,
    tried: {
      commands: sessions.size + commands.tried,
      requests: outcomes.reduce((sum, { statuses }) => sum + statuses.length, 0) + requests.tried,
      documents: count('yaml', 'json', 'nginx'),
      programs: count('sql', 'python', 'expr', 'ts', 'mcp'),
      outputs: outputs.size,
    },
    problems: [...problems, ...requests.problems, ...commands.problems],
  };
}

async function runShell(demo: Demo, page: Page, path: string, parts: readonly Part[]): Promise<readonly Outcome[]> {
  const commands = parts.flatMap((part) => part.commands ?? []).map(({ line, text }) => ({ line, text: demo.substitute(text) }));
  if (commands.length === 0) return [];
  const env = { PATH: process.env['PATH'] ?? '', HOME: path };
  const outcomes = await runSession(commands, { cwd: path, env, prelude: prelude() });
  if (outcomes.length !== commands.length) throw new Error(`${page.file}: ${commands.length - outcomes.length} commands were not run`);
  return outcomes;
}

/** Shell functions for the installed program and for stand-ins. */
function prelude(): string {
  const node = quoted(process.execPath);
  const compiler = `${quoted(`${root}node_modules/typescript5/lib/tsc.js`)} --strict --target es2022 --module nodenext --lib es2022,dom --types node --typeRoots ${quoted(`${root}node_modules/@types`)}`;
  return `
npx() { [ "$1" = millrace ] || return 127; shift; ${node} ${quoted(`${root}dist/main.js`)} "$@"; }
npm() { ${node} ${quoted(`${root}tests/docs/stand-in.mjs`)} npm "$@"; }
docker() { ${node} ${quoted(`${root}tests/docs/stand-in.mjs`)} docker "$@"; }
psql() { [ "$2" = -f ] && ${node} ${quoted(`${root}tests/docs/run-sql.mjs`)} "$3" "$1"; }
run_typescript() { cp "$1" page.ts && ${node} ${compiler} page.ts && ${node} page.js; }
`;
}

function judge(file: string, outcome: Outcome): readonly string[] {
  const { line, text, exitCode, statuses, stdout, stderr } = outcome;
  const expected = expectationOf(text);
  const said = `\n  ${text}\n${stdout}${stderr}`;
  if (exitCode === undefined) return [`${file}:${line}: the shell ended${said}`];
  if (exitCode !== expected.exitCode) return [`${file}:${line}: exit code ${exitCode}${said}`];
  return statuses
    .filter((status) => (expected.status === undefined ? status < 200 || status > 299 : status !== expected.status))
    .map((status) => `${file}:${line}: answered ${status}${said}`);
}
