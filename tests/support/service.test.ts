// The service as a process of a test: start, response, log and stop.
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PATIENCE } from './patience.ts';
import { startService } from './service.ts';

test('starts on a free port, answers, and stops with nothing left', async () => {
  const service = await startService();
  const health = await service.request('GET', '/healthz');
  expect(health.status).toBe(200);
  const missing = await service.request('GET', '/nowhere', { headers: { 'x-request-id': 'support-test' } });
  expect(missing.status).toBe(404);
  expect(missing.json<{ code: number }>().code).toBe(404);
  expect(missing.headers['x-request-id']).toBe('support-test');
  await expect.poll(() => service.logs().some((line) => line['request_id'] === 'support-test'), PATIENCE).toBe(true);
  expect(await service.stop()).toEqual({ code: 0, signal: null });
  expect(existsSync(service.dataDir)).toBe(false);
  await expect(service.request('GET', '/healthz')).rejects.toThrow('ECONNREFUSED');
});

test('a start that fails says what the service said', async () => {
  await expect(startService({ env: { MILLRACE_PORT: 'no port' } })).rejects.toThrow(
    /ended with \d before it was ready[\s\S]*MILLRACE_PORT/,
  );
});
