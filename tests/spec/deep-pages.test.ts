// Pages far from the beginning of a table, which some engines find by keys: the same rows in the
// same order as other pages.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Databases } from '../support/databases.ts';
import type { EngineName, TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';

const ENGINES: readonly EngineName[] = ['postgres', 'mysql', 'mariadb', 'clickhouse'];
const ROWS = 6000;
const GROUPS = ['B', 'a', 'Ä', 'c'];
const databases = new Databases();
let service: Service;
let project: TestProject;

/** Takes every name that generated SQL may need. Keys sort differently as text and as bytes. */
async function fill(database: TestDatabase): Promise<void> {
  const { engine: name } = database;
  const key = (column: string): string => (name === 'postgres' ? `"${column}"` : `\`${column}\``);
  const text = name === 'postgres' ? 'varchar(10)' : 'varchar(10) CHARACTER SET utf8mb4';
  const table = name === 'postgres' ? '"page"' : '`page`';
  if (name === 'clickhouse')
    await database.run(
      `CREATE TABLE ${table} (part String, number Int32, ${key('key 0')} String) ENGINE = MergeTree ORDER BY (part, number)`,
    );
  else await database.run(`CREATE TABLE ${table} (part ${text}, number int, ${key('key 0')} ${text}, PRIMARY KEY (part, number))`);
  const rows = Array.from({ length: ROWS }, (_, i) => `('${GROUPS[i % GROUPS.length]}', ${(i * 7919) % ROWS}, 'r${i}')`);
  await database.run(`INSERT INTO ${table} VALUES ${rows}`);
}

beforeAll(async () => {
  await databases.create(ENGINES, fill);
  service = await sharedService();
  project = await setUpProject(service, databases.entries());
});
afterAll(async () => {
  await service?.stop();
  await databases.drop();
});

describe.each(ENGINES)('on %s', (name) => {
  async function rowsOf(query: string): Promise<readonly unknown[]> {
    const database = databases.on(name);
    const path = `${project.autoPath(database.dbType, database.name, 'page')}?${query}`;
    const { status, body } = await service.request('GET', path, { headers: project.headers });
    expect(status, String(body)).toBe(200);
    return JSON.parse(String(body));
  }

  test.each(['', '&$order=part.desc,number', '&$order=number.desc', '&$select=key 0', '&$count=exact'])('pages of 25%s', async (query) => {
    const all = await rowsOf(`pg=0&ps=${ROWS}${query.replace(' ', '%20')}`);
    expect(all).toHaveLength(ROWS);
    for (const page of [199, 200, 201, 239, 240]) {
      expect(await rowsOf(`pg=${page}&ps=25${query.replace(' ', '%20')}`), `page ${page}`).toEqual(all.slice(page * 25, (page + 1) * 25));
    }
  });
});
