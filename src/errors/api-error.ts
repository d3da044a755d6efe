/** An error as clients see it: a status, a sentence, perhaps fields. What the table of errors says is in the other files here. */
import { STATUS_CODES } from 'node:http';

export const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  208: 'Already Reported',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  408: 'Request Timeout',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Payload Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  417: 'Expectation Failed',
  422: 'Unprocessable Entity',
  424: 'Failed Dependency',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** Of any status: those of authors are not in the table above. */
export function reasonOf(status: number): string {
  return REASONS[status] ?? STATUS_CODES[status] ?? 'Status';
}

/** A client may put its Power Token where a name belongs. The sentence that quotes the name does not repeat it. */
const POWER_TOKEN = /mr_[A-Za-z0-9_-]{20,}/g;

/** Of a write that did not end in 2xx: nothing of it stays, or nobody can tell. */
export type WriteOutcome = 'none' | 'unknown';

const OUTCOMES: Readonly<Record<WriteOutcome, string>> = {
  none: 'Nothing was changed.',
  unknown: 'The outcome of the write is unknown: it may have taken effect; look before you repeat it.',
};

/** A database that went away, and a write that ran out of time. */
const CUT_OFF: ReadonlySet<number> = new Set([424, 504]);

/** What stays of a Custom call that failed, by its steps. */
export function staysOf(steps: readonly string[], certainty: 'stays' | 'may_stay'): string {
  const which = steps.length === 1 ? `step ${steps[0]}` : `the steps ${steps.join(', ')}`;
  if (certainty === 'stays') return `What ${which} wrote stays; look before you repeat the call.`;
  return `The outcome is unknown: what ${which} wrote may stay; look before you repeat the call.`;
}

/** A field of the request, by its path, and what is wrong with it. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

export class ApiError extends Error {
  readonly key: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  #place: string | undefined;
  /** What is wrong field by field, where that is known. */
  #errors: readonly FieldError[] | undefined;
  /** What else clients may want to go through, by name. */
  #lists: Readonly<Record<string, readonly object[]>> | undefined;
  #verbatim = false;

  constructor(key: string, status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message.replace(POWER_TOKEN, 'mr_***'));
    this.key = key;
    this.status = status;
    this.headers = headers;
  }

  /** Not the caller's doing and not ours: a database did it, and the log must say how. */
  get isForeign(): boolean {
    return this.status === 424 || (this.status === 503 && this.cause !== undefined);
  }

  /** The sentence may quote what the caller sent, so the log has the entry's name, and what was said to be fit for it. */
  loggable(): Readonly<Record<string, string>> {
    return this.#place === undefined ? { error: this.key } : { error: this.key, place: this.#place };
  }

  /** Where in a definition it happened, in words that hold nothing of the caller. */
  at(place: string): this {
    this.#place = place;
    return this;
  }

  withErrors(errors: readonly FieldError[]): this {
    this.#errors = errors.map(({ field, message }) => ({ field: field.replace(POWER_TOKEN, 'mr_***'), message }));
    return this;
  }

  listing(lists: Readonly<Record<string, readonly object[]>>): this {
    this.#lists = lists;
    return this;
  }

  /** The sentence is an author's: nothing is said around it. */
  verbatim(): this {
    this.#verbatim = true;
    return this;
  }

  /** What the log shall tell and the client not. */
  because(cause: unknown): this {
    this.cause = cause;
    return this;
  }

  /** The same error of a write, with what stays of it. That nothing does is said where one could think otherwise. */
  leaves(outcome: WriteOutcome, stays = OUTCOMES[outcome]): ApiError {
    const { key, status, headers } = this;
    const isTold = !this.#verbatim && (outcome === 'unknown' || CUT_OFF.has(status));
    const words = isTold ? `${this.message} ${stays}` : this.message;
    const told = new ApiError(key, status, words, { ...headers, 'x-outcome': outcome }).because(this.cause);
    told.#place = this.#place;
    told.#errors = this.#errors;
    told.#lists = this.#lists;
    told.#verbatim = this.#verbatim;
    return told;
  }

  body(): { code: number; status: string; message: string; errors?: readonly FieldError[]; [list: string]: unknown } {
    return {
      code: this.status,
      status: reasonOf(this.status),
      message: this.message,
      ...(this.#errors && { errors: this.#errors }),
      ...this.#lists,
    };
  }
}
