/**
 * Reasons for which a request is not handed to its handler. The responses are the business of the
 * handlers.
 */
export type RejectReason =
  | 'malformed'
  | 'head_too_large'
  | 'target_too_long'
  | 'body_too_large'
  | 'bodies_full'
  | 'expectation'
  | 'overloaded'
  | 'too_slow';

export class RequestRejected extends Error {
  readonly reason: RejectReason;

  constructor(reason: RejectReason) {
    super(reason);
    this.reason = reason;
  }
}
