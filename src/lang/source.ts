/**
 * Positions in a source text, and how an error is shown: file, line, column, the line and a caret.
 * Shared by the languages.
 */
export interface Position {
  /** From 1. */
  readonly line: number;
  /** From 1, in code points. */
  readonly column: number;
}

export class Source {
  readonly name: string;
  readonly text: string;
  #lineStarts: number[] | undefined;

  constructor(name: string, text: string) {
    this.name = name;
    this.text = text;
  }

  position(offset: number): Position {
    const starts = this.#lines();
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    const lineStart = starts[low] ?? 0;
    return { line: low + 1, column: [...this.text.slice(lineStart, offset)].length + 1 };
  }

  /** The line at an offset, cut to a readable width, with a caret below the column. */
  snippet(offset: number): string {
    const { line, column } = this.position(offset);
    const start = this.#lines()[line - 1] ?? 0;
    const end = this.text.indexOf('\n', start);
    // A line may be as long as the text, so only the visible part is processed.
    const shownEnd = Math.min(end < 0 ? this.text.length : end, offset + 2 * SNIPPET_WIDTH);
    const points = [...this.text.slice(start, shownEnd).replace(/\r$/, '')];
    const from = Math.max(0, column - 1 - SNIPPET_WIDTH / 2);
    const shown = points.slice(from, from + SNIPPET_WIDTH).map((c) => (c === '\t' ? ' ' : c));
    return `${shown.join('')}\n${' '.repeat(column - 1 - from)}^`;
  }

  #lines(): number[] {
    if (this.#lineStarts === undefined) {
      this.#lineStarts = [0];
      for (let at = this.text.indexOf('\n'); at >= 0; at = this.text.indexOf('\n', at + 1)) this.#lineStarts.push(at + 1);
    }
    return this.#lineStarts;
  }
}

const SNIPPET_WIDTH = 120;

/** One error in a source text, at compile time or at run time. */
export interface Problem extends Position {
  readonly file: string;
  readonly message: string;
  readonly snippet: string;
}

export function problemAt(source: Source, offset: number, message: string): Problem {
  return { file: source.name, ...source.position(offset), message, snippet: source.snippet(offset) };
}

/** A text that does not compile, with all its problems in order. Never empty. */
export class CompileError extends Error {
  readonly problems: readonly [Problem, ...Problem[]];

  constructor(problems: readonly [Problem, ...Problem[]]) {
    super(problems.map((p) => `${p.file}:${p.line}:${p.column}: ${p.message}`).join('\n'));
    this.problems = problems;
  }
}

/** Why a correct program ended early: it refused, or it read a field that was not provided. */
export type RunVerdict =
  | { readonly kind: 'fail'; readonly message: string }
  | { readonly kind: 'refuse'; readonly status: number; readonly message: string }
  | { readonly kind: 'absent'; readonly of: string; readonly name: string };

/** Statuses that `refuse` accepts. */
export const REFUSALS = { min: 400, max: 499 } as const;

/** A program that failed at run time, with the innermost position in its text. */
export class RunError extends Error {
  readonly problem: Problem;
  /** Call stack, outermost first; empty for languages without calls. */
  readonly calls: readonly string[];
  /** `undefined` for a mistake of the program. */
  readonly verdict: RunVerdict | undefined;

  constructor(problem: Problem, calls: readonly string[] = [], verdict?: RunVerdict) {
    super(problem.message);
    this.problem = problem;
    this.calls = calls;
    this.verdict = verdict;
  }
}
