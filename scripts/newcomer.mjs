// Times the first hour of a new user: a fresh clone, the user's own database, then a gateway with
// JWTs. Follows docs/ and deploy/README.md, prints seconds per step, stops at a failure.
//   node scripts/newcomer.mjs [DATABASE_URL]     a PostgreSQL database for its tables;
//                                                by default MILLRACE_TEST_PG_URL or its own server
import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { canConnect, end, freePorts } from './engines/processes.mjs';
import { startEngines, stopEngines } from './engines/runs.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const home = mkdtempSync(join(tmpdir(), 'millrace-newcomer-'));
const clone = join(home, 'millrace');
const run = `newcomer-${process.pid}`;
const children = [];
const began = performance.now();

/** The environment without settings or a context of the caller. */
const environment = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('MILLRACE_') || name.startsWith('MILLRACE_ENGINES')),
  ),
  MILLRACE_CONTEXT_FILE: join(home, 'context.json'),
};

async function step(what, work) {
  const from = performance.now();
  const result = await work();
  process.stdout.write(`${((performance.now() - from) / 1000).toFixed(1).padStart(7)} s  ${what}\n`);
  return result;
}

async function sh(line, env = {}) {
  const { stdout } = await promisify(execFile)('sh', ['-ec', line], { cwd: clone, env: { ...environment, ...env } });
  return stdout;
}

/** Starts a program and waits for matching output. */
function start(file, args, env, words) {
  const child = spawn(file, args, { cwd: clone, env: { ...environment, ...env }, detached: true });
  children.push(child);
  return new Promise((resolve, reject) => {
    let said = '';
    const hear = (bytes) => {
      said += bytes;
      if (words.test(said)) resolve({ child, said });
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`${file} ${args.join(' ')} ended with ${code}:\n${said}`)));
  });
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  process.kill(-child.pid, 'SIGTERM');
  await end(child.pid, 'SIGTERM', 60_000);
}

function expect(what, text, pattern) {
  if (!pattern.test(text)) throw new Error(`${what}: expected ${pattern}, got ${text}`);
}

async function ownDatabase(url, port) {
  const address = `http://127.0.0.1:${port}`;
  const { child } = await step('npm start -- postgres://…: install, build, serve, register', () =>
    start('npm', ['start', '--', url], { MILLRACE_PORT: String(port), MILLRACE_DATA_DIR: join(home, 'data') }, /^Next: /m),
  );
  const name = new URL(url).pathname.slice(1);
  const table = `${address}/svc/api/rest/auto/v1/demo/shop/pg/${name}/newcomer_beans`;
  const curl = `curl -sS --fail-with-body -K '${join(home, 'data', 'demo.curl')}'`;
  await step('read a table of mine', async () => expect('rows', await sh(`${curl} '${table}?pg=0&ps=3'`), /"pinto"/));
  await step('filter it', async () => expect('rows', await sh(`${curl} '${table}?pg=0&ps=3&id=gt.1'`), /^\[\{"id":2,"name":"mung"\}\]/));
  await step('write a row', async () =>
    expect('answer', await sh(`${curl} -H 'Content-Type: application/json' -d '[{"id":3,"name":"lima"}]' '${table}'`), /rows_affected/),
  );
  await step('login, deploy an endpoint and call it', async () => {
    writeFileSync(
      join(clone, 'beans.yaml'),
      `permission: [admin]\nhttp: {uri: beans, method: get, version: 1.0.0, input_type: json}\nlogic:\n  - sql: SELECT name FROM newcomer_beans WHERE id >= ?:least ORDER BY id\ndatabase: {ref: pg/${name}}\n`,
    );
    const env = { MILLRACE_DATA_DIR: join(home, 'data') };
    await sh('npx millrace login', env);
    expect('check', await sh('npx millrace definition check beans.yaml', env), /"valid":true/);
    await sh('npx millrace definition deploy beans.yaml', env);
    expect('rows', await sh(`${curl} '${address}/demo/shop/beans?version=1.0.0&least=2'`), /^\[\{"name":"mung"\},\{"name":"lima"\}\]/);
  });
  await step('stop', async () => {
    await stop(child);
    // npm exits before the service does.
    while (
      await canConnect(port).then(
        () => true,
        () => false,
      )
    )
      await delay(50);
  });
}

async function gateway([port, other, verifierPort, nginxPort]) {
  const { server_key, encryption_key } = JSON.parse(readFileSync(join(home, 'data', 'keys.json'), 'utf8'));
  const demo = JSON.parse(readFileSync(join(home, 'data', 'demo.json'), 'utf8'));
  const jose = await import(pathToFileURL(createRequire(join(clone, 'package.json')).resolve('jose')).href);
  const { privateKey, publicKey } = await jose.generateKeyPair('ES256');
  writeFileSync(join(home, 'jwks.json'), JSON.stringify({ keys: [{ ...(await jose.exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] }));
  const settings = {
    MILLRACE_SERVER_KEY: server_key,
    MILLRACE_ENCRYPTION_KEY: encryption_key,
    MILLRACE_GATEWAY_SECRET: 's3cret',
    MILLRACE_USER_IDS: 'any',
  };
  await step('two instances behind a secret', () =>
    Promise.all(
      [port, other].map((each) =>
        start(
          process.execPath,
          ['dist/main.js', 'serve'],
          { ...settings, MILLRACE_DATA_DIR: join(home, 'data'), MILLRACE_PORT: String(each) },
          /ready on/,
        ),
      ),
    ),
  );
  const [issuer, audience] = ['https://id.example.org/', 'millrace'];
  const ids = { ORG_ID: demo.org_id, PROJECT_ID: demo.project_id, SPACE_ID: demo.space_id };
  const env = { JWKS_FILE: join(home, 'jwks.json'), JWT_ISSUER: issuer, JWT_AUDIENCE: audience, PORT: String(verifierPort), ...ids };
  await step('the verifier', () => start(process.execPath, ['deploy/verifier.mjs'], env, /ready on/));
  await step('nginx', async () => {
    const folder = join(home, 'nginx');
    mkdirSync(join(folder, 'tmp'), { recursive: true });
    const ports = { 8080: port, 8081: other, 9090: verifierPort, 8443: nginxPort };
    const kept = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path tmp/${name};\n`).join('');
    const text = readFileSync(join(clone, 'deploy', 'nginx.conf'), 'utf8')
      .replaceAll(/^(\s*(?:server 127\.0\.0\.1:|listen ))(\d+)/gm, (_, before, number) => before + ports[number])
      .replace(/^http \{$/m, `http {\n${kept}`)
      .replace('error_log stderr warn', 'error_log stderr notice');
    writeFileSync(join(folder, 'nginx.conf'), text);
    writeFileSync(join(folder, 'millrace-secret.conf'), 'proxy_set_header X-Gateway-Secret "s3cret";\n');
    const { file, args } = JSON.parse(await sh('node scripts/nginx.mjs'));
    await start(file, [...args, '-p', folder, '-e', 'stderr', '-c', 'nginx.conf', '-g', 'daemon off;'], {}, /start worker process \d/);
  });
  await step('a request with a JWT, one without, and one with a forged role', async () => {
    const token = await new jose.SignJWT({ roles: ['guest'] })
      .setProtectedHeader({ alg: 'ES256', kid: 'k' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject('auth0|newcomer')
      .setExpirationTime('5m')
      .sign(privateKey);
    const me = `curl -sS http://127.0.0.1:${nginxPort}/svc/persona/v1/me`;
    expect('me', await sh(`${me} -H 'Authorization: Bearer ${token}' -H 'X-User-Roles: admin'`), /"roles":\["guest"\]/);
    expect('status', await sh(`${me} -o /dev/null -w '%{http_code}'`), /^401$/);
  });
}

try {
  const given = process.argv[2] ?? process.env.MILLRACE_TEST_PG_URL;
  const server = given ?? (await startEngines({ id: run, names: ['postgres'], owner: process.pid })).MILLRACE_TEST_PG_URL;
  await step('git clone', () => execFileSync('git', ['clone', '-q', `file://${root}`, clone]));
  const { default: pg } = await import('pg');
  const client = new pg.Client(server);
  await client.connect();
  await client.query(
    "DROP TABLE IF EXISTS newcomer_beans; CREATE TABLE newcomer_beans (id int PRIMARY KEY, name text); INSERT INTO newcomer_beans VALUES (1, 'pinto'), (2, 'mung')",
  );
  try {
    const ports = await freePorts(5);
    await ownDatabase(server, ports[0]);
    await gateway(ports.slice(1));
  } finally {
    await client.query('DROP TABLE newcomer_beans');
    await client.end();
  }
  process.stdout.write(`${((performance.now() - began) / 1000).toFixed(1).padStart(7)} s  in all\n`);
} catch (error) {
  process.stderr.write(`${error.message}\n${error.stdout ?? ''}${error.stderr ?? ''}`);
  process.exitCode = 1;
} finally {
  await Promise.all(children.map(stop));
  await stopEngines(run);
  if (existsSync(home)) rmSync(home, { recursive: true, force: true });
}
