// Tables altered by other clients while they are served. A change takes effect within five seconds,
// and at once if a statement fails. No request mixes the old and the new description.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TableClient } from '../../spec/users-table.ts';
import { createDatabase, ENGINE_NAMES, type EngineName, type TestDatabase } from '../../support/engines.ts';
import { eventually } from '../../support/patience.ts';
import { type Service, setUpProject, sharedService, type TestProject } from '../../support/service.ts';

/** Five seconds, and as many for a machine that has other work. */
const FRESH = { timeout: 6000 };

interface Shapes {
  readonly first: string;
  readonly second: string;
  readonly add: string;
  readonly retype: string;
}

const SQL: Shapes = {
  first: 'CREATE TABLE shifting (id int PRIMARY KEY, a int)',
  second: 'CREATE TABLE shifting (id int PRIMARY KEY, b varchar(20), c int)',
  add: 'ALTER TABLE shifting ADD COLUMN extra int DEFAULT 7',
  retype: 'ALTER TABLE shifting MODIFY a varchar(20)',
};

const SHAPES: Readonly<Record<EngineName, Shapes>> = {
  postgres: { ...SQL, retype: 'ALTER TABLE shifting ALTER a TYPE varchar(20)' },
  mysql: SQL,
  mariadb: SQL,
  clickhouse: {
    first: 'CREATE TABLE shifting (id Int32, a Nullable(Int32)) ENGINE = MergeTree ORDER BY id',
    second: 'CREATE TABLE shifting (id Int32, b Nullable(String), c Nullable(Int32)) ENGINE = MergeTree ORDER BY id',
    add: 'ALTER TABLE shifting ADD COLUMN extra Nullable(Int32) DEFAULT 7',
    retype: 'ALTER TABLE shifting MODIFY COLUMN a Nullable(String)',
  },
};

describe.concurrent.each(ENGINE_NAMES)('a changing table on %s', (engine) => {
  const shapes = SHAPES[engine];
  let database: TestDatabase;
  let service: Service;
  let project: TestProject;
  let shifting: TableClient;
  const drop = engine === 'clickhouse' ? 'DROP TABLE IF EXISTS shifting SYNC' : 'DROP TABLE IF EXISTS shifting';

  beforeAll(async () => {
    database = await createDatabase(engine);
    service = await sharedService();
    project = await setUpProject(service, [database.entry()]);
    shifting = new TableClient(service, project, database, 'shifting');
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  beforeEach(async () => {
    await database.run(drop);
    await database.run(shapes.first);
    await database.run('INSERT INTO shifting (id, a) VALUES (1, 10), (2, 20)');
    const first = [
      { id: 1, a: 10 },
      { id: 2, a: 20 },
    ];
    await eventually(async () => expect((await shifting.get('pg=0&ps=10')).text).toBe(JSON.stringify(first)), FRESH);
  });

  it.sequential('a new column can be read, filtered, set and posted', async () => {
    await database.run(shapes.add);
    await eventually(async () => expect((await shifting.get('pg=0&ps=1')).text).toContain('"extra":7'), FRESH);
    expect(await shifting.ids('extra=eq.7')).toEqual([1, 2]);
    expect((await shifting.send('PUT', 'id=eq.1&set=extra.8')).text).toBe('{"rows_affected":1}');
    expect((await shifting.post([{ id: 3, extra: 9 }])).text).toBe('{"rows_affected":1}');
    expect(await shifting.ids('extra=in.8,9')).toEqual([1, 3]);
  });

  it.sequential('a new column that a request names is found one second after the last check', async () => {
    await database.run(shapes.add);
    await sleep(1100);
    expect(await shifting.ids('extra=eq.7')).toEqual([1, 2]);
  });

  it.sequential('a dropped column is removed at once', async () => {
    await database.run('ALTER TABLE shifting DROP COLUMN a');
    expect((await shifting.get('pg=0&ps=10')).text).toBe('[{"id":1},{"id":2}]');
    expect((await shifting.get('pg=0&ps=10&a=eq.1')).status).toBe(400);
    expect((await shifting.send('DELETE', 'a=ne.1')).status).toBe(400);
    expect((await shifting.post([{ id: 3, a: 1 }])).status).toBe(422);
    expect((await shifting.get('pg=0&ps=10')).text).toBe('[{"id":1},{"id":2}]');
  });

  it.sequential('a dropped table returns 404 at once, for every method', async () => {
    await database.run(drop);
    expect((await shifting.get('pg=0&ps=10')).status).toBe(404);
    expect((await shifting.post([{ id: 3, a: 1 }])).status).toBe(404);
    expect((await shifting.send('PUT', 'id=eq.1&set=a.1')).status).toBe(404);
    expect((await shifting.send('DELETE', 'id=eq.1')).status).toBe(404);
  });

  it.sequential('a changed column type takes effect within five seconds, and values are correct before', async () => {
    await database.run(shapes.retype);
    // The old description may still be in use; the numbers are the same.
    const early = (await shifting.rows<{ id: number; a: unknown }>()).map(({ id, a }) => [id, Number(a)]);
    expect(early).toEqual([
      [1, 10],
      [2, 20],
    ]);
    const texts = '[{"id":1,"a":"10"},{"id":2,"a":"20"}]';
    await eventually(async () => expect((await shifting.get('pg=0&ps=10')).text).toBe(texts), FRESH);
    expect(await shifting.ids('a=eq.10')).toEqual([1]);
    expect(await shifting.ids('a=li.0')).toEqual([1, 2]);
    expect((await shifting.send('PUT', 'id=eq.1&set=a.text')).text).toBe('{"rows_affected":1}');
    expect((await shifting.post([{ id: 3, a: 'x' }])).text).toBe('{"rows_affected":1}');
  });

  it.sequential('a table recreated under load is served in its old or new shape, or missing', async () => {
    const seen = new Map<string, number>();
    let running = true;
    const reader = async (query: string): Promise<void> => {
      while (running) {
        const response = await shifting.get(query);
        const rows = response.status === 200 ? response.json<object[]>() : [];
        const shape =
          rows.map((row) => Object.keys(row).join()).find((keys, _, all) => all.some((other) => other !== keys)) === undefined
            ? 'one'
            : 'mixed';
        const keys = rows[0] === undefined ? '' : Object.keys(rows[0]).join();
        const answer = `${response.status} ${shape} ${keys}${response.status >= 500 ? response.text : ''}`;
        seen.set(answer, (seen.get(answer) ?? 0) + 1);
      }
    };
    const readers = [reader('pg=0&ps=10'), reader('pg=0&ps=10&id=gt.0'), reader('pg=0&ps=10&$order=id.desc')];
    for (let round = 0; round < 8; round++) {
      await database.run(drop);
      const second = round % 2 === 0;
      await database.run(second ? shapes.second : shapes.first);
      await database.run(
        second ? "INSERT INTO shifting (id, b, c) VALUES (1, 'x', 5), (2, 'y', 6)" : 'INSERT INTO shifting (id, a) VALUES (1, 10), (2, 20)',
      );
      await sleep(150);
    }
    running = false;
    await Promise.all(readers);
    const allowed = /^(200 one (id,a|id,b,c)?|404 one )$/;
    expect([...seen.keys()].filter((answer) => !allowed.test(answer))).toEqual([]);
    expect((await shifting.get('pg=0&ps=10')).text).toBe('[{"id":1,"a":10},{"id":2,"a":20}]');
  });
});
