/**
 * Removes whatever a caller sent from an error before it is logged. Engines and libraries quote
 * values in their messages ("Duplicate entry 'x'"), so only errors that declare safe fields keep
 * more than stack frames.
 */

/** An error that declares the fields that are safe to log. */
export interface Loggable {
  loggable(): Readonly<Record<string, string>>;
}

const MAX_LENGTH = 300;
const MAX_CAUSES = 5;

/** From the first quotation mark to the last: a quoted value may contain quotation marks itself. */
const QUOTED = /["'`\u2018\u201c].*["'`\u2019\u201d]/s;

/** Replaces quoted parts of a message. */
export function withoutQuotes(message: string): string {
  return message.replace(QUOTED, '"…"').slice(0, MAX_LENGTH);
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

/** The messages of an error and its causes in one line, without stack frames. */
export function lineForLog(error: unknown): string {
  const parts: string[] = [];
  for (let at: unknown = error; at instanceof Error && parts.length < MAX_CAUSES; at = at.cause)
    parts.push(isLoggable(at) ? Object.values(at.loggable()).join(' ') : withoutQuotes(at.message));
  return parts.join(': ');
}

export function redactError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return withoutQuotes(String(error));
  const { code } = error as { code?: unknown };
  return {
    type: error.constructor.name,
    ...(isLoggable(error)
      ? error.loggable()
      : { message: withoutQuotes(error.message), ...(typeof code === 'string' && /^\w{1,40}$/.test(code) ? { code } : {}) }),
    stack: framesOf(error),
    ...(error.cause === undefined || depth === MAX_CAUSES ? {} : { cause: redactError(error.cause, depth + 1) }),
  };
}
