/** Why a request is not served. What each is answered with is decided elsewhere. */
export type Refusal =
  | 'malformed'
  | 'head_too_large'
  | 'target_too_long'
  | 'body_too_large'
  | 'bodies_full'
  | 'expectation'
  | 'overloaded'
  | 'too_slow';

export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal);
    this.refusal = refusal;
  }
}
