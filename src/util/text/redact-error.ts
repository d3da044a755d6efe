/**
 * Makes an error fit for the log: without anything that a caller sent. Engines, languages and libraries quote values in their messages
 * ("Duplicate entry 'x'"). Errors that know which words are safe say so themselves; of all others only the stack frames are kept.
 * Knows no error by name.
 */

/** An error that knows which of its words are safe to log. */
export interface Loggable {
  loggable(): Readonly<Record<string, string>>;
}

const LONGEST = 300;
const DEEPEST = 5;

/** From the first quotation mark to the last: a quoted value may contain quotation marks itself. */
const QUOTED = /["'`\u2018\u201c].*["'`\u2019\u201d]/s;

/** Removes what the sentence quotes. */
export function withoutQuotes(message: string): string {
  return message.replace(QUOTED, '"…"').slice(0, LONGEST);
}

function isLoggable(error: Error): error is Error & Loggable {
  return 'loggable' in error && typeof error.loggable === 'function';
}

/** The stack frames without the message. */
function framesOf({ stack = '', name, message }: Error): string {
  const head = `${name}: ${message}`;
  const at = stack.indexOf(head);
  const frames = at < 0 ? stack : stack.slice(at + head.length);
  return frames
    .split('\n')
    .filter((line) => line.startsWith('    at '))
    .join('\n');
}

/** One line, without frames. */
export function lineForLog(error: unknown): string {
  const parts: string[] = [];
  for (let at: unknown = error; at instanceof Error && parts.length < DEEPEST; at = at.cause)
    parts.push(isLoggable(at) ? Object.values(at.loggable()).join(' ') : withoutQuotes(at.message));
  return parts.join(': ');
}

export function wordsForLog(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return withoutQuotes(String(error));
  const { code } = error as { code?: unknown };
  return {
    type: error.constructor.name,
    ...(isLoggable(error)
      ? error.loggable()
      : { message: withoutQuotes(error.message), ...(typeof code === 'string' && /^\w{1,40}$/.test(code) ? { code } : {}) }),
    stack: framesOf(error),
    ...(error.cause === undefined || depth === DEEPEST ? {} : { cause: wordsForLog(error.cause, depth + 1) }),
  };
}
