// More databases than a server has connections for: idle connections are closed for others, so all
// databases stay usable, in turn and concurrently.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type EngineName, type TestDatabase } from '../support/engines.ts';
import { PATIENCE } from '../support/patience.ts';
import { type Service, setUpProject, startService, type TestProject } from '../support/service.ts';
import { slowDatabase, slowProject } from './slow-database.ts';

const DATABASES = 12;
const ROOM = 4;

/** A user with a limited number of connections, which the server reports like being full. */
const LIMITED: Readonly<Partial<Record<EngineName, (user: string, names: readonly string[]) => readonly string[]>>> = {
  postgres: (user) => [`CREATE ROLE ${user} LOGIN CONNECTION LIMIT ${ROOM} IN ROLE pg_read_all_data`],
  mysql: limitedOnMysql,
  mariadb: limitedOnMysql,
};

function limitedOnMysql(user: string, names: readonly string[]): readonly string[] {
  const grants = names.map((name) => `GRANT SELECT ON ${name}.* TO '${user}'@'%'`);
  return [`CREATE USER '${user}'@'%' WITH MAX_USER_CONNECTIONS ${ROOM}`, ...grants];
}

describe.each(['postgres', 'mysql', 'mariadb'] as const)('a full %s', (engine) => {
  let service: Service;
  let project: TestProject;
  let databases: TestDatabase[];
  let user: string;

  beforeAll(async () => {
    databases = await Promise.all(Array.from({ length: DATABASES }, () => createDatabase(engine)));
    for (const database of databases) {
      await database.run('CREATE TABLE t (id int PRIMARY KEY)');
      await database.run('INSERT INTO t VALUES (7)');
    }
    user = `full_${databases[0]?.name}`;
    const names = databases.map(({ name }) => name);
    for (const statement of LIMITED[engine]?.(user, names) ?? []) await databases[0]?.run(statement);
    service = await startService();
    project = await setUpProject(
      service,
      databases.map((database) => database.entry({ username: user, password: '', connect_timeout_secs: 20 })),
    );
  });
  afterAll(async () => {
    await service?.stop();
    await databases[0]?.run(engine === 'postgres' ? `DROP ROLE ${user}` : `DROP USER '${user}'@'%'`);
    for (const database of databases ?? []) await database.drop();
  });

  const read = async ({ dbType, name }: TestDatabase): Promise<string> => {
    const answer = await service.request('GET', `${project.autoPath(dbType, name, 't')}?pg=0&ps=1`, { headers: project.headers });
    return `${answer.status} ${answer.text}`;
  };

  test('serves all of its databases in turn', async () => {
    for (let round = 0; round < 3; round++) for (const database of databases) expect(await read(database)).toBe('200 [{"id":7}]');
  });

  test('serves all of them at a time', async () => {
    const answers = await Promise.all([...databases, ...databases, ...databases].map(read));
    expect(new Set(answers)).toEqual(new Set(['200 [{"id":7}]']));
  });
});

test('a database that is always busy gives way to one that waits, in turn', async () => {
  const service = await startService();
  const [first, second] = [await slowDatabase(), await slowDatabase()];
  const user = `turn_${first.name}`;
  await first.run(`CREATE ROLE ${user} LOGIN CONNECTION LIMIT 2 IN ROLE pg_read_all_data`);
  let isOver = false;
  try {
    const login = { username: user, password: '', connect_timeout_secs: 15 };
    const [busy, waiting] = [await slowProject(service, first, login), await slowProject(service, second, login)];
    const ofBusy: number[] = [];
    const callers = Array.from({ length: 8 }, async () => {
      while (!isOver) ofBusy.push((await busy.nap(50)).status);
    });
    await expect.poll(() => ofBusy.length, PATIENCE).toBeGreaterThan(0);
    const ofWaiting: number[] = [];
    while (ofWaiting.length < 10) ofWaiting.push((await waiting.nap(50)).status);
    const before = ofBusy.length;
    await expect.poll(() => ofBusy.length - before, PATIENCE).toBeGreaterThan(10);
    isOver = true;
    await Promise.all(callers);
    expect(new Set(ofWaiting)).toEqual(new Set([200]));
    expect(new Set(ofBusy)).toEqual(new Set([200]));
  } finally {
    isOver = true;
    await service.stop();
    await first.run(`DROP ROLE ${user}`);
    await Promise.all([first.drop(), second.drop()]);
  }
});

test('what is in use is waited for, and not broken off', async () => {
  const service = await startService();
  const [first, second] = [await slowDatabase(), await slowDatabase()];
  const user = `one_${first.name}`;
  await first.run(`CREATE ROLE ${user} LOGIN CONNECTION LIMIT 1 IN ROLE pg_read_all_data`);
  try {
    const login = { username: user, password: '', connect_timeout_secs: 20 };
    const [holding, waiting] = [await slowProject(service, first, login), await slowProject(service, second, login)];
    const nap = holding.nap(3000);
    await expect.poll(first.running, PATIENCE).toBe(1);
    const answers = await Promise.all([nap, waiting.nap(0), waiting.nap(0)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  } finally {
    await service.stop();
    await first.run(`DROP ROLE ${user}`);
    await Promise.all([first.drop(), second.drop()]);
  }
});

test('a server that others fill refuses at once', async () => {
  const service = await startService();
  const database = await slowDatabase();
  const user = `none_${database.name}`;
  await database.run(`CREATE ROLE ${user} LOGIN CONNECTION LIMIT 0`);
  try {
    const slow = await slowProject(service, database, { username: user, password: '', connect_timeout_secs: 30 });
    const answers = await Promise.all([slow.nap(0), slow.nap(0), slow.nap(0)]);
    for (const { status, ms, response } of answers) {
      expect([status, response.headers['retry-after']]).toEqual([503, expect.stringMatching(/^\d+$/)]);
      expect(ms).toBeLessThan(10_000);
    }
  } finally {
    await service.stop();
    await database.run(`DROP ROLE ${user}`);
    await database.drop();
  }
});
