/**
 * Describes why a database cannot be used, in words for operators. Contains no caller data and no
 * passwords.
 */
import type { Entry, Host } from '../../model/entry.ts';

/** Which database it was, and where it was looked for. */
export interface OutagePlace {
  readonly database: string;
  readonly address: string;
}

/** A database's failure, as far as it matters here. */
interface Failing extends Error {
  readonly kind: string;
}

const KINDS: Readonly<Record<string, string>> = {
  login: 'wrong password',
  full: 'too many connections',
  busy: 'busy',
  malformed: 'protocol',
  lost: 'went away',
  missing_table: 'no such database',
  denied: 'access denied',
};

const CODES: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'refused'],
  ['ENOTFOUND', 'unknown host'],
  ['EAI_AGAIN', 'unknown host'],
  ['EAI_NODATA', 'unknown host'],
  ['ETIMEDOUT', 'no answer in time'],
  ['EHOSTUNREACH', 'no route to the host'],
  ['ENETUNREACH', 'no route to the host'],
  ['ECONNRESET', 'went away'],
  ['PROTOCOL', 'protocol'],
  ['NO_TLS', 'tls'],
  ['HOST_DENIED', 'the address is denied'],
  // Servers report this for the database of a login.
  ['3D000', 'no such database'],
  ['1049', 'no such database'],
]);

/** How Node and OpenSSL name what is wrong with a certificate or a handshake. */
const TLS = /^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HANDSHAKE_SSL|EPROTO|HOSTNAME_MISMATCH)/;
const DEEPEST = 5;

export function outageOf(failure: Failing): string {
  return codedReason(failure) ?? KINDS[failure.kind] ?? 'unreachable';
}

/** The first known code of the failure or of its causes. */
function codedReason(failure: Error): string | undefined {
  let at: unknown = failure;
  for (let depth = 0; at instanceof Error && depth < DEEPEST; depth++) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string') {
      const reason = CODES.get(code) ?? (TLS.test(code) ? 'tls' : undefined);
      if (reason !== undefined) return reason;
    }
    at = at.cause;
  }
  return undefined;
}

/** The address that was tried, or the hosts of the entry for an established connection. */
export function placeOf({ type, database, hosts }: Entry, tried?: { readonly host: Host; readonly address: string }): OutagePlace {
  const name = `${type}/${database}`;
  if (tried === undefined) return { database: name, address: hosts.map(({ host, port }) => `${host}:${port}`).join(', ') };
  const { host, address } = tried;
  return { database: name, address: `${host.host}:${host.port}${address === host.host ? '' : ` (${address})`}` };
}

/** Replaces the database's name before a table (`db`.`t`, db.t) or after the word by the alias. */
export function withAlias(message: string, { database, alias = database }: Pick<Entry, 'database' | 'alias'>): string {
  if (alias === database || !message.includes(database)) return message;
  const name = database.replace(/[^\w]/g, '\\$&');
  const isName = new RegExp(`(?<=\\bdatabase ["'\`]?)${name}(?![\\w$])|(?<![\\w$])${name}(?=["'\`]?\\.)`, 'gi');
  return message.replace(isName, () => alias);
}
