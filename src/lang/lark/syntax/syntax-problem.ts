/** How many problems of one file are reported: the parser and the resolver each stop there. */
export const MAX_PROBLEMS = 20;

/** A problem at an offset of a text: thrown by the scanner and the parser, and collected by the parser. */
export class SyntaxProblem extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}
