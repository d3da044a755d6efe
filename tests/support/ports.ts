// Ports that stay free, so that a test can stop listening and start again on the same one.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ephemeral ports of the system and below the ports of the engines. */
const FIRST = 10_000;
const END = 20_000;

const given = new Set<number>();

/** A free port of loopback. Each port is returned once. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const bound = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(true));
  });
  if (bound) await new Promise((resolve) => server.close(resolve));
  return bound;
}
