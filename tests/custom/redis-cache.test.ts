// Response cache while Redis is unavailable: every lookup is a miss, and one error is logged.
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { RedisCache } from '../../src/custom/call/redis-cache.ts';
import { PATIENCE } from '../support/patience.ts';

test('an unreachable server behaves like an empty cache', async () => {
  const troubles: unknown[] = [];
  const cache = new RedisCache('redis://127.0.0.1:1', (error) => troubles.push(error));
  await expect.poll(() => troubles.length, PATIENCE).toBe(1);
  expect(await cache.get('k')).toBeUndefined();
  cache.set('k', Buffer.from('x'), 5);
  expect(await cache.get('k')).toBeUndefined();
  expect(troubles).toHaveLength(1);
  cache.close();
});

test('a server that accepts connections but never responds delays no call', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  const address = silent.address();
  const cache = new RedisCache(`redis://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, () => {});
  const began = performance.now();
  expect(await cache.get('k')).toBeUndefined();
  expect(performance.now() - began).toBeLessThan(10_000);
  cache.close();
  silent.close();
});
