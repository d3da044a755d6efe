/**
 * Converts a database entry: body fields to a draft for the store, and back without the password.
 * Knows nothing of projects, and dials nothing.
 */
import { X509Certificate } from 'node:crypto';
import type { Engine } from '../engines/contract/engine.ts';
import type { Engines } from '../engines/registry.ts';
import type { Entry, Host, TlsMode } from '../model/entry.ts';
import { SPACE_NAMES } from '../model/project.ts';
import type { DeclaredKey } from '../model/relation.ts';
import type { EntryDraft } from '../store/store.ts';
import { type BodyFields, matching, shown, type TextRule } from './fields.ts';

const TLS_MODES: readonly [TlsMode, ...TlsMode[]] = ['prefer', 'disable', 'require', 'verify-full'];

const LONGEST_CERTIFICATES = 100_000;
const LONGEST_PASSWORD = 10_000;
const MOST_HOSTS = 32;
const A_DAY = 86_400;

/** If the type cannot be read, the rest is read as for the fallback, so that all problems are reported at once. */
function readEngine(fields: BodyFields, engines: Engines): Engine {
  const text = fields.text('db_type');
  if (text === '') return engines.fallback;
  const engine = engines.named(text);
  if (engine !== undefined) return engine;
  const why = engines.isNameAnnounced(text) ? 'announced but unavailable' : 'not valid';
  fields.malformed('db_type', `${shown(text)} is ${why}: use ${engines.types}`);
  return engines.fallback;
}

const hostRule: TextRule = (text) => (/^[^\s\u0000-\u001f,;?#]+$/.test(text) ? undefined : 'is not a host name or address');

function readHost(fields: BodyFields, defaultPort: number): Host {
  const text = fields.text('host', hostRule, 255);
  if (/[/\\]|^@/.test(text)) fields.malformed('host', `${shown(text)} is a socket path, which is never dialled`);
  // An IPv6 address may be in brackets, as in a URL.
  return { host: text.replace(/^\[(.*)\]$/, '$1'), port: readPort(fields, defaultPort) };
}

function readPort(fields: BodyFields, standard: number): number {
  const value = fields.value('port');
  if (typeof value !== 'string') return fields.integer('port', standard, 1, 65_535);
  const port = /^\d{1,5}$/.test(value) ? Number(value) : 0;
  if (port < 1 || port > 65_535) fields.refused('port', `${shown(value)} is not a port between 1 and 65535`);
  return port;
}

function readHosts(fields: BodyFields, { defaultPort }: Engine): readonly Host[] {
  if (fields.value('host_details') === undefined) {
    if (fields.value('host') !== undefined) return [readHost(fields, defaultPort)];
    fields.malformed('host_details', 'is missing');
    return [];
  }
  if (fields.value('host') !== undefined) fields.refused('host', 'and host_details are both given; give one of them');
  const hosts = fields.objects('host_details') ?? [];
  if (Array.isArray(fields.value('host_details')) && (hosts.length === 0 || hosts.length > MOST_HOSTS))
    fields.refused('host_details', `must have 1 to ${MOST_HOSTS} hosts`);
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

const MOST_RELATIONS = 1000;
const MOST_COLUMNS = 32;
const LONGEST_NAME = 255;

/** Checked for their form alone: whether there are such tables is seen when somebody asks for them. */
function readRelations(fields: BodyFields): readonly DeclaredKey[] | undefined {
  const items = fields.objects('relations');
  if (items === undefined || items.length === 0) return undefined;
  if (items.length > MOST_RELATIONS) fields.refused('relations', `may be ${MOST_RELATIONS} at most`);
  return items.slice(0, MOST_RELATIONS).map((item) => {
    const referred = item.object('references');
    const key = {
      table: item.text('table', undefined, LONGEST_NAME),
      columns: item.texts('columns', MOST_COLUMNS, LONGEST_NAME),
      references: {
        table: referred?.text('table', undefined, LONGEST_NAME) ?? '',
        columns: referred?.texts('columns', MOST_COLUMNS, LONGEST_NAME) ?? [],
      },
    };
    const [ours, theirs] = [key.columns.length, key.references.columns.length];
    if (ours > 0 && theirs > 0 && ours !== theirs) item.refused('columns', 'and references.columns must be equally many');
    return key;
  });
}

/** In their usual order; all when nothing is said. */
function readSpaces(fields: BodyFields): readonly string[] {
  if (fields.value('spaces') === undefined) return SPACE_NAMES;
  const named = fields.texts('spaces', SPACE_NAMES.length, 20);
  const unknown = named.find((name) => !(SPACE_NAMES as readonly string[]).includes(name));
  if (unknown !== undefined || named.length === 0) fields.refused('spaces', `must list some of ${SPACE_NAMES.join(', ')}`);
  return SPACE_NAMES.filter((name) => named.includes(name));
}

/** Null when the body has no password. The caller decides whether one is needed. */
export type EntryBody = Omit<EntryDraft, 'password'> & { readonly password: string | null };

export function readEntry(fields: BodyFields, engines: Engines): EntryBody {
  const engine = readEngine(fields, engines);
  const ca = fields.optionalText('ca', certificateRule, LONGEST_CERTIFICATES);
  const entry = {
    type: engine.type,
    database: fields.text('db_name', undefined, 255),
    hosts: readHosts(fields, engine),
    username: fields.text('username', undefined, 255),
    password: fields.optionalText('password', undefined, LONGEST_PASSWORD),
    tls: fields.choiceOrFirst('tls', TLS_MODES),
    connectTimeoutSecs: fields.integer('connect_timeout_secs', 60, 1, A_DAY),
    idleTimeoutSecs: fields.integer('idle_timeout_secs', 900, 1, A_DAY),
    maxOpenConnections: fields.integer('max_open_connections', 50, 1, 10_000),
    maxIdleConnections: fields.integer('max_idle_connections', 25, 0, 10_000),
    queryTimeoutSecs: fields.integer('timeout_secs', 30, 1, A_DAY),
    readOnly: fields.flag('read_only'),
  };
  const relations = readRelations(fields);
  const alias = fields.optionalText('alias', matching(/\S/, 'must not be empty'), 255);
  const spaces = readSpaces(fields);
  return {
    ...entry,
    alias: alias ?? entry.database,
    spaces,
    ...(ca === null ? {} : { ca }),
    ...(relations === undefined ? {} : { relations }),
  };
}

/** A new entry needs a password, even if it is empty. */
export function readNewEntry(fields: BodyFields, engines: Engines): EntryDraft {
  const entry = readEntry(fields, engines);
  if (fields.value('password') === undefined) fields.malformed('password', 'is missing');
  return { ...entry, password: entry.password ?? '' };
}

/** An entry as clients see it. */
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
