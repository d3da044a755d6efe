// The files of the console over HTTP, from a small build: addresses, encodings, caching, headers.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Authenticator } from '../../src/auth/caller.ts';
import { type Config, loadConfig } from '../../src/config.ts';
import type { ResponseResources } from '../../src/http/exchange.ts';
import { chooseEncoding } from '../../src/http/files/content-encoding.ts';
import type { Services } from '../../src/http/route.ts';
import { consoleRoutes } from '../../src/http/routes/console.ts';
import { buildServer } from '../../src/http/server.ts';
import type { Listener } from '../../src/http1/index.ts';
import { Observer } from '../../src/observe/observer.ts';
import { clientOf, type ServiceClient } from '../support/service.ts';

const SCRIPT = 'console.log("the script of the page");\n'.repeat(20);
const HTML =
  '<!doctype html><link rel="stylesheet" href="./assets/main-B2.css"><script type="module" src="./assets/main-A1.js"></script><p>./assets/';

let folder: string;
const listeners: Listener[] = [];
let client: ServiceClient;

/** A server with nothing but the console. */
async function serve(settings: Partial<Config> = {}, files = folder): Promise<ServiceClient> {
  const config = { ...loadConfig({}, 'none').config, ...settings };
  const services = {
    config,
    authenticator: new Authenticator({} as Services['store'], [], config.gatewaySecret, 'ulid'),
    observer: new Observer('silent', () => []),
    responses: {} as ResponseResources,
  } as unknown as Services;
  const listener = buildServer(services, consoleRoutes(services, files));
  listeners.push(listener);
  return clientOf(`http://127.0.0.1:${await listener.listen('127.0.0.1', 0)}`, '');
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-console-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), HTML);
  writeFileSync(join(folder, 'assets', 'main-A1.js'), SCRIPT);
  writeFileSync(join(folder, 'assets', 'main-A1.js.br'), brotliCompressSync(SCRIPT));
  writeFileSync(join(folder, 'assets', 'main-A1.js.gz'), gzipSync(SCRIPT));
  writeFileSync(join(folder, 'assets', 'main-B2.css'), 'p{}');
  client = await serve();
});

afterAll(async () => {
  for (const listener of listeners) await listener.close(0, 0);
  rmSync(folder, { recursive: true, force: true });
});

describe('the page of the console', () => {
  it.each([
    ['/svc/console/', './assets/'],
    ['/svc/console/data', './assets/'],
    ['/svc/console/data/', '../assets/'],
    ['/svc/console/data/pg/shop.public/orders?status=eq.new', '../../../assets/'],
    [`/svc/console/${'x/'.repeat(50)}`, `${'../'.repeat(50)}assets/`],
  ])('refers to its assets relatively at %s', async (path, start) => {
    const page = await client.request('GET', path);
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    const addresses = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
    expect(addresses).toEqual([`${start}main-B2.css`, `${start}main-A1.js`]);
    for (const address of addresses) expect(new URL(address, `http://host${path}`).pathname).toMatch(/^\/svc\/console\/assets\/main-/);
    expect(page.text).toContain('<p>./assets/');
  });

  it('has the headers that protect it', async () => {
    const { headers } = await client.request('GET', '/svc/console/');
    expect(headers).toMatchObject({
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-cache',
      vary: 'Accept-Encoding',
    });
    expect(headers['set-cookie']).toBeUndefined();
  });

  it('is 304 when the client has it, in the same encoding and at the same depth', async () => {
    const accepted = { 'accept-encoding': 'br' };
    const page = await client.request('GET', '/svc/console/', { headers: accepted });
    const etag = page.headers.etag ?? '';
    expect(etag).toMatch(/^"[\w-]+"$/);
    const again = await client.request('GET', '/svc/console/', { headers: { ...accepted, 'if-none-match': `"x", W/${etag}` } });
    expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, etag]);
    expect(again.headers['content-security-policy']).toBeDefined();
    for (const [path, encoding] of [
      ['/svc/console/', 'gzip'],
      ['/svc/console/a/b', 'br'],
    ] as const)
      expect((await client.request('GET', path, { headers: { 'accept-encoding': encoding, 'if-none-match': etag } })).status).toBe(200);
  });

  it('is 404 with the command that builds it when there is no build', async () => {
    const bare = await serve({}, join(folder, 'nothing'));
    const page = await bare.request('GET', '/svc/console/');
    expect([page.status, page.text]).toEqual([404, expect.stringContaining('npm run build')]);
    expect((await bare.request('GET', '/svc/console/assets/main-A1.js')).status).toBe(404);
  });
});

describe('an asset of the console', () => {
  it.each([
    ['br', 'br', brotliDecompressSync],
    ['gzip, deflate, br;q=0.1', 'gzip', gunzipSync],
    ['', undefined, (bytes: Buffer) => bytes],
    ['deflate', undefined, (bytes: Buffer) => bytes],
  ] as const)('is sent in the encoding that %j asks for', async (accepted, encoding, decode) => {
    const file = await client.request('GET', '/svc/console/assets/main-A1.js', { headers: { 'accept-encoding': accepted } });
    expect(file.status).toBe(200);
    expect(file.headers['content-encoding']).toBe(encoding);
    expect(file.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(file.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(decode(file.body).toString()).toBe(SCRIPT);
  });

  it('is sent as it is when it has no compressed copy', async () => {
    const file = await client.request('GET', '/svc/console/assets/main-B2.css', { headers: { 'accept-encoding': 'br, gzip' } });
    expect([file.text, file.headers['content-encoding']]).toEqual(['p{}', undefined]);
  });

  it.each(['main-C3.js', 'main-A1.js.br', '../index.html', '..%2findex.html', '%2e%2e/index.html', 'x/main-A1.js', ''])(
    'is 404 when the folder does not list %j',
    async (name) => {
      const answer = await client.request('GET', `/svc/console/assets/${name}`);
      expect(answer.status).toBe(404);
      expect(answer.json()).toMatchObject({ code: 404 });
    },
  );
});

describe('the console', () => {
  it('answers HEAD without a body, and other methods with 405', async () => {
    for (const path of ['/svc/console/', '/svc/console/assets/main-A1.js', '/svc/console']) {
      const head = await client.request('HEAD', path);
      expect([head.status, head.body.length]).toEqual([path === '/svc/console' ? 308 : 200, 0]);
      const post = await client.request('POST', path);
      expect([post.status, post.headers.allow]).toEqual([405, 'GET']);
    }
  });

  it('leads from its name without a slash, and browsers from the root', async () => {
    const bare = await client.request('GET', '/svc/console?x=1');
    expect([bare.status, bare.headers.location]).toEqual([308, '/svc/console/?x=1']);
    const browser = await client.request('GET', '/', { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
    expect([browser.status, browser.headers.location]).toEqual([302, '/svc/console/']);
    for (const method of ['GET', 'POST']) {
      const other = await client.request(method, '/', { headers: { accept: '*/*' } });
      expect([other.status, other.json<{ code: number }>().code]).toEqual([404, 404]);
    }
  });

  it('is nowhere when MILLRACE_CONSOLE is off', async () => {
    const off = await serve({ console: 'off' });
    for (const path of ['/svc/console', '/svc/console/', '/svc/console/data', '/svc/console/assets/main-A1.js', '/'])
      expect((await off.request('GET', path, { headers: { accept: 'text/html' } })).status).toBe(404);
  });

  it('is below the configured prefix, and asks for the secret of the gateway', async () => {
    const gated = await serve({ pathPrefix: 'api', gatewaySecret: 'quiet' });
    expect((await gated.request('GET', '/api/console/')).status).toBe(401);
    expect((await gated.request('GET', '/api/console/', { headers: { 'x-gateway-secret': 'quiet' } })).status).toBe(200);
  });
});

describe('chooseEncoding', () => {
  it.each([
    ['*', 'br'],
    ['gzip;q=1.0, *;q=0.5', 'gzip'],
    ['br;q=0, gzip;q=0', 'identity'],
    ['identity, gzip;q=0.5', 'identity'],
    ['X-GZIP', 'gzip'],
    ['br;q=nonsense', 'identity'],
    ['identity;q=0', 'identity'],
  ])('reads the weights of %j', (header, encoding) => {
    expect(chooseEncoding(header, ['identity', 'br', 'gzip'])).toBe(encoding);
  });
});
