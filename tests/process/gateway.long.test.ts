// Behind nginx as in deploy/: only the verifier decides who the caller is, whatever headers say.
// Two instances restart one after the other under load without a lost request.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateKeyPair } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Bench } from '../custom/definitions.ts';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { type Gateway, Provider, startGateway } from '../support/nginx.ts';
import { freePort } from '../support/ports.ts';
import { type Service, type ServiceClient, setUpProject, startService, type TestProject } from '../support/service.ts';

const SECRET = randomBytes(12).toString('hex');
const SUBJECT = 'auth0|5f7c8ec7c33c6c004bbafe82';
const KEYS = { MILLRACE_SERVER_KEY: randomBytes(24).toString('hex'), MILLRACE_ENCRYPTION_KEY: randomBytes(32).toString('hex') };

let database: TestDatabase;
let dataDir: string;
let instances: [Service, Service];
let provider: Provider;
let gateway: Gateway;
let project: TestProject;
let path: string;

const startInstance = (port: number): Promise<Service> =>
  startService({
    dataDir,
    env: { ...KEYS, MILLRACE_PORT: String(port), MILLRACE_GATEWAY_SECRET: SECRET, MILLRACE_USER_IDS: 'any', MILLRACE_DRAIN_SECS: '1' },
  });

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-gateway-'));
  const ports = [await freePort(), await freePort()] as const;
  database = await createDatabase('postgres');
  await database.run('CREATE TABLE visits (id int PRIMARY KEY, who text)');
  const first = await startInstance(ports[0]);
  instances = [first, await startInstance(ports[1])];
  // Operators call an instance directly, with the secret.
  const inside: ServiceClient = {
    serverKey: first.serverKey,
    request: (method, target, options = {}) =>
      first.request(method, target, { ...options, headers: { ...options.headers, 'x-gateway-secret': SECRET } }),
  };
  project = await setUpProject(inside, [database.entry()]);
  const code =
    '{"user": context.user_id, "roles": context.roles, "org": context.org_id, "space": context.space_id, "claims": context.claims}';
  const bench = new Bench(inside, project, database);
  await bench.deploy({ uri: 'who', permission: ['reader', 'admin'], logic: [{ expr: 'a', code }] });
  path = bench.path('who');
  provider = await Provider.start();
  const ids = { ORG_ID: project.orgId, PROJECT_ID: project.projectId, SPACE_ID: project.spaces.dev };
  gateway = await startGateway(ports, SECRET, { JWKS_URL: provider.url, CLAIMS: 'region,name', CLAIM_ROLES: 'app.roles', ...ids });
});
afterAll(async () => {
  await gateway?.stop();
  provider?.stop();
  await Promise.all((instances ?? []).map((service) => service.stop()));
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** A raw request with these lines and no other headers. */
function ask(target: string, lines: readonly string[]): Promise<{ status: number; head: string; body: string }> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(gateway.port, '127.0.0.1', () =>
      socket.write(`GET ${target} HTTP/1.1\r\nHost: api\r\nConnection: close\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`),
    );
    socket.setTimeout(20_000, () => socket.destroy(new Error('no answer')));
    socket.on('data', (bytes) => (text += bytes));
    socket.on('error', reject);
    socket.on('close', () => {
      const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s);
      resolve({ status: Number(head.split(' ')[1]), head, body: body.replace(/^[0-9a-f]+\r\n([\s\S]*?)\r\n0\r\n\r\n$/, '$1') });
    });
  });
}

const reader = { sub: SUBJECT, app: { roles: ['reader'] }, region: 'Zürich' };
const bearer = async (claims: object = reader): Promise<string> => `Authorization: Bearer ${await provider.token({ ...claims })}`;

test('the token determines the caller', async () => {
  const { status, body } = await ask(path, [await bearer()]);
  expect([status, JSON.parse(body)]).toEqual([
    200,
    { user: SUBJECT, roles: ['reader'], org: project.orgId, space: project.spaces.dev, claims: { region: 'Zürich' } },
  ]);
});

test('headers of the caller have no effect in any spelling', async () => {
  const token = await bearer();
  const honest = await ask(path, [token]);
  const meant = ['User-Roles', 'User-Id', 'Org-Id', 'Project-Id', 'Space-Id', 'User-Claims', 'Server-Key', 'Feature-Id', 'Gateway-Secret'];
  const values: Readonly<Record<string, string>> = {
    'User-Claims': '{"region":"all"}',
    'Server-Key': KEYS.MILLRACE_SERVER_KEY,
    'User-Roles': 'admin',
  };
  const spellings: readonly ((name: string) => string)[] = [
    (name) => `X-${name}`,
    (name) => `x-${name.toLowerCase()}`,
    (name) => `X-${name.toUpperCase()}`,
    (name) => `X_${name.replaceAll('-', '_')}`,
    (name) => `X.${name.replaceAll('-', '.')}`,
    (name) => `X-${name.replaceAll('-', '_')}`,
    (name) => `X_${name}`,
    (name) => `X-${name.replaceAll('-', '.')}`,
    (name) => `X-${name} `,
    (name) => `X-${name}\t`,
    (name) => `X--${name}`,
  ];
  const forged = meant.flatMap((name) => spellings.map((spell) => `${spell(name)}: ${values[name] ?? '01ARZ3NDEKTSV4RRFFQ69G5FAV'}`));
  // Before and after the token, once and twice.
  const attempts = forged.flatMap((line) => [
    [line, token],
    [token, line, line],
  ]);
  const outcomes = await Promise.all(attempts.map(async (lines) => ({ lines, ...(await ask(path, lines)) })));
  // Rejected as malformed, or ignored.
  const wrong = outcomes.filter(({ status, body }) => status !== 400 && !(status === 200 && body === honest.body));
  expect(wrong.map(({ lines, status, body }) => [lines.filter((line) => line !== token)[0], status, body])).toEqual([]);
  expect(outcomes.filter(({ status }) => status === 200).length).toBeGreaterThan(outcomes.length / 2);
  // Without a token, none of them grants access.
  const alone = await Promise.all(forged.map((line) => ask(path, [line])));
  expect(new Set(alone.map(({ status }) => status))).toEqual(new Set([401, 400]));
});

test('the service itself rejects other spellings', async () => {
  for (const name of ['X_User_Roles', 'X.User.Roles', 'x-user_roles'])
    expect(
      (await instances[0].request('GET', path, { headers: { ...project.headers, 'x-gateway-secret': SECRET, [name]: 'admin' } })).status,
    ).toBe(400);
  expect((await instances[0].request('GET', path, { headers: project.headers })).status).toBe(401);
});

test('an invalid token returns 401', async () => {
  const { privateKey } = await generateKeyPair('ES256');
  const past = Math.floor(Date.now() / 1000) - 3600;
  const secret = new TextEncoder().encode(JSON.stringify(provider.keys[0]));
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const now = past + 3600;
  const unsigned = { ...reader, iss: 'https://id.example.org/', aud: 'millrace', exp: now + 600 };
  const tokens: Readonly<Record<string, string>> = {
    'of another key': await provider.token(reader, privateKey),
    'signed with the public key as a secret': await provider.token(reader, secret, { alg: 'HS256', kid: provider.kid }),
    'not signed': `${encode({ alg: 'none' })}.${encode(unsigned)}.`,
    'not signed, with something for a signature': `${encode({ alg: 'none', kid: provider.kid })}.${encode(unsigned)}.AAAA`,
    expired: await provider.token({ ...reader, exp: past }),
    'without an end': (await provider.token({ ...reader, exp: undefined as never })) ?? '',
    'not in force yet': await provider.token({ ...reader, nbf: now + 3600 }),
    'for another audience': await provider.token({ ...reader, aud: 'other' }),
    'of another issuer': await provider.token({ ...reader, iss: 'https://evil.example.org/' }),
    'with a role that is two': await provider.token({ ...reader, app: { roles: ['reader,admin'] } }),
    'with a user id of two lines': await provider.token({ ...reader, sub: 'a\r\nX-User-Roles: admin' }),
    'without a user': await provider.token({ app: reader.app }),
    'no token at all': 'x',
  };
  const answers = await Promise.all(
    Object.entries(tokens).map(async ([what, token]) => [what, (await ask(path, [`Authorization: Bearer ${token}`])).status]),
  );
  expect(answers).toEqual(Object.keys(tokens).map((what) => [what, 401]));
  // The service rejects a user without roles.
  expect((await ask(path, [await bearer({ ...reader, app: { roles: [] } })])).status).toBe(400);
});

test('the endpoints of the operator return 404', async () => {
  const token = await bearer({ ...reader, app: { roles: ['admin'] } });
  const key = `X-Server-Key: ${KEYS.MILLRACE_SERVER_KEY}`;
  const paths = [
    '/svc/system/api/v1/org/list',
    '/svc//system/api/v1/org/list',
    '/svc/x/../system/api/v1/org/list',
    '/svc/%73ystem/api/v1/org/list',
    '/SVC/SYSTEM/api',
    '/metrics',
    '/readyz',
    '/svc/proof/v1/validate/server/key',
    '/_verify',
  ];
  const statuses = await Promise.all(paths.map(async (target) => [target, (await ask(target, [token, key])).status]));
  expect(statuses).toEqual(paths.map((target) => [target, 404]));
});

/** nginx repeats a GET if the instance has just stopped, and never a POST. */
const WRITE_EVERY = 5;

test('two instances restart one after the other under load without losing a request', async () => {
  const headers = { authorization: (await bearer({ ...reader, app: { roles: ['reader', 'admin'] } })).slice('Authorization: '.length) };
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const table = project.autoPath('pg', database.name, 'visits');
  const send = (method: string, target: string, body?: string): Promise<number | string> =>
    new Promise((resolve) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port: gateway.port,
          path: target,
          method,
          agent,
          headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        },
        (response) => {
          response.resume();
          response.on('end', () => resolve(response.statusCode ?? 0));
          response.on('error', (error) => resolve(error.message));
        },
      );
      sent.on('error', (error) => resolve(error.message));
      sent.end(body);
    });
  const outcomes = new Map<number | string, number>();
  let over = false;
  let count = 0;
  const client = async (): Promise<void> => {
    while (!over || count < 3_000) {
      const number = count++;
      const isWrite = number % WRITE_EVERY === 0;
      const outcome = await (isWrite
        ? send('POST', table, JSON.stringify([{ id: number, who: SUBJECT }]))
        : send('GET', `${table}?pg=0&ps=5`));
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  };
  const load = Promise.all(Array.from({ length: 16 }, client));
  for (const index of [0, 1] as const) {
    const before = count;
    await expect.poll(() => count, { timeout: 60_000 }).toBeGreaterThan(before + 100);
    const { port } = instances[index];
    instances[index].kill('SIGTERM');
    expect((await instances[index].exited).code).toBe(0);
    const alone = count;
    await expect.poll(() => count, { timeout: 60_000 }).toBeGreaterThan(alone + 100);
    instances[index] = await startInstance(port);
  }
  over = true;
  await load;
  agent.destroy();
  const writes = Math.ceil(count / WRITE_EVERY);
  expect(Object.fromEntries(outcomes)).toEqual({ 200: count - writes, 201: writes });
  expect(await database.run('SELECT count(*)::int AS n FROM visits')).toEqual([{ n: writes }]);
});
