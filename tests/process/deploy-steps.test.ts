// Runs the steps of deploy/README.md in order, each in a shell with only the variables of the page.
// Folders, ports, ids and the identity provider belong to the test.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPage } from '../support/documents.ts';
import { configuration, listening, nginxCommand, Provider } from '../support/nginx.ts';
import { freePort } from '../support/ports.ts';
import { clientOf, setUpProject } from '../support/service.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readPage('deploy/README.md');
let home: string;
let provider: Provider;
let nginx: readonly string[];
const children: ChildProcess[] = [];

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'millrace-deploy-'));
  for (const folder of ['deploy', 'nginx/tmp']) mkdirSync(join(home, folder), { recursive: true });
  cpSync(join(root, 'deploy', 'verifier.mjs'), join(home, 'deploy', 'verifier.mjs'));
  symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'));
  provider = await Provider.start();
  nginx = await nginxCommand();
});
afterAll(async () => {
  provider?.stop();
  await run('nginx -s quit').catch(() => undefined);
  for (const child of children) {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode === null && process.kill(-(child.pid ?? 0), 'SIGTERM')) await gone;
  }
  rmSync(home, { recursive: true, force: true });
});

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ');

/** Stand-ins for an installed package and for Debian's nginx, which stays in the background. */
const prelude = (): string => `
npx() { [ "$1" = millrace ] || return 127; shift; ${quoted([process.execPath, join(root, 'dist', 'main.js')])} "$@"; }
nginx() { ${quoted([...nginx, '-p', join(home, 'nginx'), '-e', 'stderr', '-c', 'nginx.conf'])} "$@" >> nginx.log 2>&1; }
`;

const shell = (text: string): readonly [string, readonly string[]] => ['sh', ['-eu', '-c', `${prelude()}\n${text}`]];
const surroundings = (env: Readonly<Record<string, string>> = {}) => ({
  cwd: home,
  env: { PATH: process.env['PATH'], HOME: home, ...env },
});

async function run(text: string, env?: Readonly<Record<string, string>>): Promise<string> {
  const [file, args] = shell(text);
  return (await promisify(execFile)(file, args, surroundings(env))).stdout;
}

/** A step that keeps running, in its own terminal. */
async function keep(text: string, port: number): Promise<void> {
  const [file, args] = shell(text);
  children.push(spawn(file, args, { ...surroundings(), detached: true, stdio: ['ignore', 'ignore', 'inherit'] }));
  await listening(port);
}

test('the steps lead to an authenticated caller', async () => {
  const [servicePort, verifierPort, port] = [await freePort(), await freePort(), await freePort()];
  const [secrets = '', serve = '', verify = '', startNginx = '', ...more] = page.fences
    .filter(({ language }) => language === 'sh')
    .map(({ text }) => text.replaceAll('/run/secrets', join(home, 'secrets')).replaceAll('/etc/nginx', join(home, 'nginx')));
  expect(more).toEqual([]);
  await run(secrets);
  await keep(serve.replace('PORT=8080', `PORT=${servicePort}`), servicePort);
  const secret = (name: string): string => readFileSync(join(home, 'secrets', name), 'utf8').trim();
  const inside = clientOf(`http://127.0.0.1:${servicePort}`, secret('server'));
  const project = await setUpProject(
    {
      ...inside,
      request: (method, target, options = {}) =>
        inside.request(method, target, { ...options, headers: { ...options.headers, 'x-gateway-secret': secret('gateway') } }),
    },
    [],
  );
  const ids: Readonly<Record<string, string>> = { ORG: project.orgId, PROJECT: project.projectId, SPACE: project.spaces.dev };
  const named = verify
    .replace('https://id.example.org/.well-known/jwks.json', provider.url)
    .replace(/\b(ORG|PROJECT|SPACE)_ID=01J\.\.\./g, (_, name: string) => `${name}_ID=${ids[name]}`);
  await keep(`export PORT=${verifierPort}\n${named}`, verifierPort);
  writeFileSync(
    join(home, 'deploy', 'nginx.conf'),
    configuration({ 8080: servicePort, 8081: servicePort, 9090: verifierPort, 8443: port }),
  );
  await run(startNginx);
  await listening(port);
  const asked = page.spans.find(({ text }) => text.startsWith('curl '))?.text ?? '';
  const JWT = await provider.token({ sub: 'auth0|somebody', roles: ['reader'] });
  const answer = await run(asked.replace('https://api.example.org', `http://127.0.0.1:${port}`), { JWT });
  expect(JSON.parse(answer)).toMatchObject({ roles: ['reader'] });
});
