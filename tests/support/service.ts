// The service as a process, and a plain HTTP client for it. Must not depend on its code.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ulid } from 'ulid';
import type { DatabaseEntry } from './engines.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
/** Fills released memory with a pattern in every service, unless a test sets NODE_OPTIONS. */
const POISON = new URL('./poison.mjs', import.meta.url).href;
const START_PATIENCE = 60_000;
const STOP_PATIENCE = 45_000;

export interface ServiceOptions {
  readonly command?: 'serve' | 'start';
  readonly args?: readonly string[];
  /** The Node.js binary; by default the one that runs the tests. */
  readonly node?: string;
  /** Environment variables that override the defaults: free port, temporary data, random keys. */
  readonly env?: Readonly<Record<string, string>>;
  /** A data directory to keep. By default a temporary one, which `stop` removes. */
  readonly dataDir?: string;
  /** Maximum number of open file descriptors. */
  readonly openFiles?: number;
  /** Deadline of the start in ms. */
  readonly startPatience?: number;
}

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Strings and bytes are sent as they are, other values as JSON with its Content-Type. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

export interface Response {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
  json<T = unknown>(): T;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Service {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly pid: number;
  readonly dataDir: string;
  readonly serverKey: string;
  readonly encryptionKey: string;
  request(method: string, path: string, options?: RequestOptions): Promise<Response>;
  /** Output on stdout and stderr so far. */
  output(): string;
  /** The JSON lines of its log so far. */
  logs(): Record<string, unknown>[];
  kill(signal: NodeJS.Signals): void;
  /** Resolves when the process has ended. */
  readonly exited: Promise<Exit>;
  /** Sends SIGTERM, waits for the end of the process and removes temporary data. */
  stop(): Promise<Exit>;
}

/** The part of a service that its clients use. */
export type ServiceClient = Pick<Service, 'serverKey' | 'request'>;

export function clientOf(url: string, serverKey: string): ServiceClient {
  const { hostname: host, port } = new URL(url);
  const agent = new Agent();
  return { serverKey, request: (method, path, options) => sendRequest(agent, { host, port: Number(port) }, method, path, options) };
}

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'millrace-test-'));
  const serverKey = options.env?.['MILLRACE_SERVER_KEY'] ?? randomBytes(24).toString('hex');
  const encryptionKey = options.env?.['MILLRACE_ENCRYPTION_KEY'] ?? randomBytes(32).toString('base64');
  const command = [options.node ?? process.execPath, ...nodeFlags(), MAIN, options.command ?? 'serve', ...(options.args ?? [])];
  const [program = '', ...words] = options.openFiles === undefined ? command : limited(command, options.openFiles);
  const child = spawn(program, words, {
    // A folder without a millrace.yaml, so that only these settings apply.
    cwd: dataDir,
    env: {
      ...inheritedEnvironment(),
      MILLRACE_PORT: '0',
      MILLRACE_DRAIN_SECS: '0',
      MILLRACE_DATA_DIR: dataDir,
      MILLRACE_SERVER_KEY: serverKey,
      MILLRACE_ENCRYPTION_KEY: encryptionKey,
      NODE_OPTIONS: `--import=${POISON}`,
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const removeData = (): void => {
    if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
  };
  const output = collectOutput(child);
  const exited = new Promise<Exit>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  // A test that fails before its `stop` must not leave a process behind.
  const killAtExit = (): void => void child.kill('SIGKILL');
  process.once('exit', killAtExit);
  void exited.then(() => process.removeListener('exit', killAtExit));

  const patience = options.startPatience ?? START_PATIENCE;
  const ready = await output.waitFor(/^millrace ready on http:\/\/(\S+):(\d+)$/m, exited, patience).catch(async (error: unknown) => {
    // With SIGTERM the demo also stops its database server.
    child.kill(options.command === 'start' ? 'SIGTERM' : 'SIGKILL');
    await exited;
    removeData();
    throw error;
  });
  const [, host = '', port = ''] = ready;
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  return {
    url: `http://${host}:${port}`,
    host: host.replace(/^\[|\]$/g, ''),
    port: Number(port),
    pid: child.pid ?? 0,
    dataDir,
    serverKey,
    encryptionKey,
    request: (method, path, requestOptions) => sendRequest(agent, { host, port: Number(port) }, method, path, requestOptions),
    output: output.text,
    logs: () =>
      output
        .text()
        .split('\n')
        // The last line may be incomplete.
        .slice(0, -1)
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    kill: (signal) => void child.kill(signal),
    exited,
    stop: async () => {
      agent.destroy();
      child.kill('SIGTERM');
      const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_PATIENCE);
      const exit = await exited;
      clearTimeout(impatience);
      removeData();
      return exit;
    },
  };
}

let shared: Promise<Service> | undefined;

/**
 * The service with default settings that all test files of a worker share. `stop` does nothing: the
 * service ends with the worker. Each file uses its own project.
 */
export async function sharedService(): Promise<Service> {
  shared ??= startSharedService();
  return shared;
}

async function startSharedService(): Promise<Service> {
  // The runner ends a worker with SIGTERM, which would skip the `exit` event that kills the
  // service.
  process.once('SIGTERM', () => process.exit());
  const service = await startService();
  void service.exited.then(() => {
    shared = undefined;
  });
  return { ...service, stop: async () => ({ code: 0, signal: null }) };
}

/** Options of Node in the first line of the program, which apply when it is executed itself. */
function nodeFlags(): readonly string[] {
  const [firstLine = ''] = readFileSync(MAIN, 'utf8').split('\n', 1);
  return firstLine.split(' ').filter((part) => part.startsWith('--'));
}

function limited(command: readonly string[], openFiles: number): readonly string[] {
  return ['sh', '-c', `ulimit -n ${openFiles} && exec "$@"`, 'sh', ...command];
}

/** The environment without settings of Millrace that the developer's shell may have. */
function inheritedEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('MILLRACE_') && name !== 'PORT'));
}

function collectOutput(child: ChildProcess) {
  let collected = '';
  const watchers = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      collected += text;
      for (const look of watchers) look();
    });
  return {
    text: () => collected,
    waitFor(pattern: RegExp, exited: Promise<Exit>, patience: number): Promise<RegExpExecArray> {
      return new Promise((resolve, reject) => {
        const fail = (why: string): void => {
          finish();
          reject(new Error(`the service ${why}; it said:\n${collected}`));
        };
        const impatience = setTimeout(() => fail(`was not ready within ${patience / 1000} s`), patience);
        const look = (): void => {
          const match = pattern.exec(collected);
          if (!match) return;
          finish();
          resolve(match);
        };
        const finish = (): void => {
          clearTimeout(impatience);
          watchers.delete(look);
        };
        watchers.add(look);
        void exited.then(({ code, signal }) => fail(`ended with ${signal ?? code} before it was ready`));
        look();
      });
    },
  };
}

function sendRequest(
  agent: Agent,
  address: { host: string; port: number },
  method: string,
  path: string,
  { headers = {}, body, signal }: RequestOptions = {},
): Promise<Response> {
  const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
  const payload = isRaw ? body : JSON.stringify(body);
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const added: Record<string, string | number> = {};
  if (!isRaw && !names.has('content-type')) added['content-type'] = 'application/json';
  // Node omits the length of GET and DELETE, and the body would be read as another request.
  if (payload !== undefined && !names.has('transfer-encoding') && !names.has('content-length'))
    added['content-length'] = Buffer.byteLength(payload);
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { ...address, agent, method, path, headers: { ...added, ...headers }, ...(signal && { signal }) },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        // A broken transfer is an error, never a short body.
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: bytes,
            get text() {
              return bytes.toString('utf8');
            },
            json: <T>() => JSON.parse(bytes.toString('utf8')) as T,
          });
        });
      },
    );
    request.on('error', reject);
    request.end(payload);
  });
}

/** An organization with one project, and what a client needs to use it. */
export interface TestProject {
  readonly orgId: string;
  readonly projectId: string;
  readonly orgAbbr: string;
  readonly projectAbbr: string;
  readonly userId: string;
  readonly spaces: { readonly dev: string; readonly staging: string; readonly prod: string };
  /** The five context headers, for the space dev and the roles admin and power. */
  readonly headers: Readonly<Record<string, string>>;
  /** The context headers and the server key. */
  readonly systemHeaders: Readonly<Record<string, string>>;
  /** Long form of the Auto REST path of a table, without a query. */
  autoPath(dbType: string, dbName: string, table: string): string;
}

/** Creates an organization and a project with these databases through the System APIs. */
export async function setUpProject(service: ServiceClient, databases: readonly DatabaseEntry[]): Promise<TestProject> {
  const suffix = randomBytes(5).toString('hex');
  const userId = ulid();
  const system = { 'x-server-key': service.serverKey, 'x-user-id': userId };
  const orgAbbr = `org-${suffix}`;
  const projectAbbr = `project-${suffix}`;

  const org = await service.request('POST', '/svc/system/api/v1/org', {
    headers: system,
    body: { name: `Organization ${suffix}`, abbreviation: orgAbbr },
  });
  const { org_id: orgId } = expectCreated<{ org_id: string }>(org);

  const project = await service.request('POST', '/svc/system/api/v1/project', {
    headers: { ...system, 'x-org-id': orgId },
    body: { name: `Project ${suffix}`, abbreviation: projectAbbr, database: databases },
  });
  const created = expectCreated<{ project_id: string; spaces: { space_id: string; name: string }[] }>(project);
  const space = (name: string): string => {
    const found = created.spaces.find((candidate) => candidate.name === name);
    if (!found) throw new Error(`the project has no space ${name}: ${project.text}`);
    return found.space_id;
  };
  const spaces = { dev: space('dev'), staging: space('staging'), prod: space('prod') };
  const headers = {
    'x-org-id': orgId,
    'x-project-id': created.project_id,
    'x-space-id': spaces.dev,
    'x-user-id': userId,
    'x-user-roles': 'admin,power',
  };
  return {
    orgId,
    projectId: created.project_id,
    orgAbbr,
    projectAbbr,
    userId,
    spaces,
    headers,
    systemHeaders: { ...headers, 'x-server-key': service.serverKey },
    autoPath: (dbType, dbName, table) =>
      `/svc/api/rest/auto/v1/${[orgAbbr, projectAbbr, dbType, dbName, table].map(encodeURIComponent).join('/')}`,
  };
}

function expectCreated<T>(response: Response): T {
  if (response.status !== 201) throw new Error(`expected 201, got ${response.status}: ${response.text}`);
  return response.json<T>();
}
