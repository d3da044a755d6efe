/** Maximum number of reported problems per file, for the parser and the resolver. */
export const MAX_PROBLEMS = 20;

/** Syntax error at an offset, thrown by the scanner and the parser and collected by the parser. */
export class SyntaxProblem extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}
