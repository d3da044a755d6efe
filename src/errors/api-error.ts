/**
 * An error as clients see it: status, message, details. The other files of this folder list them
 * all.
 */
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

/** Reason phrase of any status: authors of definitions may choose other ones than this service. */
export function reasonOf(status: number): string {
  return REASONS[status] ?? STATUS_CODES[status] ?? 'Status';
}

/**
 * Redacts Power Tokens: a client may put its token where a name belongs, and messages quote names.
 */
const POWER_TOKEN = /mr_[A-Za-z0-9_-]{20,}/g;

/** Outcome of a write that did not end in 2xx. */
export type WriteOutcome = 'none' | 'unknown';

const OUTCOMES: Readonly<Record<WriteOutcome, string>> = {
  none: 'Nothing was changed.',
  unknown: 'The outcome of the write is unknown: it may have taken effect; check before you repeat it.',
};

/** Statuses after which a client cannot tell whether a write took effect. */
const AMBIGUOUS: ReadonlySet<number> = new Set([424, 504]);

/** Names the steps of a failed Custom call whose writes are, or may be, committed. */
export function describeResidue(steps: readonly string[], certainty: 'committed' | 'uncertain'): string {
  const which = steps.length === 1 ? `step ${steps[0]}` : `the steps ${steps.join(', ')}`;
  if (certainty === 'committed') return `What ${which} wrote stays; check before you repeat the call.`;
  return `The outcome is unknown: what ${which} wrote may stay; check before you repeat the call.`;
}

/** Ends a message with a full stop, so that a sentence can follow. */
function sentence(message: string): string {
  return /[.!?…]$/.test(message) ? message : `${message}.`;
}

/** A field of the request by its path, and its problem. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

export class ApiError extends Error {
  readonly key: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  #place: string | undefined;
  /** Problems by field. */
  #errors: readonly FieldError[] | undefined;
  /** Additional lists of the body, by name. */
  #lists: Readonly<Record<string, readonly object[]>> | undefined;
  #verbatim = false;

  constructor(key: string, status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message.replace(POWER_TOKEN, 'mr_***'));
    this.key = key;
    this.status = status;
    this.headers = headers;
  }

  /** `true` if a database caused the error, so that the log must include the cause. */
  get isExternal(): boolean {
    return this.status === 424 || (this.status === 503 && this.cause !== undefined);
  }

  /**
   * The message may quote client input, so only the error key and the vetted `place` are logged.
   */
  loggable(): Readonly<Record<string, string>> {
    return this.#place === undefined ? { error: this.key } : { error: this.key, place: this.#place };
  }

  /** Place in a definition where the error occurred, free of client input. */
  at(place: string): this {
    this.#place = place;
    return this;
  }

  withErrors(errors: readonly FieldError[]): this {
    this.#errors = errors.map(({ field, message }) => ({ field: field.replace(POWER_TOKEN, 'mr_***'), message }));
    return this;
  }

  withLists(lists: Readonly<Record<string, readonly object[]>>): this {
    this.#lists = lists;
    return this;
  }

  /** A list of the body; `undefined` if it has none of this name. */
  list(name: string): readonly object[] | undefined {
    return this.#lists?.[name];
  }

  /** Marks the message as an author's, so that nothing is added to it. */
  verbatim(): this {
    this.#verbatim = true;
    return this;
  }

  /** Cause for the log, hidden from the client. */
  causedBy(cause: unknown): this {
    this.cause = cause;
    return this;
  }

  /**
   * The same error with the outcome of the write. The message mentions it where it is not obvious.
   */
  withOutcome(outcome: WriteOutcome, residue = OUTCOMES[outcome]): ApiError {
    const { key, status, headers } = this;
    const isMentioned = !this.#verbatim && (outcome === 'unknown' || AMBIGUOUS.has(status));
    const message = isMentioned ? `${sentence(this.message)} ${residue}` : this.message;
    const error = new ApiError(key, status, message, { ...headers, 'x-outcome': outcome }).causedBy(this.cause);
    error.#place = this.#place;
    error.#errors = this.#errors;
    error.#lists = this.#lists;
    error.#verbatim = this.#verbatim;
    return error;
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
