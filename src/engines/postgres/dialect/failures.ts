/** Maps SQLSTATE to failure kinds. The only file that knows PostgreSQL's error codes. */
import { DbFailure, type FailureKind, type StatementEffect } from '../../contract/engine.ts';

const BY_CODE: Readonly<Record<string, FailureKind>> = {
  '0A000': 'unsupported',
  '22P02': 'invalid',
  '23505': 'duplicate',
  '25006': 'read_only',
  '25P03': 'lost',
  '26000': 'stale',
  '28000': 'login',
  '28P01': 'login',
  '3D000': 'missing_table',
  '3F000': 'missing_table',
  '40001': 'conflict',
  '40P01': 'conflict',
  '42501': 'denied',
  '42601': 'syntax',
  '42703': 'missing_column',
  '42704': 'stale',
  '42883': 'stale',
  '42P01': 'missing_table',
  '428C9': 'constraint',
  '42804': 'invalid',
  '44000': 'constraint',
  '53300': 'full',
  '55000': 'unsupported',
  '55P03': 'conflict',
  '57014': 'timeout',
  '57P01': 'lost',
  '57P02': 'lost',
  '57P03': 'unreachable',
  '57P05': 'lost',
  P0001: 'raised',
  P0004: 'raised',
};

const BY_CLASS: Readonly<Record<string, FailureKind>> = {
  '08': 'lost',
  '22': 'invalid',
  '23': 'constraint',
  '42': 'syntax',
  '53': 'busy',
};

/** The message of a prepared plan that is older than its table; the code is not specific. */
const STALE_PLAN = /cached plan must not change result type/;

/** The message of an upsert with two rows of the same key; the code is not specific. */
const KEY_TWICE = /ON CONFLICT DO UPDATE command cannot affect row a second time/;

/** Class of errors in the statement rather than in the data. */
const STATEMENT_ERROR_CLASS = '42';

/**
 * Sessions that the server ended because they were idle. Statements sent to them were never
 * started.
 */
const ENDED_IDLE: ReadonlySet<string> = new Set(['25P03', '57P05']);

/** The server itself has ended the session, and has rolled back its statement. */
const TERMINATED = '57P01';

/**
 * An error ends its statement only. The end of a session may also be reported by a pooler, which
 * does not know how the statement ended.
 */
function effectOf(kind: FailureKind, code: string, severity: string | undefined): StatementEffect {
  if (ENDED_IDLE.has(code)) return 'unsent';
  return kind !== 'lost' || severity === 'ERROR' || code === TERMINATED ? 'nothing' : 'unknown';
}

/** The server routine that executes RAISE. Its messages were written by the author of that code. */
const RAISE = 'exec_stmt_raise';
const RAISED_KINDS: ReadonlySet<FailureKind> = new Set<FailureKind>(['duplicate', 'constraint', 'invalid']);

function kindOf(fields: ReadonlyMap<string, string>): FailureKind {
  const code = fields.get('C') ?? '';
  const kind = BY_CODE[code] ?? BY_CLASS[code.slice(0, 2)] ?? 'other';
  if (fields.get('R') === RAISE) return RAISED_KINDS.has(kind) ? kind : 'raised';
  if (STALE_PLAN.test(fields.get('M') ?? '')) return 'stale';
  if (KEY_TWICE.test(fields.get('M') ?? '')) return 'duplicate';
  // After FATAL and PANIC the session is over.
  return kind === 'other' && fields.get('V') !== 'ERROR' && fields.has('V') ? 'lost' : kind;
}

export function failureFrom(fields: ReadonlyMap<string, string>): DbFailure {
  const code = fields.get('C') ?? '';
  const message = fields.get('M') ?? 'unknown error';
  const kind = kindOf(fields);
  const detail = fields.get('D');
  return new DbFailure(kind, detail === undefined ? message : `${message} (${detail})`, {
    code,
    column: fields.get('c') ?? keyOfDetail(detail)?.[1],
    key: keyOfDetail(detail)?.[2],
    constraint: fields.get('n'),
    position: Number(fields.get('P')) || undefined,
    ofStatement: code.startsWith(STATEMENT_ERROR_CLASS),
    effect: effectOf(kind, code, fields.get('V') ?? fields.get('S')),
  });
}

/**
 * `Key (email)=(x) already exists.` names the column and its value; several are joined by commas.
 */
const KEY = /^Key \((.+?)\)=(?:\((.*)\) (?:already exists|is not present in|is still referenced from|conflicts with))?/s;

function keyOfDetail(detail: string | undefined): RegExpExecArray | null {
  return KEY.exec(detail ?? '');
}

/** Translates an error of the handshake or of the socket. */
export function connectFailure(error: unknown): DbFailure {
  if (error instanceof DbFailure) return error;
  const { code = '', message = String(error) } = error as { code?: string; message?: string };
  const kind =
    BY_CODE[code] ?? BY_CLASS[code.slice(0, 2)] ?? (/password|authentication|SASL|SCRAM/i.test(message) ? 'login' : 'unreachable');
  return new DbFailure(kind, message, { code, cause: error });
}
