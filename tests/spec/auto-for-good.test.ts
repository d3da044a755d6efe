// Tables without transactions: a write that could not be rolled back is not started.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service?.stop());

describe.each(['mysql', 'mariadb'] as const)('MyISAM on %s', (engine) => {
  let database: TestDatabase;
  let project: TestProject;
  let path: string;

  beforeAll(async () => {
    database = await createDatabase(engine);
    await database.run('CREATE TABLE notes (id int PRIMARY KEY, n int) ENGINE = MyISAM');
    project = await setUpProject(service, [database.entry()]);
    path = project.autoPath(database.dbType, database.name, 'notes');
  });
  afterAll(() => database?.drop());
  beforeEach(async () => {
    await database.run('TRUNCATE TABLE notes');
    await database.run('INSERT INTO notes VALUES (1, 1), (2, 2)');
  });

  const AS_BEFORE = [
    { id: 1, n: 1 },
    { id: 2, n: 2 },
  ];

  it.each([
    ['DELETE', '?id=ge.1&$max_affected=1', undefined],
    ['PUT', '?id=ge.1&set=n.9&$max_affected=1', undefined],
    ['PATCH', '?id=ge.1&$max_affected=1', { n: 9 }],
    ['PATCH', '?id=ge.1', { n: 9 }],
    ['PATCH', '?id=eq.1&$dry_run=true', { n: 9 }],
    [
      'PATCH',
      '',
      [
        { id: 1, n: 9 },
        { id: 2, n: 9 },
      ],
    ],
    ['PATCH', '?$max_affected=0', [{ id: 1, n: 9 }]],
    ['POST', '?$max_affected=0', [{ id: 3, n: 9 }]],
    ['POST', '', [{ id: 3 }, { id: 4 }]],
    ['POST', '?$upsert=true&$max_affected=0', [{ id: 1, n: 9 }]],
  ])('%s %s is 422, and nothing has changed', async (method, query, body) => {
    const answer = await service.request(method, `${path}${query}`, { headers: project.headers, body });
    expect([answer.status, answer.text]).toEqual([422, expect.any(String)]);
    expect(await database.run('SELECT id, n FROM notes ORDER BY id')).toEqual(AS_BEFORE);
  });

  it.each([
    ['PATCH', '?id=eq.1', { n: 9 }],
    ['PATCH', '/1', { n: 9 }],
    ['PATCH', '', [{ id: 1, n: 9 }]],
    ['PATCH', '?id=eq.1&$max_affected=1', { n: 9 }],
    ['POST', '?$upsert=true', [{ id: 1, n: 9 }]],
  ])('%s %s changes one row', async (method, query, body) => {
    const answer = await service.request(method, `${path}${query}`, { headers: project.headers, body });
    expect([Math.floor(answer.status / 100), answer.json()]).toEqual([2, { rows_affected: 1 }]);
    expect(await database.run('SELECT n FROM notes WHERE id = 1')).toEqual([{ n: 9 }]);
  });

  it('PUT and DELETE of several rows work', async () => {
    const send = (method: string, query: string) => service.request(method, `${path}${query}`, { headers: project.headers });
    expect((await send('PUT', '?id=ge.1&set=n.9&$max_affected=2')).json()).toEqual({ rows_affected: 2 });
    expect((await send('DELETE', '?id=ge.1')).json()).toEqual({ rows_affected: 2 });
  });
});
