// The demo of `npm start` as a process, shared by all pages, and the replacements for its defaults.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { type Service, startService } from '../support/service.ts';

/** Defaults in pages: the port of the service and the reader's database. */
const PAGE_ADDRESS = '127.0.0.1:8080';
const PAGE_DATABASE = 'postgres://app:secret@127.0.0.1:5432/library';

export interface Demo {
  readonly service: Service;
  readonly dataDir: string;
  /** Registered names of the reader's database and of the demo's. */
  readonly databases: Readonly<Record<string, string>>;
  /** Ids of the demo, by their placeholders in documents. */
  readonly ids: Readonly<Record<'org_id' | 'project_id' | 'space_id' | 'user_id', string>>;
  /** Context headers with the role admin, and the server key. */
  readonly headers: Readonly<Record<string, string>>;
  substitute(text: string): string;
  stop(): Promise<void>;
}

/** The demo for a reader with this database, beside readers who deploy the same endpoint. */
export function demoWith(demo: Demo, database: TestDatabase): Demo {
  const translate = (text: string): string =>
    text
      .replaceAll(PAGE_DATABASE, urlOf(database))
      .replace(/\bpg([ /])library\b/g, `${database.dbType}$1${database.name}`)
      .replace(/(uri: |\/shop\/)authors\b/g, `$1${database.engine}`);
  return { ...demo, substitute: (text) => demo.substitute(translate(text)) };
}

/** The database in the form of the command line. */
function urlOf({ engine, name, address: { user, password, host, port, nativePort } }: TestDatabase): string {
  return `${engine}://${user}${password === '' ? '' : `:${password}`}@${host}:${nativePort ?? port}/${name}`;
}

export async function startDemo(): Promise<Demo> {
  const own: TestDatabase = await createDatabase('postgres');
  const columns: TestDatabase = await createDatabase('clickhouse');
  const service = await startService({
    command: 'start',
    startPatience: 170_000,
    // The service creates its keys in the data directory, as for a new user.
    env: { MILLRACE_SERVER_KEY: '', MILLRACE_ENCRYPTION_KEY: '', NODE_OPTIONS: '' },
  });
  const read = (name: string): Record<string, string> =>
    JSON.parse(readFileSync(join(service.dataDir, name), 'utf8')) as Record<string, string>;
  const { org_id = '', project_id = '', space_id = '', user_id = '' } = read('demo.json');
  const shop = read('postgres/settings.json');
  const shopUrl = `postgres://postgres:${shop['password']}@127.0.0.1:${shop['port']}/shop`;
  const { user, password, host, port } = columns.address;
  const columnsUrl = `http://${user}:${password}@${host}:${port}/?database=${columns.name}`;
  return {
    service,
    dataDir: service.dataDir,
    databases: { 'pg/library': urlOf(own), 'pg/shop': shopUrl, 'ch/library': columnsUrl },
    ids: { org_id, project_id, space_id, user_id },
    headers: {
      'x-org-id': org_id,
      'x-project-id': project_id,
      'x-space-id': space_id,
      'x-user-id': user_id,
      'x-user-roles': 'admin',
      'x-server-key': read('keys.json')['server_key'] ?? '',
    },
    substitute: (text) =>
      text
        .replaceAll(PAGE_DATABASE, urlOf(own))
        .replaceAll(PAGE_ADDRESS, `${service.host}:${service.port}`)
        .replace(/\b(pg[ /])library\b/g, `$1${own.name}`)
        .replace(/\bname=library\b|\bschema=library\b/g, (word) => word.replace('library', own.name)),
    stop: async () => {
      await service.stop();
      await Promise.all([own.drop(), columns.drop()]);
    },
  };
}
