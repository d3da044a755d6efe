/** Converts a database URL into the entry that registers it. */
import { ConfigError } from '../../config.ts';
import type { Engines } from '../../engines/registry.ts';

/** Entry as a body of the System APIs. */
export interface UrlEntry {
  readonly db_type: string;
  readonly db_name: string;
  readonly host_details: readonly { readonly host: string; readonly port: string }[];
  readonly username: string;
  readonly password: string;
}

const FORM = 'write it as postgres://user:password@host:5432/database';

export function entryFromUrl(text: string, engines: Engines): UrlEntry {
  if (!URL.canParse(text)) throw new ConfigError(`the database is not given as a URL; ${FORM}.`);
  const url = new URL(text);
  const scheme = url.protocol.slice(0, -1);
  const engine = engines.named(scheme === 'postgresql' ? 'postgres' : scheme);
  if (engine === undefined) throw new ConfigError(`${scheme}:// is no database that is supported; use ${engines.names}.`);
  const database = decodeURIComponent(url.pathname.slice(1));
  if (url.hostname === '' || database === '' || database.includes('/'))
    throw new ConfigError(`the URL must name a host and a database; ${FORM}.`);
  if (url.username === '') throw new ConfigError(`the URL must name a user; ${FORM}.`);
  return {
    db_type: engine.type,
    db_name: database,
    host_details: [{ host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port === '' ? String(engine.defaultPort) : url.port }],
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  };
}
