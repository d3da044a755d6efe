/**
 * Converts database entries from body fields to drafts for the store, and back without the
 * password. No I/O.
 */
import { X509Certificate } from 'node:crypto';
import type { Engine } from '../engines/contract/engine.ts';
import type { Engines } from '../engines/registry.ts';
import type { Entry, Host, TlsMode } from '../model/entry.ts';
import { SPACE_NAMES } from '../model/project.ts';
import type { DeclaredKey } from '../model/relation.ts';
import type { EntryDraft } from '../store/store.ts';
import { type BodyFields, matching, quoted, type TextRule } from './fields.ts';

const TLS_MODES: readonly [TlsMode, ...TlsMode[]] = ['prefer', 'disable', 'require', 'verify-full'];

const MAX_CERTIFICATES_LENGTH = 100_000;
const MAX_PASSWORD_LENGTH = 10_000;
const MAX_HOSTS = 32;
const DAY_SECS = 86_400;

/**
 * If the type is invalid, the fallback engine is used, so that the other problems are reported too.
 */
function readEngine(fields: BodyFields, engines: Engines): Engine {
  const text = fields.text('db_type');
  if (text === '') return engines.fallback;
  const engine = engines.named(text);
  if (engine !== undefined) return engine;
  const reason = engines.isNameAnnounced(text) ? 'announced but unavailable' : 'not valid';
  fields.malformed('db_type', `${quoted(text)} is ${reason}: use ${engines.types}`);
  return engines.fallback;
}

const hostRule: TextRule = (text) => (/^[^\s\u0000-\u001f,;?#]+$/.test(text) ? undefined : 'is not a host name or address');

function readHost(fields: BodyFields, defaultPort: number): Host {
  const text = fields.text('host', hostRule, 255);
  if (/[/\\]|^@/.test(text)) fields.malformed('host', `${quoted(text)} is a socket path, which is not supported`);
  // An IPv6 address may be in brackets, as in a URL.
  return { host: text.replace(/^\[(.*)\]$/, '$1'), port: readPort(fields, defaultPort) };
}

function readPort(fields: BodyFields, standard: number): number {
  const value = fields.value('port');
  if (typeof value !== 'string') return fields.integer('port', standard, 1, 65_535);
  const port = /^\d{1,5}$/.test(value) ? Number(value) : 0;
  if (port < 1 || port > 65_535) fields.refused('port', `${quoted(value)} is not a port between 1 and 65535`);
  return port;
}

function readHosts(fields: BodyFields, { defaultPort }: Engine): readonly Host[] {
  if (fields.value('host_details') === undefined) {
    if (fields.value('host') !== undefined) return [readHost(fields, defaultPort)];
    fields.malformed('host_details', 'is missing');
    return [];
  }
  if (fields.value('host') !== undefined) fields.refused('host', 'and host_details exclude each other');
  const hosts = fields.objects('host_details') ?? [];
  if (Array.isArray(fields.value('host_details')) && (hosts.length === 0 || hosts.length > MAX_HOSTS))
    fields.refused('host_details', `must have 1 to ${MAX_HOSTS} hosts`);
  return hosts.map((host) => readHost(host, defaultPort));
}

const certificateRule: TextRule = (text) => {
  try {
    new X509Certificate(text);
    return undefined;
  } catch {
    return 'is not a certificate in PEM form';
  }
};

/** A name for paths, of a length that fits log lines and headers. */
const ALIAS = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$/;
const ALIAS_RULE = 'must begin with a letter, a digit or an underscore, and have letters, digits, underscores, dots and hyphens only';

const MAX_RELATIONS = 1000;
const MAX_COLUMNS = 32;
const MAX_NAME_LENGTH = 255;

/** Checks the form only. Whether the tables exist is checked when a request uses them. */
function readRelations(fields: BodyFields): readonly DeclaredKey[] | undefined {
  const items = fields.objects('relations');
  if (items === undefined || items.length === 0) return undefined;
  if (items.length > MAX_RELATIONS) fields.refused('relations', `must have at most ${MAX_RELATIONS} items`);
  return items.slice(0, MAX_RELATIONS).map((item) => {
    const references = item.object('references');
    const key = {
      table: item.text('table', undefined, MAX_NAME_LENGTH),
      columns: item.strings('columns', MAX_COLUMNS, MAX_NAME_LENGTH),
      references: {
        table: references?.text('table', undefined, MAX_NAME_LENGTH) ?? '',
        columns: references?.strings('columns', MAX_COLUMNS, MAX_NAME_LENGTH) ?? [],
      },
    };
    const [ours, theirs] = [key.columns.length, key.references.columns.length];
    if (ours > 0 && theirs > 0 && ours !== theirs) item.refused('columns', 'and references.columns must have the same length');
    return key;
  });
}

/** Returns the spaces in their canonical order; all if the field is absent. */
function readSpaces(fields: BodyFields): readonly string[] {
  if (fields.value('spaces') === undefined) return SPACE_NAMES;
  const names = fields.strings('spaces', SPACE_NAMES.length, 20);
  const unknown = names.find((name) => !(SPACE_NAMES as readonly string[]).includes(name));
  if (unknown !== undefined || names.length === 0) fields.refused('spaces', `must list some of ${SPACE_NAMES.join(', ')}`);
  return SPACE_NAMES.filter((name) => names.includes(name));
}

/** Entry of a body; `password` is `null` if the body has none. */
export type EntryBody = Omit<EntryDraft, 'password'> & { readonly password: string | null };

export function readEntry(fields: BodyFields, engines: Engines): EntryBody {
  const engine = readEngine(fields, engines);
  const ca = fields.optionalText('ca', certificateRule, MAX_CERTIFICATES_LENGTH);
  const entry = {
    type: engine.type,
    database: fields.text('db_name', undefined, 255),
    hosts: readHosts(fields, engine),
    username: fields.text('username', undefined, 255),
    password: fields.optionalText('password', undefined, MAX_PASSWORD_LENGTH),
    tls: fields.choiceOrFirst('tls', TLS_MODES),
    connectTimeoutSecs: fields.integer('connect_timeout_secs', 60, 1, DAY_SECS),
    idleTimeoutSecs: fields.integer('idle_timeout_secs', 900, 1, DAY_SECS),
    maxOpenConnections: fields.integer('max_open_connections', 50, 1, 10_000),
    maxIdleConnections: fields.integer('max_idle_connections', 25, 0, 10_000),
    queryTimeoutSecs: fields.integer('timeout_secs', 30, 1, DAY_SECS),
    readOnly: fields.flag('read_only'),
  };
  const relations = readRelations(fields);
  const alias = fields.optionalText('alias', matching(ALIAS, ALIAS_RULE), 63);
  const spaces = readSpaces(fields);
  return {
    ...entry,
    alias: alias ?? entry.database,
    spaces,
    ...(ca === null ? {} : { ca }),
    ...(relations === undefined ? {} : { relations }),
  };
}

/** Reads a new entry, which must have a password, even an empty one. */
export function readNewEntry(fields: BodyFields, engines: Engines): EntryDraft {
  const entry = readEntry(fields, engines);
  if (fields.value('password') === undefined) fields.malformed('password', 'is missing');
  return { ...entry, password: entry.password ?? '' };
}

/** Returns an entry for clients, without its password. */
export function describeEntry(entry: Entry): object {
  return {
    db_type: entry.type,
    db_name: entry.database,
    alias: entry.alias ?? entry.database,
    spaces: entry.spaces ?? SPACE_NAMES,
    host_details: entry.hosts.map(({ host, port }) => ({ host, port: String(port) })),
    username: entry.username,
    connect_timeout_secs: entry.connectTimeoutSecs,
    idle_timeout_secs: entry.idleTimeoutSecs,
    max_open_connections: entry.maxOpenConnections,
    max_idle_connections: entry.maxIdleConnections,
    timeout_secs: entry.queryTimeoutSecs,
    tls: entry.tls,
    read_only: entry.readOnly === true,
    ...(entry.ca === undefined ? {} : { ca: entry.ca }),
    ...(entry.relations === undefined ? {} : { relations: entry.relations }),
  };
}
