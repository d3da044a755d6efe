/**
 * `millrace start` (npm start): the service with embedded defaults and a demo database in
 * PostgreSQL, registered through its own System APIs, and optionally a database of the user. A
 * second start keeps everything as it was.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Config, type Loaded, loadConfig } from '../../config.ts';
import { ENGINES } from '../../engines/index.ts';
import { newUlid } from '../../model/ulid.ts';
import { announce, endOnSignal, startOne } from '../serve/serve.ts';
import { writePrivateFile } from '../terminal/private-file.ts';
import { ensureConsoleToken } from './console-token.ts';
import { entryFromUrl } from './database-url.ts';
import { DemoClient } from './demo-client.ts';
import { DEMO_DATABASE, ensureDemoData, PROD_DATABASE } from './demo-data.ts';
import { withKeys } from './demo-keys.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';
import { appLinks, deployApps, deployExamples, deployPersonas, exampleLines } from './examples.ts';
import { registerDatabase } from './own-database.ts';
import { startPage } from './start-page.ts';

const ORG = 'demo';
const PROJECT = 'shop';

/** State of the demo between starts. */
interface Demo {
  readonly org_id: string;
  readonly project_id: string;
  readonly space_id: string;
  readonly user_id: string;
  readonly token: string;
  /** Token of the links to apps. Absent in demos of older versions. */
  readonly apps_token?: string;
  /** Token of the link to the console. Absent in demos of older versions. */
  readonly console_token?: string;
  /** Address of the last start, for `millrace login`. */
  readonly url?: string;
}

export async function startDemo(args: readonly string[]): Promise<undefined> {
  const [databaseUrl] = args;
  if (databaseUrl !== undefined) entryFromUrl(databaseUrl, ENGINES);
  const { config } = withKeys(quiet(loadConfig()));
  const log = (line: string): void => void process.stderr.write(`${line}\n`);
  const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, log });
  let service: Awaited<ReturnType<typeof startOne>> | undefined;
  const close = async (): Promise<void> => {
    await service?.close();
    await postgres.stop();
  };
  endOnSignal({ close, breakOff: () => service?.breakOff() });
  try {
    await ensureDemoData(postgres);
    service = await startOne({ ...config, workers: 1 });
    const client = new DemoClient(config, service.url);
    const demo = await ensureDemo(config, client, postgres);
    await deployExamples(client, demo);
    const appsToken = config.apps === 'on' ? await ensureApps(config, client, demo) : undefined;
    const consoleToken = config.console === 'on' ? await ensureConsoleToken(client, demo, demo.console_token) : undefined;
    const staging = await deployPersonas(client, demo);
    const own = databaseUrl === undefined ? undefined : await registerDatabase(client, demo, databaseUrl);
    // Programs that wait for the ready line find these files.
    keep(config, {
      ...demo,
      ...(appsToken === undefined ? {} : { apps_token: appsToken }),
      ...(consoleToken === undefined ? {} : { console_token: consoleToken }),
      url: service.url,
    });
    const curlFile = writeCurlFile(config, 'demo.curl', demo, { 'X-User-Roles': 'admin' });
    // Callers of this space choose their roles with each request.
    writeCurlFile(config, 'demo-staging.curl', { ...demo, space_id: staging }, {});
    const loginFile = writeLogin(config, postgres);
    announce(service.url, config);
    process.stdout.write(
      startPage({
        url: service.url,
        prefix: config.pathPrefix,
        place: { org: ORG, project: PROJECT, database: DEMO_DATABASE },
        server: postgres,
        loginFile,
        dataDir: resolve(config.dataDir),
        curlFile,
        token: demo.token,
        consoleToken,
        examples: exampleLines(`${service.url}/${ORG}/${PROJECT}`, `-K '${curlFile}'`),
        apps: appsToken === undefined ? [] : appLinks(`${service.url}/${config.pathPrefix}`, appsToken),
        own,
      }),
    );
  } catch (error) {
    await close();
    throw error;
  }
  return undefined;
}

/**
 * Access logs are off by default here so the start page stays readable; set MILLRACE_LOG_LEVEL=info
 * to enable them.
 */
function quiet({ config, sources }: Loaded): Config {
  return sources.get('log_level') === 'default' ? { ...config, logLevel: 'warn' } : config;
}

const fileOf = ({ dataDir }: Config): string => join(dataDir, 'demo.json');

function keep(config: Config, demo: Demo): void {
  writePrivateFile(fileOf(config), `${JSON.stringify(demo, undefined, 2)}\n`);
}

/** Writes the context headers as a file for curl. */
function writeCurlFile(config: Config, name: string, demo: Demo, more: Readonly<Record<string, string>>): string {
  const file = resolve(config.dataDir, name);
  const headers = {
    'X-Org-Id': demo.org_id,
    'X-Project-Id': demo.project_id,
    'X-Space-Id': demo.space_id,
    'X-User-Id': demo.user_id,
    ...more,
    ...(config.gatewaySecret === undefined ? {} : { 'X-Gateway-Secret': config.gatewaySecret }),
  };
  const lines = Object.entries(headers).map(([name, value]) => `header = ${JSON.stringify(`${name}: ${value}`)}\n`);
  writePrivateFile(file, lines.join(''));
  return file;
}

/** Writes the address of the demo database with its login, for psql and other clients. */
function writeLogin({ dataDir }: Config, { user, password, host, port }: EmbeddedPostgres): string {
  const file = resolve(dataDir, 'demo-database.url');
  writePrivateFile(file, `postgres://${user}:${encodeURIComponent(password)}@${host}:${port}/${DEMO_DATABASE}\n`);
  return file;
}

async function ensureDemo(config: Config, client: DemoClient, postgres: EmbeddedPostgres): Promise<Demo> {
  const file = fileOf(config);
  if (existsSync(file)) {
    const demo = JSON.parse(readFileSync(file, 'utf8')) as Demo;
    await refreshEntries(client, demo, postgres);
    return demo;
  }
  const user_id = newUlid();
  const org = await client.send('POST', 'system/api/v1/org', { user_id }, { name: 'Demo', abbreviation: ORG });
  const org_id = String(org['org_id']);
  const body = { name: 'Shop', abbreviation: PROJECT, database: ENTRIES.map((entry) => entryOf(postgres, entry)) };
  const project = await client.send('POST', 'system/api/v1/project', { user_id, org_id }, body);
  const project_id = String(project['project_id']);
  const [space] = project['spaces'] as { space_id: string }[];
  const ids = { org_id, project_id, space_id: space?.space_id ?? '', user_id };
  const made = await client.send('POST', 'system/api/v1/token', ids, { name: `demo ${newUlid()}`, key_type: 'r--', roles: ['reader'] });
  const demo: Demo = { ...ids, token: String(made['power_token']) };
  keep(config, demo);
  return demo;
}

/** Deploys the apps, and returns a token that opens them and sends their forms. */
async function ensureApps(config: Config, client: DemoClient, demo: Demo): Promise<string> {
  await deployApps(client, demo);
  if (demo.apps_token !== undefined) return demo.apps_token;
  const body = { name: `apps ${newUlid()}`, key_type: 'rw-', roles: ['reader', 'clerk'] };
  const made = await client.send('POST', 'system/api/v1/token', demo, body);
  const token = String(made['power_token']);
  keep(config, { ...demo, apps_token: token });
  return token;
}

/** Both databases have one name; the space decides which one is used. */
interface DemoEntry {
  readonly db_name: string;
  readonly spaces: readonly string[];
}

const ENTRIES: readonly DemoEntry[] = [
  { db_name: DEMO_DATABASE, spaces: ['dev', 'staging'] },
  { db_name: PROD_DATABASE, spaces: ['prod'] },
];

/** Updates the port of the demo's entries. Entries that a user removed or limited stay that way. */
async function refreshEntries(client: DemoClient, demo: Demo, postgres: EmbeddedPostgres): Promise<void> {
  const project = await client.send('GET', `system/api/v1/project?project_id=${demo.project_id}`, demo);
  const known = project['databases'] as readonly (DemoEntry & { readonly db_type: string; readonly alias: string })[];
  for (const { db_type, alias, db_name, spaces } of known)
    if (db_type === 'pg' && alias === DEMO_DATABASE && ENTRIES.some((entry) => entry.db_name === db_name))
      await client.send('PUT', 'system/api/v1/project/database', demo, entryOf(postgres, { db_name, spaces }));
}

function entryOf(postgres: EmbeddedPostgres, { db_name, spaces }: DemoEntry): object {
  return {
    host_details: [{ host: postgres.host, port: String(postgres.port) }],
    username: postgres.user,
    password: postgres.password,
    db_name,
    db_type: 'pg',
    alias: DEMO_DATABASE,
    spaces,
    tls: 'disable',
    max_open_connections: 20,
    max_idle_connections: 10,
  };
}
