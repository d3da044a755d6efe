// Relations and engines: one snapshot per request, keys that are equal under a collation, and
// tables that change.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';
import { TableClient } from './users-table.ts';

type Row = Record<string, unknown>;

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service?.stop());

describe.each(['postgres', 'mysql', 'mariadb'] as const)('on %s', (engine) => {
  let database: TestDatabase;
  let project: TestProject;
  const table = (name: string): TableClient => new TableClient(service, project, database, name);

  beforeAll(async () => {
    database = await createDatabase(engine);
    const transactional = engine === 'postgres' ? '' : ' ENGINE = InnoDB';
    for (const statement of [
      `CREATE TABLE meter (id int PRIMARY KEY, total int NOT NULL)${transactional}`,
      `CREATE TABLE entry (id int PRIMARY KEY, meter_id int NOT NULL, amount int NOT NULL, FOREIGN KEY (meter_id) REFERENCES meter (id))${transactional}`,
      'INSERT INTO meter VALUES (1, 0)',
      'INSERT INTO entry VALUES (1, 1, 0)',
      'CREATE TABLE country (code varchar(10) PRIMARY KEY, name varchar(20) NOT NULL)',
      'CREATE TABLE city (id int PRIMARY KEY, country_code varchar(10), FOREIGN KEY (country_code) REFERENCES country (code))',
      "INSERT INTO country VALUES ('FR', 'France'), ('AT', 'Austria')",
      'ALTER TABLE city ADD CONSTRAINT again FOREIGN KEY (country_code) REFERENCES country (code)',
    ])
      await database.run(statement);
    project = await setUpProject(service, [database.entry()]);
  });
  afterAll(() => database?.drop());

  it('reads rows and related rows in one snapshot', async () => {
    let isOver = false;
    const writing = (async () => {
      for (let value = 1; !isOver; value++) {
        await database.run(engine === 'postgres' ? 'BEGIN' : 'START TRANSACTION');
        await database.run(`UPDATE meter SET total = ${value}`);
        await database.run(`UPDATE entry SET amount = ${value}`);
        await database.run('COMMIT');
      }
    })();
    const seen = new Set<unknown>();
    try {
      for (let i = 0; i < 60; i++) {
        const [row] = await table('meter').rows<{ total: number; entry: { amount: number; meter: { total: number } }[] }>(
          '$expand=entry($expand=meter($select=total))',
        );
        expect([row?.entry[0]?.amount, row?.entry[0]?.meter.total]).toEqual([row?.total, row?.total]);
        seen.add(row?.total);
      }
    } finally {
      isOver = true;
      await writing;
    }
    expect(seen.size).toBeGreaterThan(1);
  });

  it('finds related rows whose keys are equal for the database only', async () => {
    const lower = engine === 'postgres' ? 'FR' : 'fr';
    await database.run(`INSERT INTO city VALUES (1, 'FR'), (2, '${lower}'), (3, NULL), (4, 'AT')`);
    const cities = await table('city').rows<Row>('$select=id&$expand=country($select=name)');
    expect(cities.map(({ country }) => (country as Row | null)?.['name'])).toEqual(['France', 'France', undefined, 'Austria']);
    const countries = await table('country').rows<Row>('$expand=city($select=id)&$select=name');
    expect(countries).toEqual([
      { name: 'Austria', city: [{ id: 4 }] },
      { name: 'France', city: [{ id: 1 }, { id: 2 }] },
    ]);
    expect(await table('country').rows<Row>('$has=city(id=eq.2)&$select=code')).toEqual([{ code: 'FR' }]);
  });

  it('sees changes of a related table', async () => {
    expect(await table('entry').rows<Row>('$select=id&$expand=meter($select=id)')).toEqual([{ id: 1, meter: { id: 1 } }]);
    await database.run('ALTER TABLE meter ADD COLUMN note varchar(20)');
    await database.run('ALTER TABLE meter DROP COLUMN total');
    expect(await table('entry').rows<Row>('$select=id&$expand=meter')).toEqual([{ id: 1, meter: { id: 1, note: null } }]);
  });
});
