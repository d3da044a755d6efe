/**
 * `millrace start` (npm start): the service with embedded defaults and something to look at. A PostgreSQL with a demo database, registered
 * through the service's own System APIs; then curl lines that answer with rows. A second start finds everything as it was.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, loadConfig } from '../config.ts';
import { newUlid } from '../model/ulid.ts';
import { DEMO_DATABASE, ensureDemoData } from './demo-data.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';
import { deployExamples, exampleLines } from './examples.ts';
import { withKeys } from './keys.ts';
import { announce, endOnSignal, startOne } from './serve.ts';

const ORG = 'demo';
const PROJECT = 'shop';

/** What the demo needs to remember between starts. */
interface Demo {
  readonly org_id: string;
  readonly project_id: string;
  readonly space_id: string;
  readonly user_id: string;
  readonly token: string;
}

export async function startDemo(): Promise<undefined> {
  const { config, file } = withKeys(loadConfig().config);
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
    const demo = await ensureDemo(config, service.url, postgres);
    await deployExamples(new DemoClient(config, service.url).yaml(demo), demo);
    announce(service.url);
    if (file !== undefined) log(`server key and encryption key: ${file}`);
    process.stdout.write(curlLines(config, service.url, demo));
  } catch (error) {
    await close();
    throw error;
  }
  return undefined;
}

async function ensureDemo(config: Config, url: string, postgres: EmbeddedPostgres): Promise<Demo> {
  const file = join(config.dataDir, 'demo.json');
  const client = new DemoClient(config, url);
  if (existsSync(file)) {
    const demo = JSON.parse(readFileSync(file, 'utf8')) as Demo;
    await client.send('PUT', 'system/api/v1/project/database', demo, entryOf(postgres));
    return demo;
  }
  const user_id = newUlid();
  const org = await client.send('POST', 'system/api/v1/org', { user_id }, { name: 'Demo', abbreviation: ORG });
  const org_id = String(org['org_id']);
  const body = { name: 'Shop', abbreviation: PROJECT, database: [entryOf(postgres)] };
  const project = await client.send('POST', 'system/api/v1/project', { user_id, org_id }, body);
  const project_id = String(project['project_id']);
  const [space] = project['spaces'] as { space_id: string }[];
  const ids = { org_id, project_id, space_id: space?.space_id ?? '', user_id };
  const made = await client.send('POST', 'system/api/v1/token', ids, { name: `demo ${newUlid()}`, key_type: 'r--', roles: ['reader'] });
  const demo: Demo = { ...ids, token: String(made['power_token']) };
  writeFileSync(file, `${JSON.stringify(demo, undefined, 2)}\n`, { mode: 0o600 });
  return demo;
}

function entryOf(postgres: EmbeddedPostgres): object {
  return {
    host_details: [{ host: postgres.host, port: String(postgres.port) }],
    username: postgres.user,
    password: postgres.password,
    db_name: DEMO_DATABASE,
    db_type: 'pg',
    tls: 'disable',
    max_open_connections: 20,
    max_idle_connections: 10,
  };
}

/** The demo sets itself up as any operator would: over HTTP, with the server key. */
class DemoClient {
  readonly #config: Config;
  readonly #url: string;

  constructor(config: Config, url: string) {
    this.#config = config;
    this.#url = url;
  }

  yaml(ids: Demo): (method: string, path: string, body: string) => Promise<{ status: number; message: string }> {
    return async (method, path, body) => {
      const response = await this.#fetch(method, path, ids, 'application/x-yaml', body);
      const { message = '' } = (await response.json()) as { message?: string };
      return { status: response.status, message };
    };
  }

  async send(method: string, path: string, ids: Partial<Demo>, body: object): Promise<Record<string, unknown>> {
    const response = await this.#fetch(method, path, ids, 'application/json', JSON.stringify(body));
    const answer = (await response.json()) as Record<string, unknown>;
    if (!response.ok) throw new Error(`setting up the demo failed: ${method} ${path}: ${String(answer['message'])}`);
    return answer;
  }

  #fetch(method: string, path: string, ids: Partial<Demo>, type: string, body: string): Promise<Response> {
    const headers: Record<string, string> = {
      'content-type': type,
      'x-server-key': this.#config.serverKeys[0] ?? '',
      'x-user-roles': 'admin',
      ...(this.#config.gatewaySecret === undefined ? {} : { 'x-gateway-secret': this.#config.gatewaySecret }),
    };
    for (const [name, value] of Object.entries(ids)) if (name.endsWith('_id')) headers[`x-${name.replace('_', '-')}`] = value;
    return fetch(`${this.#url}/${this.#config.pathPrefix}/${path}`, { method, headers, body });
  }
}

function curlLines(config: Config, url: string, demo: Demo): string {
  const table = (name: string): string => `${url}/${config.pathPrefix}/api/rest/auto/v1/${ORG}/${PROJECT}/pg/${DEMO_DATABASE}/${name}`;
  const context = [
    `-H 'X-Org-Id: ${demo.org_id}'`,
    `-H 'X-Project-Id: ${demo.project_id}'`,
    `-H 'X-Space-Id: ${demo.space_id}'`,
    `-H 'X-User-Id: ${demo.user_id}'`,
    "-H 'X-User-Roles: admin'",
  ].join(' ');
  const token = `-H 'X-Power-Token: ${demo.token}'`;
  const lines = [
    ['the first rows of a table, with the headers that a gateway sends', `curl -s ${context} '${table('users')}?pg=0&ps=3'`],
    ['filters and another format', `curl -s ${context} '${table('products')}?pg=0&ps=5&price=bw.10.50&format=csv'`],
    ['the same with a Power Token instead of headers', `curl -s ${token} '${table('orders')}?pg=0&ps=3&pwt=${demo.token}'`],
    [
      'the newest orders, and how many there are',
      `curl -si ${token} '${table('orders')}?pg=0&ps=3&$order=id.desc&$count=exact&pwt=${demo.token}'`,
    ],
    [
      'what a table looks like',
      `curl -s ${context} '${url}/${config.pathPrefix}/rest/meta/v1/table/detail?type=pg&schema=${DEMO_DATABASE}&table=users'`,
    ],
    ...exampleLines(`${url}/${ORG}/${PROJECT}`, context),
  ];
  return `\n${lines.map(([what, line]) => `# ${what}\n${line}\n`).join('\n')}\n`;
}
