/**
 * Runs Lark from the command line: a file with its output, or a prompt that shows the value of each
 * line. No I/O of its own: the streams are parameters.
 */
import { createInterface } from 'node:readline';
import { BudgetError, DEFAULT_LIMITS, type RunLimits } from '../budget.ts';
import { CompileError, type Problem, RunError } from '../source.ts';
import { compileLark } from './program.ts';
import { executeWith, makeThread, traceback } from './run.ts';
import { parseFile } from './syntax/parse.ts';
import { repr } from './values/text/text.ts';
import type { LarkValue } from './values/value.ts';

export interface LarkStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly error: NodeJS.WritableStream;
}

/**
 * Generous limits, because a program on the command line blocks no requests: one minute and 1 GiB.
 */
const LIMITS: RunLimits = { ...DEFAULT_LIMITS, steps: 10_000_000_000, bytes: 1024 * 1024 * 1024, millis: 60_000 };

/** Formats an error with position, line, caret and call stack. */
export function describeError(error: unknown): string {
  if (error instanceof CompileError) return error.problems.map(problemText).join('\n');
  if (error instanceof RunError) return `${traceback(error)}\n${error.problem.snippet}`;
  if (error instanceof BudgetError) return error.problem === undefined ? error.message : problemText(error.problem);
  return error instanceof Error ? error.message : String(error);
}

function problemText(problem: Problem): string {
  return `${problem.file}:${problem.line}:${problem.column}: ${problem.message}\n${problem.snippet}`;
}

/** Runs a text and prints `result` if the program assigns it. Returns the exit code. */
export function runLarkFile(name: string, text: string, streams: Pick<LarkStreams, 'output' | 'error'>): number {
  try {
    const print = (line: string): void => void streams.output.write(`${line}\n`);
    const thread = makeThread({ limits: LIMITS, print });
    const globals = executeWith(compileLark(text, { name }), thread, new Map());
    const result = globals.get('result');
    if (result !== undefined) print(repr(thread, result));
    return 0;
  } catch (error) {
    streams.error.write(`${describeError(error)}\n`);
    return 1;
  }
}

/** A session of lines that share their variables. */
export class LarkSession {
  readonly #globals = new Map<string, LarkValue>();
  readonly #print: (line: string) => void;

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  /** Runs a piece of text. The value of a single expression is printed. */
  evaluate(text: string): void {
    const names = { name: '<stdin>', predeclared: [...this.#globals.keys()] };
    const lone = parseFile(text).statements;
    const expression = lone.length === 1 && lone[0]?.kind === 'expression';
    const thread = makeThread({ limits: LIMITS, print: this.#print });
    // Variables of earlier lines may hold parts of characters.
    thread.strings.cut = true;
    const program = compileLark(expression ? `_ = (${text.trim()}\n)` : text, names);
    for (const [name, value] of executeWith(program, thread, this.#globals)) this.#globals.set(name, value);
    const shown = expression ? this.#globals.get('_') : undefined;
    if (shown !== undefined && shown !== null) this.#print(repr(thread, shown));
  }
}

/** An open block or bracket continues on the next line. */
function isOpen(text: string): boolean {
  if (/:\s*(#.*)?$/m.test(text.split('\n')[0] ?? '') && !text.endsWith('\n\n')) return true;
  return parseFile(text).problems.some((problem) => problem.message.startsWith('got end of file'));
}

/** Reads lines until the input ends. */
export async function startLarkRepl(streams: LarkStreams): Promise<void> {
  const session = new LarkSession((line) => void streams.output.write(`${line}\n`));
  const lines = createInterface({ input: streams.input, output: streams.output, prompt: '>>> ' });
  let text = '';
  lines.prompt();
  for await (const line of lines) {
    text += `${line}\n`;
    if (!isOpen(text)) {
      try {
        if (text.trim() !== '') session.evaluate(text);
      } catch (error) {
        streams.error.write(`${describeError(error)}\n`);
      }
      text = '';
    }
    lines.setPrompt(text === '' ? '>>> ' : '... ');
    lines.prompt();
  }
}
