// What table metadata says of relations, unique keys and generated columns on each engine; and relations that the entry of a database declares.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ENGINE_NAMES, type EngineName } from '../support/engines.ts';
import { type Service, setUpProject, startService, type TestProject } from '../support/service.ts';
import { createShop, type Shop } from './shop-tables.ts';
import { messageOf, SystemClient } from './system-client.ts';

let service: Service;
let client: SystemClient;
beforeAll(async () => {
  service = await startService();
  client = new SystemClient(service);
});
afterAll(() => service?.stop());

const GENERATED: Readonly<Record<EngineName, string>> = {
  postgres:
    'CREATE TABLE made (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, a int, b int GENERATED ALWAYS AS (a + 1) STORED, c int DEFAULT 5)',
  mysql: 'CREATE TABLE made (id int AUTO_INCREMENT PRIMARY KEY, a int, b int GENERATED ALWAYS AS (a + 1) STORED, c int DEFAULT 5)',
  mariadb: 'CREATE TABLE made (id int AUTO_INCREMENT PRIMARY KEY, a int, b int GENERATED ALWAYS AS (a + 1) STORED, c int DEFAULT 5)',
  clickhouse: 'CREATE TABLE made (id Int32 MATERIALIZED 1, a Int32, b Int32 ALIAS a + 1, c Int32 DEFAULT 5) ENGINE = MergeTree ORDER BY a',
};

interface Detail {
  readonly columns: readonly { readonly name: string; readonly generated: boolean }[];
  readonly unique: readonly (readonly string[])[];
  readonly relations: readonly { readonly name: string }[];
}

describe.each(ENGINE_NAMES)('on %s', (engine) => {
  let shop: Shop;
  let project: TestProject;
  beforeAll(async () => {
    shop = await createShop(engine);
    await shop.database.run(GENERATED[engine]);
    project = await setUpProject(service, [shop.entry]);
  });
  afterAll(() => shop?.database.drop());

  const detail = async (table: string): Promise<Detail> => {
    const { dbType, name } = shop.database;
    const path = `rest/meta/v1/table/detail?type=${dbType}&schema=${name}&table=${table}`;
    const answer = await client.send('GET', path, undefined, project.headers);
    expect(answer.status).toBe(200);
    return answer.json<Detail>();
  };

  test('a foreign key is a relation to one, and back to many, or to one where it is unique', async () => {
    const { relations } = await detail('customer');
    expect(relations).toContainEqual({ name: 'orders', kind: 'many', table: 'orders', columns: ['id'], references: ['customer_id'] });
    const kind = engine === 'clickhouse' ? 'many' : 'one';
    expect(relations).toContainEqual({ name: 'profile', kind, table: 'profile', columns: ['id'], references: ['customer_id'] });
    const orders = await detail('orders');
    expect(orders.relations).toContainEqual({
      name: 'customer',
      kind: 'one',
      table: 'customer',
      columns: ['customer_id'],
      references: ['id'],
    });
  });

  test('several between two tables are told apart by their columns, junctions by their table', async () => {
    expect((await detail('parcel')).relations.map(({ name }) => name).sort()).toEqual(['customer!receiver_id', 'customer!sender_id']);
    expect((await detail('product')).relations).toContainEqual({
      name: 'tag!product_tag',
      kind: 'many',
      table: 'tag',
      columns: ['id'],
      references: ['id'],
      through: 'product_tag',
    });
    const own = (await detail('employee')).relations.map(({ name }) => name);
    expect(own).toEqual(['employee!manager_id.one', 'employee!manager_id.many']);
  });

  test('a key of two columns is one relation', async () => {
    const relation = { name: 'place', kind: 'one', table: 'place', columns: ['country', 'city'], references: ['country', 'city'] };
    expect((await detail('visit')).relations).toEqual([relation]);
  });

  test('unique keys, and columns that the database makes', async () => {
    expect((await detail('customer')).unique).toEqual(engine === 'clickhouse' ? [] : [['code']]);
    expect((await detail('item')).unique).toEqual([]);
    const made = (await detail('made')).columns.filter(({ generated }) => generated).map(({ name }) => name);
    expect(made).toEqual(['id', 'b']);
  });
});

describe('relations of an entry', () => {
  const register = (relations: unknown) => {
    const database = {
      db_type: 'ch',
      db_name: 'warehouse',
      host: 'db.example.com',
      username: 'u',
      password: 'p',
      relations,
    };
    return client.send('POST', 'system/api/v1/project/database', database, project.headers);
  };
  let project: TestProject;
  beforeAll(async () => {
    project = await setUpProject(service, []);
  });

  const good = { table: 'a', columns: ['x'], references: { table: 'b', columns: ['y'] } };
  test.each<readonly [string, unknown, number, RegExp]>([
    ['no list', {}, 400, /relations must be an array/],
    ['no object', ['a'], 400, /relations\[0\] must be an object/],
    ['no table', [{ ...good, table: undefined }], 400, /relations\[0\]\.table is missing/],
    ['no columns', [{ ...good, columns: 'x' }], 400, /relations\[0\]\.columns must be an array/],
    ['a column that is no text', [{ ...good, columns: [1] }], 400, /relations\[0\]\.columns\[0\] must be a string/],
    ['no references', [{ ...good, references: undefined }], 400, /relations\[0\]\.references is missing/],
    ['an empty list of columns', [{ ...good, columns: [] }], 422, /relations\[0\]\.columns must have 1 to 32/],
    ['other numbers of columns', [{ ...good, columns: ['x', 'z'] }], 422, /equally many/],
    ['a column twice', [{ ...good, columns: ['x', 'x'] }], 422, /twice/],
  ])('%s', async (_, relations, status, words) => {
    const answer = await register(relations);
    expect(messageOf(answer, status)).toMatch(words);
  });

  test('come back with the entry', async () => {
    expect((await register([good])).status).toBe(201);
    const shown = await client.send('GET', `system/api/v1/project?project_id=${project.projectId}`, undefined, project.headers);
    expect(shown.json<{ databases: { relations?: unknown }[] }>().databases[0]?.relations).toEqual([good]);
  });
});
