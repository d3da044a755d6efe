// Two services in one process: each has its own records, caches and settings.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import { Bench } from '../custom/definitions.ts';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { clientOf, type ServiceClient, setUpProject, type TestProject } from '../support/service.ts';

interface Running {
  readonly service: Service;
  readonly client: ServiceClient;
  readonly project: TestProject;
}

/** Runs long enough to leave the event loop's thread. */
const LONG_LARK = `
def count(n):
    total = 0
    for i in range(n):
        total += i
    return total
result = {"total": count(300000)}
`;

describe('two services in one process', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-two-'));
  let database: TestDatabase;
  let first: Running;
  let second: Running;

  const start = async (name: string, maxPageSize: string): Promise<Running> => {
    const serverKey = randomBytes(24).toString('hex');
    const { config } = loadConfig({
      MILLRACE_PORT: '0',
      MILLRACE_HOST: '127.0.0.1',
      MILLRACE_DATA_DIR: join(folder, name),
      MILLRACE_SERVER_KEY: serverKey,
      MILLRACE_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      MILLRACE_MAX_PAGE_SIZE: maxPageSize,
      MILLRACE_LOG_LEVEL: 'fatal',
    });
    const service = await startService(config);
    const client = clientOf(service.url, serverKey);
    return { service, client, project: await setUpProject(client, [database.entry()]) };
  };

  beforeAll(async () => {
    database = await createDatabase('postgres');
    await database.run('CREATE TABLE items (id int PRIMARY KEY); INSERT INTO items VALUES (1), (2), (3)');
    first = await start('first', '2');
    second = await start('second', '1000');
  });
  afterAll(async () => {
    await second.service.close(1);
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const read = async ({ client, project }: Running, size: number, headers = project.headers): Promise<number> => {
    const path = project.autoPath('pg', database.name, 'items');
    return (await client.request('GET', `${path}?pg=0&ps=${size}`, { headers })).status;
  };

  it('have their own settings and records, and outlive each other', async () => {
    expect([await read(first, 3), await read(second, 3)]).toEqual([400, 200]);
    expect(await read(second, 3, first.project.headers)).toBe(404);
    const bench = new Bench(second.client, second.project, database);
    await bench.deploy({ uri: 'count', logic: [{ lark: 'count', code: LONG_LARK }] });
    expect((await bench.call('GET', 'count')).json()).toEqual({ total: 44999850000 });
    await first.service.close(1);
    expect(await read(second, 3)).toBe(200);
    expect((await bench.call('GET', 'count')).json()).toEqual({ total: 44999850000 });
  });
});
