/**
 * The benchmark's load generator against servers that respond late or never: at a fixed rate, it
 * reports both.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const GENERATOR = fileURLToPath(new URL('../../bench/generator.mjs', import.meta.url));
const LATE_MS = 400;

interface Measured {
  readonly requests: number;
  readonly errors: number;
  readonly p50: number;
  readonly p99: number;
}

let server: Server;
let answer: RequestListener;

beforeEach(async () => {
  answer = (_, response) => response.end('[]');
  server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** One line for each plan. */
async function run(plan: { readonly connections: number; readonly seconds: number; readonly rate: number }): Promise<Measured> {
  const { port } = server.address() as AddressInfo;
  const request = { variants: [{ pieces: ['GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'], numbers: [] }] };
  const child = spawn(process.execPath, [GENERATOR], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(`${JSON.stringify({ port, request, ...plan })}\n`);
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line) as Measured;
  throw new Error('the generator measured nothing');
}

test('at a fixed rate all requests count, also those that are answered after the end', async () => {
  answer = (_, response) => setTimeout(() => response.end('[]'), LATE_MS);
  const { requests, errors, p50 } = await run({ connections: 64, seconds: 0.5, rate: 50 });
  expect(errors).toBe(0);
  expect(requests).toBeGreaterThanOrEqual(24);
  expect(requests).toBeLessThanOrEqual(26);
  expect(p50).toBeGreaterThanOrEqual(LATE_MS - 5);
});

test('at a fixed rate the wait for a free connection counts', async () => {
  answer = (_, response) => setTimeout(() => response.end('[]'), 50);
  const { p99 } = await run({ connections: 1, seconds: 0.5, rate: 40 });
  expect(p99).toBeGreaterThan(500);
});

test('what is never answered has failed, and was slow', { timeout: 30_000 }, async () => {
  let left = 60;
  answer = (_, response) => {
    if (left-- > 0) response.end('[]');
  };
  const { errors, p99 } = await run({ connections: 32, seconds: 0.5, rate: 50 });
  expect(errors).toBeGreaterThan(0);
  expect(p99).toBeGreaterThan(2500);
});
