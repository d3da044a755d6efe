// Commands of a page in one shell: line, exit code, output and the statuses that curl received. The
// page's variables live as long as the page; an unset variable ends the shell.
import { spawn } from 'node:child_process';

/** A command, or an instruction to the reader (save a file, run SQL) as a command. */
export interface Command {
  readonly line: number;
  readonly text: string;
}

export interface Outcome extends Command {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** Status of each curl request. */
  readonly statuses: readonly number[];
}

const MARK = '\u001e';

/** Splits a script into commands with their continuation lines, quotes and here-documents. */
export function commandsOf(script: string, firstLine: number): readonly Command[] {
  const commands: Command[] = [];
  let pending: string[] = [];
  let start = firstLine;
  script.split('\n').forEach((line, index) => {
    if (pending.length === 0) start = firstLine + index;
    if (pending.length === 0 && /^\s*(?:#.*)?$/.test(line)) return;
    pending.push(line);
    const text = pending.join('\n');
    if (!isComplete(text)) return;
    commands.push({ line: start, text });
    pending = [];
  });
  if (pending.length > 0) throw new Error(`line ${start}: a command that does not end`);
  return commands;
}

function isComplete(text: string): boolean {
  const here = /<<-?\s*(['"]?)(\w+)\1/.exec(text);
  if (here !== null)
    return text
      .split('\n')
      .slice(1)
      .includes(here[2] ?? '');
  const { quote, code } = withoutComments(text);
  return quote === '' && !code.endsWith('\\');
}

/** The text without comments, and the quote that is open at its end. */
function withoutComments(text: string): { readonly quote: string; readonly code: string } {
  let quote = '';
  let code = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (quote === '' && character === '#' && /\s/.test(text[at - 1] ?? ' ')) {
      const end = text.indexOf('\n', at);
      at = end < 0 ? text.length : end;
      continue;
    }
    code += character;
    if (quote !== "'" && character === '\\' && at + 1 < text.length) code += text[++at];
    else if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === "'" || character === '"') quote = character;
  }
  return { quote, code };
}

/** Expectation in a trailing comment: `# 404: …` for requests, `# exit 1: …` for the command. */
export function expectationOf(text: string): { readonly status: number | undefined; readonly exitCode: number } {
  const comment = /\s#\s*(?:exit (\d+)|(\d{3})\b)[^\n]*$/.exec(text);
  return { status: comment?.[2] === undefined ? undefined : Number(comment[2]), exitCode: Number(comment?.[1] ?? 0) };
}

export interface SessionOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Shell functions that replace programs. */
  readonly prelude: string;
}

export async function runSession(commands: readonly Command[], { cwd, env, prelude }: SessionOptions): Promise<readonly Outcome[]> {
  const script = commands.map(
    ({ text }, index) => `printf '${MARK}${index}\\n'\nprintf '${MARK}${index}\\n' >&2\n${text}\nprintf '${MARK}exit %d\\n' "$?" >&2\n`,
  );
  const curl = `curl() { command curl --max-time 60 -w '%{stderr}${MARK}status %{http_code}\\n' "$@"; }\n`;
  const child = spawn('sh', ['-u', '-c', curl + prelude + script.join('')], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const read = async (stream: NodeJS.ReadableStream): Promise<string> => {
    let text = '';
    for await (const chunk of stream.setEncoding('utf8')) text += chunk as string;
    return text;
  };
  const [stdout, stderr] = await Promise.all([read(child.stdout), read(child.stderr)]);
  const [printed, told] = [piecesOf(stdout), piecesOf(stderr)];
  return commands.map((command, index) => {
    const said = told.get(index) ?? '';
    const exit = new RegExp(`${MARK}exit (\\d+)\\n`).exec(said)?.[1];
    return {
      ...command,
      exitCode: exit === undefined ? undefined : Number(exit),
      stdout: printed.get(index) ?? '',
      stderr: said.replace(new RegExp(`${MARK}.*\\n`, 'g'), ''),
      statuses: Array.from(said.matchAll(new RegExp(`${MARK}status (\\d+)`, 'g')), ([, status]) => Number(status)),
    };
  });
}

/** Output of each command, by its number. */
function piecesOf(text: string): ReadonlyMap<number, string> {
  const pieces = text.split(new RegExp(`${MARK}(\\d+)\\n`)).slice(1);
  return new Map(pieces.flatMap((piece, at) => (at % 2 === 0 ? [[Number(piece), pieces[at + 1] ?? ''] as const] : [])));
}
