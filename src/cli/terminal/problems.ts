/** Formats problems of a file for people and editors: file, line, column, the line and a marker. */

export interface SourceFile {
  readonly file: string;
  readonly text: string;
  /** Lines and columns of the request body before the text of the file. */
  readonly before?: { readonly lines: number; readonly columns: number };
}

export interface PlacedProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** Path of the value in the document. */
  readonly path?: string;
}

/** Puts the path into the message. */
export function withPath({ path = '', message, ...place }: PlacedProblem): PlacedProblem {
  return { ...place, message: path === '' ? message : `${path} ${message}` };
}

/**
 * Matches places in the document, but not places in a step's code: `step 0 (lark a), line 2, column
 * 1`.
 */
const PLACE = /(?<!\), )line (\d+), column (\d+): /g;

/** The problems that a message of the service lists with their places. */
export function problemsIn(message: string): readonly PlacedProblem[] {
  const places = [...message.matchAll(PLACE)];
  return places.map((place, index) => ({
    line: Number(place[1]),
    column: Number(place[2]),
    message: message.slice(place.index + place[0].length, places[index + 1]?.index).replace(/[;,.\s]+$/, ''),
  }));
}

const WIDEST = 120;

/** The line, cut around the column, with a marker below it. */
function excerpt(line: string, column: number): string {
  const characters = [...line.replace(/\r$/, '')];
  const from = Math.max(0, Math.min(column - 1, characters.length) - WIDEST / 2);
  const shown = characters.slice(from, from + WIDEST).map((character) => (character === '\t' ? ' ' : character));
  return `    ${shown.join('')}\n    ${' '.repeat(Math.max(0, Math.min(column - 1, characters.length) - from))}^\n`;
}

/** End of a file, for problems in what the command line appended to it. */
function endOf(lines: readonly string[]): { readonly line: number; readonly column: number } {
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}

export function describeProblems({ file, text, before }: SourceFile, found: readonly PlacedProblem[]): string {
  const { lines: above, columns: left } = before ?? { lines: 0, columns: 0 };
  const problems = found.map(({ line, column, ...rest }) => ({
    ...rest,
    line: Math.max(1, line - above),
    column: Math.max(1, column - left),
  }));
  const lines = text.replace(/\n$/, '').split('\n');
  const placed = problems.map((problem) => (problem.line > lines.length ? { ...problem, ...endOf(lines) } : problem));
  return placed
    .map(({ line, column, message }) => {
      const source = lines[line - 1];
      return `${file}:${line}:${column}: ${message.replaceAll(/\s*\n\s*/g, ' ')}\n${source === undefined ? '' : excerpt(source, column)}`;
    })
    .join('');
}
