/** So many of one file are told: the parser and the resolver each stop there. */
export const MAX_PROBLEMS = 20;

/** Something wrong at an offset of a text: thrown by the scanner and the parser, which collects them. */
export class SyntaxProblem extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}
