/**
 * Settings from environment variables, an optional `millrace.yaml` with the same keys, and
 * defaults. The only reader of the environment. A bad setting stops the start with a message that
 * names it.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism, homedir } from 'node:os';
import { join } from 'node:path';
import { parseNetwork } from './util/network.ts';
import { yaml } from './util/on-demand.ts';

export class ConfigError extends Error {}

export interface Config {
  readonly port: number;
  readonly host: string;
  readonly pathPrefix: string;
  readonly serverKeys: readonly string[];
  readonly encryptionKeys: readonly Buffer[];
  readonly dataDir: string;
  /** `embedded`, or a PostgreSQL URL. */
  readonly storeUrl: string;
  readonly redisUrl: string | undefined;
  readonly workers: number;
  readonly maxPageSize: number;
  readonly maxBodyBytes: number;
  readonly maxRowBytes: number;
  readonly maxBodiesBytes: number;
  readonly maxConnections: number;
  readonly stallSecs: number;
  readonly requestMemoryMb: number;
  readonly slowReaderSecs: number;
  readonly spoolMb: number;
  readonly gatewaySecret: string | undefined;
  readonly denyHosts: readonly string[];
  readonly logLevel: string;
  readonly readyLine: 'text' | 'json';
  readonly shutdownSecs: number;
  readonly drainSecs: number;
  readonly userIds: 'ulid' | 'any';
  readonly staleSecs: number;
  readonly mcp: string;
  readonly mcpOrigins: readonly string[];
  readonly console: string;
  readonly apps: string;
  /** Sources of the directive `frame-ancestors` for pages of apps; empty forbids embedding. */
  readonly frameAncestors: readonly string[];
  readonly auditDays: number;
}

interface Setting {
  readonly key: keyof Config;
  /** Name in millrace.yaml; the variable is `MILLRACE_` and the name in upper case. */
  readonly name: string;
  readonly default: string;
  readonly secret: boolean;
  readonly parse: (text: string) => unknown;
  readonly meaning: string;
}

function integer(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d{1,16}$/.test(text) || value < min || value > max) throw new ConfigError(`must be a whole number from ${min} to ${max}`);
    return value;
  };
}

const list = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

function oneOf(...choices: readonly string[]): (text: string) => string {
  return (text) => {
    if (!choices.includes(text)) throw new ConfigError(`must be one of ${choices.join(', ')}`);
    return text;
  };
}

function encryptionKeys(text: string): Buffer[] {
  return list(text).map((item) => {
    const key = /^[0-9a-fA-F]{64}$/.test(item) ? Buffer.from(item, 'hex') : Buffer.from(item, 'base64');
    if (key.length !== 32) throw new ConfigError('must be 32 bytes in base64 or hex');
    return key;
  });
}

function url(...protocols: readonly string[]): (text: string) => string {
  return (text) => {
    if (!protocols.some((protocol) => text.startsWith(`${protocol}://`)) || !URL.canParse(text)) {
      throw new ConfigError(`must be a URL that begins with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}`);
    }
    return text;
  };
}

function denyHosts(text: string): string[] {
  const networks = list(text);
  for (const network of networks) {
    try {
      parseNetwork(network);
    } catch {
      throw new ConfigError(`has ${JSON.stringify(network)}, which is neither an address nor a network`);
    }
  }
  return networks;
}

function prefix(text: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/.test(text)) throw new ConfigError('must be one path segment of letters, digits, - and _');
  return text;
}

/** A host name or an address; nothing that has a meaning in a header. */
const ORIGIN = /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** No wildcards: each origin is named. */
function frameAncestors(text: string): string[] {
  return list(text).map((item) => {
    if (item === 'self') return "'self'";
    if (!ORIGIN.test(item) || !URL.canParse(item))
      throw new ConfigError(`has ${JSON.stringify(item)}, which is neither self nor an origin such as https://intranet.example.com`);
    return new URL(item).origin;
  });
}

const nonEmpty = (text: string): string => {
  if (text === '') throw new ConfigError('must not be empty');
  return text;
};

export const SETTINGS: readonly Setting[] = [
  { key: 'port', name: 'port', default: '8080', secret: false, parse: integer(0, 65535), meaning: 'listen port; 0 picks a free one' },
  { key: 'host', name: 'host', default: '127.0.0.1', secret: false, parse: nonEmpty, meaning: 'listen address' },
  { key: 'pathPrefix', name: 'path_prefix', default: 'svc', secret: false, parse: prefix, meaning: 'the fixed path segment' },
  {
    key: 'serverKeys',
    name: 'server_key',
    default: '',
    secret: true,
    parse: list,
    meaning: 'the server key; several, comma-separated, while a key is rotated',
  },
  {
    key: 'encryptionKeys',
    name: 'encryption_key',
    default: '',
    secret: true,
    parse: encryptionKeys,
    meaning: '32 bytes, base64 or hex; encrypts stored passwords; several for rotation, the first encrypts',
  },
  {
    key: 'dataDir',
    name: 'data_dir',
    default: './data',
    secret: false,
    parse: nonEmpty,
    meaning: 'embedded store, demo database, generated keys',
  },
  {
    key: 'storeUrl',
    name: 'store_url',
    default: 'embedded',
    secret: true,
    parse: (text) => (text === 'embedded' ? text : url('postgres', 'postgresql')(text)),
    meaning: 'postgres://…: the records live in PostgreSQL, and any number of instances share them',
  },
  {
    key: 'redisUrl',
    name: 'redis_url',
    default: '',
    secret: true,
    parse: (text) => (text === '' ? undefined : url('redis', 'rediss')(text)),
    meaning: 'shared response cache for several instances',
  },
  {
    key: 'workers',
    name: 'workers',
    default: '1',
    secret: false,
    parse: (text) => (text === 'auto' ? availableParallelism() : integer(1, 256)(text)),
    meaning: 'processes that share the port; auto starts one per core',
  },
  { key: 'maxPageSize', name: 'max_page_size', default: '10000', secret: false, parse: integer(1, 2 ** 31 - 1), meaning: 'largest ps' },
  {
    key: 'maxBodyBytes',
    name: 'max_body_bytes',
    default: '16777216',
    secret: false,
    parse: integer(1, 2 ** 31 - 1),
    meaning: 'maximum size of a request body',
  },
  {
    key: 'maxRowBytes',
    name: 'max_row_bytes',
    default: '268435456',
    secret: false,
    parse: integer(65_536, 2 ** 30),
    meaning: 'maximum size of a row as the database sends it; larger rows are rejected',
  },
  {
    key: 'maxBodiesBytes',
    name: 'max_bodies_bytes',
    default: '268435456',
    secret: false,
    parse: integer(1, 2 ** 40),
    meaning: 'maximum size of all request bodies of a process together; requests beyond it get 503',
  },
  {
    key: 'maxConnections',
    name: 'max_connections',
    default: '10000',
    secret: false,
    parse: integer(1, 2 ** 20),
    meaning: 'maximum number of client connections of a process; connections beyond it get 503',
  },
  {
    key: 'stallSecs',
    name: 'stall_secs',
    default: '30',
    secret: false,
    parse: integer(1, 3600),
    meaning: 'a connection without progress on its request or response body for this long is closed',
  },
  {
    key: 'requestMemoryMb',
    name: 'request_memory_mb',
    default: '512',
    secret: false,
    parse: integer(1, 1024 * 1024),
    meaning: 'memory for the inputs and rows of all Custom calls; a project gets at most half of it',
  },
  {
    key: 'slowReaderSecs',
    name: 'slow_reader_secs',
    default: '5',
    secret: false,
    parse: integer(1, 3600),
    meaning: 'total time that a query waits for the reader of its rows; the rest then goes to a temporary file',
  },
  {
    key: 'spoolMb',
    name: 'spool_mb',
    default: '1024',
    secret: false,
    parse: integer(1, 1024 * 1024),
    meaning: 'temporary files of responses, per process; a project gets at most half of it',
  },
  {
    key: 'gatewaySecret',
    name: 'gateway_secret',
    default: '',
    secret: true,
    parse: (text) => (text === '' ? undefined : text),
    meaning: 'when set, requests must carry it in X-Gateway-Secret',
  },
  {
    key: 'denyHosts',
    name: 'deny_hosts',
    default: '169.254.0.0/16,fe80::/10,fd00:ec2::254',
    secret: false,
    parse: denyHosts,
    meaning: 'networks of database hosts that are never connected to, by resolved address',
  },
  {
    key: 'logLevel',
    name: 'log_level',
    default: 'info',
    secret: false,
    parse: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    meaning: 'JSON lines on stdout, one per request',
  },
  {
    key: 'readyLine',
    name: 'ready_line',
    default: 'text',
    secret: false,
    parse: oneOf('text', 'json'),
    meaning: 'format of the line that reports the address of the service',
  },
  {
    key: 'shutdownSecs',
    name: 'shutdown_secs',
    default: '30',
    secret: false,
    parse: integer(0, 3600),
    meaning: 'on SIGTERM: maximum time for running requests to finish',
  },
  {
    key: 'drainSecs',
    name: 'drain_secs',
    default: '5',
    secret: false,
    parse: integer(0, 3600),
    meaning: 'on SIGTERM: time during which /readyz is 503 while requests are still served; skipped without clients',
  },
  {
    key: 'userIds',
    name: 'user_ids',
    default: 'ulid',
    secret: false,
    parse: oneOf('ulid', 'any'),
    meaning: 'accepted X-User-Id: a ULID, or any string of 1 to 128 visible characters',
  },
  {
    key: 'staleSecs',
    name: 'stale_secs',
    default: '15',
    secret: false,
    parse: integer(1, 300),
    meaning: 'maximum time that cached tokens are trusted while a PostgreSQL store is unreachable',
  },
  {
    key: 'mcp',
    name: 'mcp',
    default: 'on',
    secret: false,
    parse: oneOf('on', 'off'),
    meaning: 'tools for agents at /svc/mcp/v1 (Model Context Protocol)',
  },
  {
    key: 'mcpOrigins',
    name: 'mcp_origins',
    default: '',
    secret: false,
    parse: list,
    meaning: 'origins of web pages that may use the tools, besides the service itself, comma-separated',
  },
  {
    key: 'console',
    name: 'console',
    default: 'on',
    secret: false,
    parse: oneOf('on', 'off'),
    meaning: 'the console for browsers at /svc/console/',
  },
  {
    key: 'apps',
    name: 'apps',
    default: 'on',
    secret: false,
    parse: oneOf('on', 'off'),
    meaning: 'apps, the pages at /svc/app/v1/',
  },
  {
    key: 'frameAncestors',
    name: 'frame_ancestors',
    default: '',
    secret: false,
    parse: frameAncestors,
    meaning: 'origins whose pages may embed apps, comma-separated; self is the service itself',
  },
  {
    key: 'auditDays',
    name: 'audit_days',
    default: '90',
    secret: false,
    parse: integer(0, 36_500),
    meaning: 'days for which audit records are kept; 0 writes none',
  },
];

const variableOf = (setting: Setting): string => `MILLRACE_${setting.name.toUpperCase()}`;

export interface Loaded {
  readonly config: Config;
  /** Source of each value: `default`, `millrace.yaml` or the name of the variable. */
  readonly sources: ReadonlyMap<string, string>;
  readonly values: ReadonlyMap<string, string>;
}

export function loadConfig(environment: NodeJS.ProcessEnv = process.env, file = 'millrace.yaml'): Loaded {
  refuseUnknownVariables(environment);
  const fromFile = readSettingsFile(file);
  const sources = new Map<string, string>();
  const raw = new Map<string, string>();
  const values: Record<string, unknown> = {};
  for (const setting of SETTINGS) {
    const variable = variableOf(setting);
    const isPlain = setting.name === 'port' && environment[variable] === undefined;
    const value = fromSecretFile(setting, environment) ?? environment[isPlain ? 'PORT' : variable];
    const text = value ?? fromFile.get(setting.name) ?? setting.default;
    const source = value !== undefined ? (isPlain ? 'PORT' : variable) : fromFile.has(setting.name) ? file : 'default';
    sources.set(setting.name, source);
    raw.set(setting.name, text);
    try {
      values[setting.key] = setting.parse(text);
    } catch (error) {
      throw new ConfigError(`${source === file ? `${file}: ${setting.name}` : source} ${(error as Error).message}.`);
    }
  }
  return { config: values as unknown as Config, sources, values: raw };
}

/** Reads a secret from a file, as orchestrators mount them: `MILLRACE_SERVER_KEY_FILE` names it. */
function fromSecretFile(setting: Setting, environment: NodeJS.ProcessEnv): string | undefined {
  const variable = variableOf(setting);
  const file = setting.secret ? environment[`${variable}_FILE`] : undefined;
  if (file === undefined) return undefined;
  if (environment[variable] !== undefined) throw new ConfigError(`${variable} and ${variable}_FILE are both set; set one of them.`);
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new ConfigError(`${variable}_FILE names a file that cannot be read: ${(error as Error).message}.`);
  }
}

/** Variables of the tests and of the command line client, which are not settings of the service. */
const OTHER_VARIABLES =
  /^MILLRACE_(?:TEST_|ENGINES_|URL$|ORG_ID$|PROJECT_ID$|SPACE_ID$|USER_ID$|USER_ROLES$|USER_CLAIMS$|PERSONA$|POWER_TOKEN$|CONTEXT_FILE$)/;

function refuseUnknownVariables(environment: NodeJS.ProcessEnv): void {
  const known = new Set(SETTINGS.flatMap((setting) => [variableOf(setting), ...(setting.secret ? [`${variableOf(setting)}_FILE`] : [])]));
  for (const name of Object.keys(environment)) {
    if (name.startsWith('MILLRACE_') && !known.has(name) && !OTHER_VARIABLES.test(name)) {
      throw new ConfigError(`${name} is not a setting of Millrace; see docs/reference/configuration.md.`);
    }
  }
}

/** Keys of the same file that only the command line client reads. */
const CLIENT_KEYS = new Set(['url', 'org_id', 'project_id', 'space_id', 'user_id', 'user_roles', 'power_token', 'persona', 'user_claims']);

function readSettingsFile(file: string, also: ReadonlySet<string> = new Set()): Map<string, string> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw new ConfigError(`${file} cannot be read: ${(error as Error).message}.`);
  }
  let parsed: unknown;
  try {
    parsed = yaml().parse(text, { schema: 'failsafe' });
  } catch (error) {
    throw new ConfigError(`${file} is not valid YAML: ${(error as Error).message.split('\n')[0]}`);
  }
  if (parsed === null) return new Map();
  if (typeof parsed !== 'object' || Array.isArray(parsed)) throw new ConfigError(`${file} must be a mapping of settings.`);
  const known = new Set(SETTINGS.map((setting) => setting.name));
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries(parsed)) {
    if (CLIENT_KEYS.has(name) && !also.has(name)) continue;
    if (!known.has(name) && !also.has(name))
      throw new ConfigError(`${file}: ${name} is not a setting of Millrace; see docs/reference/configuration.md.`);
    found.set(name, Array.isArray(value) ? value.join(',') : String(value));
  }
  return found;
}

/** Settings that `millrace context` stores. */
export const CONTEXT_NAMES: ReadonlySet<string> = new Set([...CLIENT_KEYS, 'server_key', 'gateway_secret', 'path_prefix']);

/** File of the stored context: of this user, or named by MILLRACE_CONTEXT_FILE. */
export function contextFile(environment: NodeJS.ProcessEnv = process.env): string {
  const folder = environment['XDG_CONFIG_HOME'] || join(homedir(), '.config');
  return environment['MILLRACE_CONTEXT_FILE'] ?? join(folder, 'millrace', 'context.json');
}

/** Empty if no context is stored. */
export function readContext(environment: NodeJS.ProcessEnv = process.env): ReadonlyMap<string, string> {
  const file = contextFile(environment);
  try {
    const kept = Object.entries(JSON.parse(readFileSync(file, 'utf8')) as object);
    return new Map(kept.filter((item): item is [string, string] => CONTEXT_NAMES.has(item[0]) && typeof item[1] === 'string'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw new ConfigError(`${file} cannot be read: ${(error as Error).message}.`);
  }
}

/** Settings of the command line client: the environment, then the file, then the stored context. */
export function clientSettings(environment: NodeJS.ProcessEnv = process.env, file = 'millrace.yaml'): ReadonlyMap<string, string> {
  const names = [...CLIENT_KEYS, 'server_key', 'gateway_secret', 'path_prefix'];
  const fromFile = readSettingsFile(file, CLIENT_KEYS);
  const found = new Map(readContext(environment));
  for (const name of names) {
    const value = environment[`MILLRACE_${name.toUpperCase()}`] ?? fromFile.get(name);
    if (value !== undefined && value !== '') found.set(name, value);
  }
  return found;
}

/** The settings in force as YAML, with secrets masked. */
export function describeConfig(loaded: Loaded): string {
  const lines = SETTINGS.map((setting) => {
    const text = loaded.values.get(setting.name) ?? '';
    const shown = setting.secret && text !== '' && text !== 'embedded' ? '***' : text === '' ? '(none)' : text;
    return `${setting.name}: ${shown}  # ${loaded.sources.get(setting.name)}`;
  });
  return `${lines.join('\n')}\n`;
}
