/**
 * Reads the `database` section of a definition: its own connection, or a registered database. Opens
 * no connection.
 */
import type { Engine } from '../../engines/contract/engine.ts';
import type { Engines } from '../../engines/registry.ts';
import type { Host, TlsMode } from '../../model/entry.ts';
import type { DocumentFields } from '../yaml/fields.ts';
import { type MapTree, placeOf, type SourcePlace, type Tree } from '../yaml/yaml-tree.ts';

export interface OwnDatabase {
  readonly kind: 'own';
  /** Place of the section in the document. */
  readonly place: SourcePlace;
  readonly engine: Engine;
  readonly hosts: readonly Host[];
  readonly username: string;
  /** `null` if the document has none; MASK means the stored one. */
  readonly password: string | null;
  readonly name: string;
  readonly tls: TlsMode;
  readonly ca: string | undefined;
  readonly timeoutSecs: number;
  readonly connectTimeoutSecs: number;
  readonly idleTimeoutSecs: number;
  readonly maxOpenConnections: number;
  readonly maxIdleConnections: number;
}

export interface RegisteredDatabase {
  readonly kind: 'ref';
  readonly place: SourcePlace;
  readonly engine: Engine;
  readonly name: string;
  readonly timeoutSecs: number;
}

const TLS_MODES: readonly string[] = ['disable', 'prefer', 'require', 'verify-full'];
const NAMES = [
  'ref',
  'type',
  'source_ip',
  'port',
  'machine',
  'username',
  'password',
  'name',
  'timeout_secs',
  'connect_timeout_secs',
  'idle_timeout_secs',
  'max_open_connections',
  'max_idle_connections',
  'tls',
  'ca',
];
const PREFIX = 'database.';
const MAX_SECS = 86_400;

export function readDatabase(fields: DocumentFields, root: MapTree, engines: Engines): OwnDatabase | RegisteredDatabase {
  const section = fields.section(root, 'database');
  if (section !== undefined) fields.known(section, PREFIX, NAMES);
  const timeoutSecs = fields.whole(section, 'timeout_secs', PREFIX, 30, 1, MAX_SECS);
  if (section?.fields.has('ref') === true) return readReference(fields, section, timeoutSecs, engines);
  const engine = readEngine(fields, section, engines);
  return {
    kind: 'own',
    place: placeOf(section ?? root),
    engine,
    hosts: readHosts(fields, section, engine.defaultPort),
    username: fields.text(section, 'username', PREFIX, 'required') ?? '',
    password: fields.text(section, 'password', PREFIX, 'optional') ?? null,
    name: fields.text(section, 'name', PREFIX, 'required') ?? '',
    tls: (fields.text(section, 'tls', PREFIX, 'optional', checkTls) ?? 'prefer') as TlsMode,
    ca: fields.text(section, 'ca', PREFIX, 'optional'),
    timeoutSecs,
    connectTimeoutSecs: fields.whole(section, 'connect_timeout_secs', PREFIX, 60, 1, MAX_SECS),
    idleTimeoutSecs: fields.whole(section, 'idle_timeout_secs', PREFIX, 900, 1, MAX_SECS),
    maxOpenConnections: fields.whole(section, 'max_open_connections', PREFIX, 50, 1, 10_000),
    maxIdleConnections: fields.whole(section, 'max_idle_connections', PREFIX, 25, 0, 10_000),
  };
}

/**
 * If the type is invalid, the fallback engine is used, so that the other problems are reported too.
 */
function readEngine(fields: DocumentFields, section: MapTree | undefined, engines: Engines): Engine {
  const name = fields.text(section, 'type', PREFIX, 'required', (text) =>
    engines.named(text) === undefined ? `must be one of ${engines.names}` : undefined,
  );
  return engines.named(name ?? '') ?? engines.fallback;
}

const checkTls = (text: string): string | undefined => (TLS_MODES.includes(text) ? undefined : `must be one of ${TLS_MODES.join(', ')}`);

function readReference(fields: DocumentFields, section: MapTree, timeoutSecs: number, engines: Engines): RegisteredDatabase {
  const text = fields.text(section, 'ref', PREFIX, 'required') ?? '';
  const slash = text.indexOf('/');
  const engine = engines.find(text.slice(0, Math.max(0, slash)));
  if (text !== '' && (engine === undefined || slash === text.length - 1))
    fields.problem(section.fields.get('ref') ?? section, `${PREFIX}ref must be <db_type>/<db_name>, with ${engines.types} for db_type`);
  return { kind: 'ref', place: placeOf(section), engine: engine ?? engines.fallback, name: text.slice(slash + 1), timeoutSecs };
}

/** Reads `machine: [{host, port}]`, or `source_ip` and `port`. */
function readHosts(fields: DocumentFields, section: MapTree | undefined, port: number): readonly Host[] {
  const machines = section?.fields.get('machine');
  if (machines !== undefined && section?.fields.has('source_ip') === true)
    fields.problem(machines, `${PREFIX}machine and ${PREFIX}source_ip exclude each other`);
  if (machines === undefined) {
    const host = fields.text(section, 'source_ip', PREFIX, 'required') ?? '';
    return [{ host, port: fields.whole(section, 'port', PREFIX, port, 1, 65_535) }];
  }
  if (machines.kind !== 'list' || machines.items.length === 0) {
    fields.problem(machines, `${PREFIX}machine must be a list of hosts`);
    return [];
  }
  return machines.items.map((item) => readMachine(fields, item, port));
}

function readMachine(fields: DocumentFields, item: Tree, port: number): Host {
  const machine = fields.map(item, `${PREFIX}machine`);
  if (machine !== undefined) fields.known(machine, `${PREFIX}machine.`, ['host', 'port']);
  return {
    host: fields.text(machine, 'host', `${PREFIX}machine.`, 'required') ?? '',
    port: fields.whole(machine, 'port', `${PREFIX}machine.`, port, 1, 65_535),
  };
}
