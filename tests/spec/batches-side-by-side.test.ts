// Many large batches at once, some rejected, some of clients that disconnect: each stores its own
// rows only.
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, ENGINE_NAMES, type TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';
import { TABLE, TableClient } from './users-table.ts';

const BATCHES = 60;

describe.each(ENGINE_NAMES)('concurrent batches on %s', (engine) => {
  let database: TestDatabase;
  let service: Service;
  let project: TestProject;
  let users: TableClient;

  beforeAll(async () => {
    database = await createDatabase(engine);
    await database.run(TABLE[engine]);
    service = await sharedService();
    project = await setUpProject(service, [database.entry()]);
    users = new TableClient(service, project, database, 'users');
  });
  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  const letters = (batch: number): string => String.fromCharCode(97 + (batch % 26)).repeat(5 + (batch % 40));
  const row = (batch: number, i: number) => ({
    id: batch * 1000 + i,
    name: `${letters(batch)} ${i}`,
    email: `${batch}-${i}@example.org`,
    created_at: '2024-05-06T07:08:09Z',
    note: batch % 3 === 0 ? `"${letters(batch)}" \\ é` : letters(batch),
  });
  const rowsOf = (batch: number) => Array.from({ length: 150 + (batch % 4) * 100 }, (_, i) => row(batch, i));

  /** Sends most of a batch, or all of it, and leaves without waiting for the answer. */
  function leave(batch: number): Promise<void> {
    const body = Buffer.from(JSON.stringify(rowsOf(batch)));
    const headers = Object.entries({ ...project.headers, host: 'x', 'content-type': 'application/json', 'content-length': body.length });
    const head = `POST ${users.path} HTTP/1.1\r\n${headers.map(([k, v]) => `${k}: ${v}\r\n`).join('')}\r\n`;
    return new Promise((resolve) => {
      const socket = connect(service.port, service.host, () => {
        socket.write(head);
        socket.write(body.subarray(0, batch % 2 === 0 ? body.length : 20_000), () => socket.destroy());
      });
      socket.on('close', () => resolve());
      socket.on('error', () => undefined);
    });
  }

  it('are kept apart', async () => {
    const statuses = await Promise.all(
      Array.from({ length: BATCHES }, async (_, batch) => {
        if (batch % 10 === 9) return leave(batch);
        const rows: object[] = rowsOf(batch);
        if (batch % 10 === 8) rows.push({ ...row(batch, 999), created_at: 'never' });
        return (await users.post(rows)).status;
      }),
    );
    for (let batch = 0; batch < BATCHES; batch++) {
      const refused = batch % 10 === 8;
      const left = batch % 10 === 9;
      expect(statuses[batch], `batch ${batch}`).toBe(left ? undefined : refused ? 422 : 201);
      const stored = await users.rows(`id=bw.${batch * 1000}.${batch * 1000 + 999}`);
      // A batch whose client has left is there as a whole or not at all.
      if (refused || (left && stored.length === 0)) expect(stored).toEqual([]);
      else expect(stored).toMatchObject(rowsOf(batch));
    }
  });
});
