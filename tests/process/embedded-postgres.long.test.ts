// The embedded PostgreSQL of `npm start`, in separate processes that can be killed.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PATIENCE } from '../support/patience.ts';

interface Address {
  host: string;
  port: number;
  user: string;
  password: string;
}

// Prints the server's address as one line and stops it on SIGTERM.
const PROGRAM = `
  import { ensureDemoData } from '${new URL('../../dist/cli/demo/demo-data.js', import.meta.url)}';
  import { startEmbeddedPostgres } from '${new URL('../../dist/cli/demo/embedded-postgres.js', import.meta.url)}';
  const { stop, ...address } = await startEmbeddedPostgres({ dataDir: process.argv[1], log: (line) => console.error(line) });
  await ensureDemoData(address);
  process.on('SIGTERM', async () => { await stop(); process.exit(0); });
  console.log(JSON.stringify(address));
  setInterval(() => {}, 1000);
`;

let root: string;
let dataDir: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'millrace-pg-'));
  dataDir = join(root, 'data');
});
afterEach(async () => {
  for (const child of children.splice(0)) await endChild(child, 'SIGTERM');
  rmSync(root, { recursive: true, force: true });
});

interface Started {
  child: ChildProcess;
  said: () => string;
  address: Promise<Address>;
}

function start(cwd = root): Started {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM, dataDir], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let said = '';
  child.stderr.on('data', (text) => (said += text));
  const address = new Promise<Address>((resolve, reject) => {
    child.stdout.once('data', (line) => resolve(JSON.parse(String(line)) as Address));
    child.once('close', () => reject(new Error(said)));
  });
  return { child, said: () => said, address };
}

async function endChild(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.kill(signal);
  return ended;
}

async function query(address: Address, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ ...address, database: 'shop' });
  await client.connect();
  return client.query({ text: sql, rowMode: 'array' }).then(
    ({ rows }) => client.end().then(() => rows),
    (error: unknown) => client.end().then(() => Promise.reject(error)),
  );
}

const serverPid = (): number => Number.parseInt(readFileSync(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8'), 10);

test('is created with the demo data, stops with its process, and starts again with its data on the same port', async () => {
  const first = start();
  const address = await first.address;
  expect(first.said()).toContain('making');
  expect(
    await query(address, 'SELECT (SELECT count(*) FROM users), (SELECT count(*) FROM orders), (SELECT count(*) FROM order_items)'),
  ).toEqual([['100', '3000', '7500']]);
  expect(await query(address, 'SELECT id, name, email FROM users ORDER BY id LIMIT 1')).toEqual([[1, 'Niklaus', 'niklaus1@example.com']]);
  await query(address, 'DELETE FROM users WHERE id = 1');
  expect(await endChild(first.child, 'SIGTERM')).toBe(0);
  await expect(query(address, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');

  const again = start();
  expect(await again.address).toEqual(address);
  expect(again.said()).toBe('');
  expect(await query(address, 'SELECT count(*) FROM users')).toEqual([['99']]);
});

test('requires its password, which only its owner can read', async () => {
  const address = await start().address;
  await expect(query({ ...address, password: 'guess' }, 'SELECT 1')).rejects.toThrow('password authentication failed');
  expect(statSync(join(dataDir, 'postgres/settings.json')).mode & 0o777).toBe(0o600);
});

test('takes over a server whose process was killed, with its data', async () => {
  const first = start();
  const address = await first.address;
  const orphan = serverPid();
  await query(address, "INSERT INTO users (id, name, email) VALUES (500, 'Late', 'late@example.com')");
  await endChild(first.child, 'SIGKILL');
  expect(await query(address, 'SELECT 1')).toEqual([[1]]);

  const second = start();
  expect(await second.address).toEqual(address);
  expect(second.said()).toContain('an earlier run left behind');
  expect(serverPid()).not.toBe(orphan);
  expect(await query(address, 'SELECT name FROM users WHERE id = 500')).toEqual([['Late']]);
});

test('recovers at the next start after the server was killed', async () => {
  const first = start();
  const address = await first.address;
  process.kill(serverPid(), 'SIGKILL');
  await endChild(first.child, 'SIGKILL');
  expect(await start().address).toEqual(address);
  expect(await query(address, 'SELECT count(*) FROM users')).toEqual([['100']]);
});

test('rejects a second process on the same data directory, and the first continues', async () => {
  const first = start();
  const address = await first.address;
  await expect(start().address).rejects.toThrow(`process ${first.child.pid}`);
  expect(await query(address, 'SELECT 1')).toEqual([[1]]);
});

test('moves to another port when its own is in use', async () => {
  const first = start();
  const { port } = await first.address;
  await endChild(first.child, 'SIGTERM');
  const squatter = createServer();
  await new Promise<void>((resolve) => squatter.listen(port, '127.0.0.1', resolve));
  try {
    const address = await start().address;
    expect(address.port).not.toBe(port);
    expect(await query(address, 'SELECT 1')).toEqual([[1]]);
  } finally {
    squatter.close();
  }
});

test('works below a folder that only its owner can enter', async () => {
  dataDir = join(root, 'closed/data');
  mkdirSync(join(root, 'closed'), { mode: 0o700 });
  const address = await start().address;
  expect(await query(address, 'SELECT count(*) FROM products')).toEqual([['200']]);
});

test('accepts a relative data directory', async () => {
  mkdirSync(dataDir);
  const whole = dataDir;
  dataDir = 'data';
  const { address } = start();
  const found = await address;
  dataDir = whole;
  expect(serverPid()).toBeGreaterThan(0);
  expect(await query(found, 'SELECT 1')).toEqual([[1]]);
});

function drafts(): string[] {
  const folder = join(dataDir, 'postgres');
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('cluster.draft')) : [];
}

test('repeats a first start that was killed before its database was complete', async () => {
  const first = start();
  const given = first.address.catch(() => undefined);
  await expect.poll(() => drafts(), { ...PATIENCE, interval: 1 }).toHaveLength(1);
  await endChild(first.child, 'SIGKILL');
  expect(await given, 'none').toBeUndefined();
  expect(JSON.parse(readFileSync(join(dataDir, 'postgres/settings.json'), 'utf8')), 'before the cluster').toHaveProperty('password');
  expect(await query(await start().address, 'SELECT 1')).toEqual([[1]]);
  expect(drafts()).toEqual([]);
});
