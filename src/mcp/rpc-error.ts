/** Errors of JSON-RPC and of the protocol, each with the status of the transport. Pure. */
import type { PlainValue } from '../util/text/decimal.ts';

/** `answered`: 200. `malformed`: 400. `unknown`: 404, the method does not exist. */
export type RpcOutcome = 'answered' | 'malformed' | 'unknown';

export class RpcError extends Error {
  readonly code: number;
  readonly outcome: RpcOutcome;
  readonly data: PlainValue | undefined;

  constructor(code: number, message: string, outcome: RpcOutcome = 'answered', data?: PlainValue) {
    super(message);
    this.code = code;
    this.outcome = outcome;
    this.data = data;
  }
}

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const UNKNOWN_METHOD = -32601;
export const INVALID_PARAMS = -32602;
export const HEADER_MISMATCH = -32020;
export const UNSUPPORTED_VERSION = -32022;
