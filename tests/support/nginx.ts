// The gateway of deploy/: nginx with deploy/nginx.conf, the verifier, and an identity provider.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { freePort } from './ports.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

export const ISSUER = 'https://id.example.org/';
export const AUDIENCE = 'millrace';

/** An identity provider: its keys, and tokens signed with them. */
export class Provider {
  readonly #server: Server;
  readonly #private: CryptoKey;
  readonly kid: string;
  /** The public keys that it serves; tests may change them. */
  readonly keys: object[];

  private constructor(server: Server, key: CryptoKey, kid: string, keys: object[]) {
    this.#server = server;
    this.#private = key;
    this.kid = kid;
    this.keys = keys;
  }

  static async start(): Promise<Provider> {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const keys: object[] = [{ ...(await exportJWK(publicKey)), kid: 'first', alg: 'ES256', use: 'sig' }];
    const server = createServer((_, response) => response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys })));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Provider(server, privateKey, 'first', keys);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/jwks.json`;
  }

  token(
    claims: JWTPayload,
    key: CryptoKey | Uint8Array = this.#private,
    header: { alg: string; kid?: string } = { alg: 'ES256', kid: this.kid },
  ): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    return new SignJWT({ iss: ISSUER, aud: AUDIENCE, iat: now, exp: now + 600, ...claims }).setProtectedHeader(header).sign(key);
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

export interface Gateway {
  readonly port: number;
  readonly stop: () => Promise<void>;
}

/** deploy/nginx.conf with other ports, and temporary files in `tmp` beside it. */
export function configuration(ports: Readonly<Record<string, number>>): string {
  const kept = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path tmp/${name};\n`).join('');
  return readFileSync(join(root, 'deploy', 'nginx.conf'), 'utf8')
    .replaceAll(/^(\s*(?:server 127\.0\.0\.1:|listen ))(\d+)/gm, (_, start: string, number: string) => `${start}${ports[number]}`)
    .replace(/^http \{$/m, `http {\n${kept}`);
}

/** Command and arguments of nginx. */
export async function nginxCommand(): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'scripts', 'nginx.mjs')]);
  const { file, args } = JSON.parse(stdout) as { file: string; args: string[] };
  return [file, ...args];
}

/** `instances`: ports of two instances. */
export async function startGateway(
  instances: readonly [number, number],
  secret: string,
  verifier: Readonly<Record<string, string>>,
): Promise<Gateway> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-nginx-'));
  mkdirSync(join(folder, 'tmp'));
  const port = await freePort();
  const verifierPort = await freePort();
  writeFileSync(join(folder, 'nginx.conf'), configuration({ 8080: instances[0], 8081: instances[1], 9090: verifierPort, 8443: port }));
  writeFileSync(join(folder, 'millrace-secret.conf'), `proxy_set_header X-Gateway-Secret "${secret}";\n`);
  const [file, ...args] = await nginxCommand();
  const children = [
    spawn(process.execPath, [join(root, 'deploy', 'verifier.mjs')], {
      env: { PATH: process.env['PATH'], JWT_ISSUER: ISSUER, JWT_AUDIENCE: AUDIENCE, PORT: String(verifierPort), ...verifier },
    }),
    spawn(file ?? '', [...args, '-p', folder, '-e', 'stderr', '-c', 'nginx.conf', '-g', 'daemon off;']),
  ];
  let said = '';
  for (const child of children) {
    child.stdout.on('data', (bytes) => (said += bytes));
    child.stderr.on('data', (bytes) => (said += bytes));
  }
  const stop = async (): Promise<void> => {
    await Promise.all(children.map(end));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (const each of [port, verifierPort]) await listening(each);
  } catch {
    await stop();
    throw new Error(`the gateway did not come up: ${said}`);
  }
  return { port, stop };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
}

export async function listening(port: number): Promise<void> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    const error = await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(undefined));
      socket.on('error', resolve).on('connect', () => socket.destroy());
    });
    if (error === undefined) return;
    if (performance.now() > deadline) throw new Error(`nobody listens on ${port}`);
    await delay(20);
  }
}
