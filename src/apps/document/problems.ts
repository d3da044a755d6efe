/** Problems of an app's document, with the path and place of the value that causes each. */

/** A path such as `blocks[2].chart.kind`, with its line and column from 1. */
export interface Spot {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

export interface AppProblem extends Spot {
  readonly message: string;
}

/** `malformed` problems are faults of the text (400), `refused` ones of the space (422). */
export interface Problems {
  readonly malformed: readonly AppProblem[];
  readonly refused: readonly AppProblem[];
}

export function childPath(path: string, name: string | number): string {
  if (typeof name === 'number') return `${path}[${name}]`;
  return path === '' ? name : `${path}.${name}`;
}

/** All problems in document order, each once: aliases repeat the faults of their anchors. */
export function inOrder({ malformed, refused }: Problems): readonly AppProblem[] {
  const distinct = new Map([...malformed, ...refused].map((problem) => [`${problem.path} ${problem.message}`, problem]));
  return [...distinct.values()].toSorted((a, b) => a.line - b.line || a.column - b.column);
}

const MAX_LISTED = 20;

/** The problems as one line. */
export function describeProblems(problems: readonly AppProblem[]): string {
  const listed = problems.slice(0, MAX_LISTED).map(({ path, line, column, message }) => {
    const subject = path === '' ? '' : `${path} `;
    return `line ${line}, column ${column}: ${subject}${message}`;
  });
  const more = problems.length - listed.length;
  return listed.join('; ') + (more > 0 ? `; and ${more} more` : '');
}
