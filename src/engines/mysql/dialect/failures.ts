/**
 * Maps the errors of MySQL and MariaDB to failure kinds. The only file that knows error numbers.
 * Must not import HTTP.
 */
import { DbFailure, type FailureKind, type StatementEffect } from '../../contract/engine.ts';
import { GUARD_FAILED } from './strict.ts';

const CODES: Readonly<Partial<Record<FailureKind, readonly number[]>>> = {
  full: [1040, 1203, 1226],
  busy: [1461],
  login: [1045, 1129, 1130, 1251, 1524, 1698, 1820, 1862, 3118, 3159, 4151],
  timeout: [1969, 3024],
  lost: [1053, 1079, 1080, 1152, 1158, 1159, 1160, 1161, 1184, 1317, 1927, 3169, 4031],
  denied: [1044, 1142, 1143, 1227, 1370, 1410, 1419, 3879],
  missing_table: [1049, 1051, 1109, 1146],
  // 1176: the index of a key.
  missing_column: [1054, 1176],
  // 4078 and 4079: on MariaDB, a function (the IFNULL of a guard) does not accept the type of the
  // column.
  stale: [1243, 1412, 1615, 4078, 4079],
  duplicate: [1022, 1062, 1169, 1586, 1761, 1762],
  constraint: [1048, 1216, 1217, 1263, 1364, 1369, 1451, 1452, 3673, 3819, 4025],
  invalid: [
    1153, 1264, 1265, 1292, 1300, 1365, 1366, 1367, 1390, 1406, 1411, 1416, 1441, 1690, 3037, 3048, 3055, 3140, 3141, 3143, 3144, 3156,
    3516, 3548, 3616, 3617, 3643, 3732, 3854, 4038,
  ],
  conflict: [1020, 1205, 1213, 1614, 3058, 3101, 3572],
  read_only: [1036, 1290, 1792, 1836, 3989],
  raised: [1643, 1644],
  unsupported: [1031, 1288, 1295, 1347, 1348, 1394, 1395, 1442, 1443, 1471, 1906, 3105],
  syntax: [1052, 1055, 1056, 1058, 1064, 1065, 1066, 1111, 1136, 1140, 1149, 1222, 1241, 1248, 1305, 1318, 1327, 1582],
};

const KINDS: ReadonlyMap<number, FailureKind> = new Map(
  Object.entries(CODES).flatMap(([kind, codes]) => codes.map((code): [number, FailureKind] => [code, kind as FailureKind])),
);

const OUT_OF_RANGE = 1690;

/** `true` if KILL QUERY ended the statement. Then the session is intact and the kill is used up. */
export function wasKilled(failure: unknown): boolean {
  return failure instanceof DbFailure && failure.code === '1317';
}

/** `true` if the columns differ from the plan. */
export function isStale(failure: unknown): boolean {
  return failure instanceof DbFailure && failure.kind === 'stale';
}

/** User and host belong into the database's own log only. */
const ACCOUNT = / (?:for|to) (?:user|AuthId) ['`].{0,300}?['`]@['`].{0,300}?['`]/g;

const KEY = /for key '(?:[^']*\.)?([^'.]+)'/;
const CONSTRAINTS = [/CONSTRAINT `([^`]+)`/, /Check constraint '([^']+)'/];
/**
 * A quoted name, or names in backticks separated by dots, of which the column is the last. Must not
 * backtrack.
 */
const COLUMN = /\b(?:column|field) ('[^']*'|`[^`]*`(?:\.`[^`]*`)*)/i;
const LAST_NAME = /([^.'`]+)['`]$/;

function found(pattern: RegExp, message: string): string | undefined {
  return pattern.exec(message)?.[1];
}

function columnIn(message: string): string | undefined {
  return found(LAST_NAME, found(COLUMN, message) ?? '');
}

/** Translates an error packet. */
export function serverFailure(code: number, sqlState: string, message: string): DbFailure {
  const kind = KINDS.get(code) ?? (sqlState.startsWith('42') ? 'syntax' : sqlState === '45000' ? 'raised' : 'other');
  const words = message.replace(ACCOUNT, '');
  if (code === OUT_OF_RANGE && GUARD_FAILED.test(words)) return new DbFailure('stale', words, { code: String(code) });
  if (kind === 'duplicate') return new DbFailure(kind, words, { code: String(code), constraint: found(KEY, words) });
  const constraint = kind === 'constraint' ? CONSTRAINTS.map((pattern) => found(pattern, words)).find(Boolean) : undefined;
  const effect = kind === 'lost' && !ENDED.has(code) ? 'unknown' : 'nothing';
  return new DbFailure(kind, words, { code: String(code), column: columnIn(words), constraint, effect });
}

/** Errors of a server that has ended the statement because of a shutdown or a KILL. */
const ENDED: ReadonlySet<number> = new Set([1053, 1317, 1927, 3169]);

/** Failure of the socket or the protocol during a statement. */
export function lostFailure(why: string, cause?: unknown, effect: StatementEffect = 'unknown'): DbFailure {
  return new DbFailure('lost', why, { code: 'CONNECTION_LOST', cause, effect });
}

/**
 * Failures during the login count as login failures, except a full server and a missing database.
 */
const LOGIN_KINDS: Readonly<Partial<Record<FailureKind, FailureKind>>> = { full: 'full', missing_table: 'missing_table' };

/** Translates any failure before the first statement. */
export function connectFailure(error: unknown): DbFailure {
  if (error instanceof DbFailure) return error;
  const { errno, code, message, sqlState } = error as { errno?: unknown; code?: unknown; message?: unknown; sqlState?: unknown };
  if (typeof errno === 'number' && errno > 0) {
    const failure = serverFailure(errno, typeof sqlState === 'string' ? sqlState : '', String(message));
    const kind = LOGIN_KINDS[failure.kind] ?? 'login';
    return new DbFailure(kind, failure.message, { code: failure.code });
  }
  const known = typeof code === 'string' ? code : '';
  const kind = known.startsWith('AUTH_') || known === 'ER_NOT_SUPPORTED_AUTH_MODE' ? 'login' : 'unreachable';
  return new DbFailure(kind, `The connection failed: ${known || 'the server did not answer as a MySQL server'}`, {
    code: known,
    cause: error,
  });
}

/** Why a statement was stopped early. */
export type StopKind = 'timeout' | 'cancelled' | 'preempted';

const STOP_WORDS: Readonly<Record<StopKind, string>> = {
  timeout: 'The statement ran past its time and was stopped',
  cancelled: 'The statement was stopped because the caller went away',
  preempted: 'The statement was stopped because others waited behind it',
};

export function stopFailure(kind: StopKind, cause?: unknown): DbFailure {
  const code = cause instanceof DbFailure ? cause.code : '';
  // Any response, even that the statement was killed, reports its effect. Without one the effect is
  // unknown.
  return new DbFailure(kind, STOP_WORDS[kind], { code, cause, effect: cause instanceof DbFailure ? cause.effect : 'unknown' });
}

/** Preparing a statement does not run it. */
export function withoutEffect(error: unknown): never {
  throw error instanceof DbFailure && error.effect === 'unknown' ? error.withEffect('nothing') : error;
}

/** Sets the effect of a failure if it is known. */
export function leaves(effect: StatementEffect): (error: unknown) => never {
  return (error) => {
    throw error instanceof DbFailure ? error.withEffect(effect) : error;
  };
}
