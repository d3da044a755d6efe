// The program of app pages over HTTP, from a small build: addresses, caching, encodings.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Authenticator } from '../../src/auth/caller.ts';
import { loadConfig } from '../../src/config.ts';
import type { ResponseResources } from '../../src/http/exchange.ts';
import type { Services } from '../../src/http/route.ts';
import { appPageRoutes } from '../../src/http/routes/app-pages.ts';
import { buildServer } from '../../src/http/server.ts';
import type { Listener } from '../../src/http1/index.ts';
import { Observer } from '../../src/observe/observer.ts';
import { clientOf, type ServiceClient } from '../support/service.ts';

const SCRIPT = 'console.log("the program of the page");\n'.repeat(20);
const MANIFEST = {
  'main.tsx': { file: 'assets/main-A1.js', isEntry: true, css: ['assets/main-B2.css'], dynamicImports: ['chart.ts'] },
  'chart.ts': { file: 'assets/chart-C3.js', isDynamicEntry: true },
};

let folder: string;
let listener: Listener;
let client: ServiceClient;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-app-pages-'));
  const { config } = loadConfig({}, 'none');
  const services = {
    config,
    authenticator: new Authenticator({} as Services['store'], [], config.gatewaySecret, 'ulid'),
    observer: new Observer('silent', () => []),
    responses: {} as ResponseResources,
  } as unknown as Services;
  listener = buildServer(services, appPageRoutes(services, '/svc/app/v1', folder));
  client = clientOf(`http://127.0.0.1:${await listener.listen('127.0.0.1', 0)}`, '');
});
afterAll(async () => {
  await listener?.close(0, 0);
  rmSync(folder, { recursive: true, force: true });
});

/** Addresses of files; the empty icon of the page is not one. */
const addressesIn = (text: string): readonly string[] =>
  [...text.matchAll(/\s(?:src|href)="([^"]*)"/g)].map(([, address = '']) => address).filter((address) => !address.startsWith('data:'));

describe('the program of app pages', () => {
  it('is found as soon as it is built', async () => {
    expect(addressesIn((await client.request('GET', '/svc/app/v1/ui?app=a')).text)).toEqual([]);
    mkdirSync(join(folder, '.vite'));
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'assets', 'main-A1.js'), SCRIPT);
    writeFileSync(join(folder, 'assets', 'main-A1.js.br'), brotliCompressSync(SCRIPT));
    writeFileSync(join(folder, '.vite', 'manifest.json'), JSON.stringify(MANIFEST));
    const { text } = await client.request('GET', '/svc/app/v1/ui?app=a');
    expect(addressesIn(text)).toEqual(['assets/main-B2.css', 'assets/main-A1.js']);
    expect(text).toContain('<script type="module" src="assets/main-A1.js"></script>');
  });

  it('may be kept forever and is compressed', async () => {
    const response = await client.request('GET', '/svc/app/v1/assets/main-A1.js', { headers: { 'accept-encoding': 'gzip, br' } });
    expect([response.status, brotliDecompressSync(response.body).toString()]).toEqual([200, SCRIPT]);
    expect(response.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-encoding': 'br',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    for (const path of [
      '/assets/none-Z9.js',
      '/assets/../.vite/manifest.json',
      '/assets/%2e%2e/.vite/manifest.json',
      '/assets/main-A1.js.br',
    ])
      expect([path, (await client.request('GET', `/svc/app/v1${path}`)).status]).toEqual([path, 404]);
    expect((await client.request('POST', '/svc/app/v1/assets/main-A1.js')).status).toBe(405);
  });
});
