/**
 * Maps ClickHouse's exception codes and socket errors to failure kinds. The only file that knows
 * the codes. Removes quotes of the statement from messages, because callers must not see it.
 */
import { DbFailure, type FailureKind, type StatementEffect } from '../../contract/engine.ts';
import { SUM_TOO_LARGE } from './aggregates.ts';

const KINDS: Readonly<Record<number, FailureKind>> = {
  192: 'login', // unknown user
  193: 'login', // wrong password
  194: 'login', // password required
  195: 'login', // address not allowed
  516: 'login', // authentication failed
  497: 'denied',
  291: 'denied', // database access denied
  60: 'missing_table',
  81: 'missing_table', // unknown database
  218: 'stale', // table is dropped
  16: 'missing_column', // no such column in table
  47: 'missing_column', // unknown identifier
  8: 'missing_column', // this column does not exist in the block
  10: 'missing_column', // not found column in block
  159: 'timeout',
  160: 'timeout', // too slow
  209: 'timeout', // socket timeout
  394: 'cancelled',
  735: 'cancelled', // cancelled by the client
  202: 'busy', // too many simultaneous queries
  242: 'read_only', // table is read only
  164: 'read_only',
  62: 'syntax',
  46: 'syntax', // unknown function
  63: 'syntax', // unknown aggregate function
  48: 'unsupported', // not implemented
  1: 'unsupported', // unsupported method
  344: 'unsupported', // support is disabled
  420: 'unsupported', // cannot update a key column
  469: 'constraint',
  252: 'invalid', // too many partitions for one insert
  6: 'invalid', // cannot parse text
  20: 'invalid', // number of columns does not match
  26: 'invalid', // cannot parse quoted string
  27: 'invalid', // cannot parse input
  32: 'invalid', // attempt to read after the end: a text cut short
  33: 'invalid', // cannot read all data
  36: 'invalid', // bad arguments
  38: 'invalid', // cannot parse date
  41: 'invalid', // cannot parse date and time
  43: 'invalid', // illegal type of argument
  44: 'invalid', // illegal column
  53: 'invalid', // type mismatch
  69: 'invalid', // argument out of bound
  70: 'invalid', // cannot convert type
  72: 'invalid', // cannot parse number
  117: 'invalid', // incorrect data
  130: 'invalid', // cannot read array from text
  131: 'invalid', // too large string
  153: 'invalid', // illegal division
  321: 'invalid', // value could not be converted to the type
  349: 'invalid', // NULL for a column that is not Nullable
  376: 'invalid', // cannot parse UUID
  386: 'invalid', // no common type
  395: 'invalid', // throwIf
  407: 'invalid', // decimal overflow
  441: 'invalid', // invalid address literal
  456: 'invalid', // parameter not set
  457: 'invalid', // bad query parameter
  467: 'invalid', // cannot parse Bool
  675: 'invalid', // cannot parse IPv4
  676: 'invalid', // cannot parse IPv6
  691: 'invalid', // unknown element of an enum
};

const EXCEPTION = /^(?:[\s\S]*?)Code: (\d+)\. (?:DB::Exception|DB::NetException|DB::ErrnoException|DB::ParsingException): ([\s\S]*)$/;

/** Start of the part of a message that quotes the statement or the server instead of the data. */
const TAIL =
  /(?:: |\. |, )? ?(?:[Ii]n scope |[Ww]hile (?:executing|processing|converting|reading|calculating) |\(at row \d+\)|Stack trace|\(version |\([A-Z][A-Z0-9_]+\)\s*(?:\(version|$)|Maybe you meant:? ?\[[^\]]*\]\s*$)[\s\S]*$/;

const MAX_MESSAGE = 300;

/** Translates an exception text. */
export function failureOf(text: string, code?: number): DbFailure {
  const match = EXCEPTION.exec(text);
  const number = code ?? Number(match?.[1] ?? '0');
  return exceptionFailure(number, match?.[2] ?? text);
}

export function exceptionFailure(code: number, message: string): DbFailure {
  if (code === MUTATION_FAILED) return mutationFailure(message);
  const kind = code === THROWN && message.includes(SUM_TOO_LARGE) ? 'overflow' : (KINDS[code] ?? 'other');
  const effect = STOPPED.has(kind) || IN_A_VIEW.test(message) ? 'unknown' : 'nothing';
  return new DbFailure(kind, plainMessage(message), { code: String(code), column: columnOf(message), effect });
}

const MUTATION_FAILED = 341;
/** Code of throwIf, with which statements of the service fail themselves. */
const THROWN = 395;

/**
 * Failure of a mutation while it ran. Some parts may have changed, and the server retries it until
 * it is killed.
 */
export class MutationFailure extends DbFailure {
  override withEffect(effect: StatementEffect): MutationFailure {
    const { kind, message, code, column } = this;
    return new MutationFailure(kind, message, { code, column, effect });
  }
}

/** The cause is inside the message. */
function mutationFailure(message: string): MutationFailure {
  const [, code, reason] = EXCEPTION.exec(message) ?? [undefined, String(MUTATION_FAILED), message];
  const kind = KINDS[Number(code)] ?? 'other';
  return new MutationFailure(kind, plainMessage(reason ?? ''), { code: code ?? '', column: columnOf(message), effect: 'unknown' });
}

/**
 * A mutation that timed out continues in the background, and earlier blocks of an insert are kept.
 */
const STOPPED: ReadonlySet<FailureKind> = new Set<FailureKind>(['timeout', 'cancelled', 'lost']);
/** A materialized view failed after the rows were written to its source. */
const IN_A_VIEW = /pushing to view/i;

const SYNTAX_QUOTE = /: failed at position (\d+)[\s\S]*$/;

function plainMessage(message: string): string {
  const plain = message
    .replace(/^DB::Exception: /, '')
    .replace(SYNTAX_QUOTE, ' at position $1')
    .replace(TAIL, '')
    .trim();
  return plain.length > MAX_MESSAGE ? `${plain.slice(0, MAX_MESSAGE)}…` : plain;
}

const COLUMN = /(?:column|identifier|Column) [`'‘]([^`'’]+)[`'’]/;

function columnOf(message: string): string | undefined {
  return COLUMN.exec(message)?.[1];
}

const DIALLING: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EADDRNOTAVAIL',
]);

/** Translates a socket error while connecting. */
export function dialFailure(error: Error): DbFailure {
  if (error instanceof DbFailure) return error;
  const code = codeOf(error);
  const reason = DIALLING.has(code) ? code : `${code} ${error.message}`.trim();
  return new DbFailure('unreachable', `the ClickHouse server cannot be reached (${reason})`, { code, cause: error });
}

/** Failure for a socket that closed while a statement ran. */
export function lostFailure(cause?: Error, effect: StatementEffect = 'unknown'): DbFailure {
  return new DbFailure('lost', 'the ClickHouse server closed the connection before the answer was complete', {
    code: cause === undefined ? '' : codeOf(cause),
    cause,
    effect,
  });
}

/** Failure for a server that accepts connections and does not answer. */
export function noAnswer(cause: Error): DbFailure {
  return new DbFailure('unreachable', 'the ClickHouse server did not answer in time', { code: 'ETIMEDOUT', cause });
}

export function timedOut(timeoutMs: number): DbFailure {
  return new DbFailure('timeout', `the statement ran longer than ${timeoutMs / 1000} s and was stopped`);
}

export function cancelled(): DbFailure {
  return new DbFailure('cancelled', 'the statement was stopped because the caller went away');
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
