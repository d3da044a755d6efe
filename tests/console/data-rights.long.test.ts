// The data view for callers with fewer rights, for odd tables, and while requests fail.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consoleUrl, makeToken, newPage, watchPages } from '../support/browser.ts';
import { makePlace, type Place, TablePage } from './table-page.ts';

const PERSONA = {
  persona: 'clerk',
  roles: ['clerk'],
  tables: {
    items: {
      read: { columns: ['id', 'name', 'state'], rows: ['id=le.250'], mask: { state: '***' }, max_page_size: 40 },
      update: { columns: ['name'] },
    },
  },
};

const STATEMENTS = [
  'CREATE TABLE items (id int PRIMARY KEY, name text, state text, secret text)',
  `INSERT INTO items SELECT n, 'Item ' || n, 'open', 'hidden' FROM generate_series(1, 300) AS n`,
  'CREATE VIEW shown AS SELECT id, name FROM items',
  'CREATE TABLE documents (doc json)',
  `INSERT INTO documents SELECT json_build_object('n', n) FROM generate_series(1, 350) AS n`,
  ...Array.from({ length: 400 }, (_, at) => `CREATE TABLE many_${at} (id int PRIMARY KEY)`),
  'CREATE SCHEMA sales',
  'CREATE TABLE sales.deals (id int PRIMARY KEY)',
  'INSERT INTO sales.deals VALUES (7)',
];

describe('the data view', () => {
  let place: Place;
  let admin: string;
  beforeAll(async () => {
    place = await makePlace('postgres', STATEMENTS);
    admin = await makeToken(place.service, place.project);
  });
  afterAll(() => place.database.drop());
  watchPages();

  const scrollOn = `{ const grid = document.querySelector('[data-testid="grid"]'); grid.scrollTop = grid.scrollHeight; }`;

  it('offers a persona what its rules leave, in pages of its size', async () => {
    const { items } = PERSONA.tables;
    const document = { ...PERSONA, tables: { [`pg/${place.database.name}/items`]: items } };
    const made = await place.service.request('POST', '/svc/persona/v1', { headers: place.project.headers, body: document });
    expect(made.status, made.text).toBe(201);
    const token = await makeToken(place.service, place.project, { roles: ['clerk'] });
    const table = await TablePage.open(place, token, 'items');
    expect(await table.at('grid').getAttribute('data-rows')).toBe('40');
    expect(await table.cell('1', 'state').textContent()).toBe('***');
    expect(await table.at('column').count()).toBe(3);
    await table.page.evaluate(scrollOn);
    await table.page.locator('[data-testid="grid"]:not([data-rows="40"])').waitFor();
    expect(await table.at('insert').count()).toBe(0);
    expect(await table.at('row-select').first().isVisible()).toBe(false);
    await table.cell('250', 'id').or(table.at('cell').first()).first().waitFor();
    const edited = table.at('row').nth(3);
    await edited.locator('[data-column="state"]').dblclick();
    expect(await table.at('cell-input').count()).toBe(0);
    await edited.locator('[data-column="name"]').dblclick();
    await table.at('cell-input').fill('renamed');
    await table.page.keyboard.press('Enter');
    expect(await table.review()).toBe('1');
    await table.save();
    expect(await place.database.run(`SELECT count(*)::int AS n FROM items WHERE name = 'renamed'`)).toEqual([{ n: 1 }]);
    const removed = await place.service.request('DELETE', '/svc/persona/v1?persona=clerk', { headers: place.project.headers });
    expect(removed.status).toBe(200);
  });

  it('shows views and tables without sortable columns to the end', async () => {
    const view = await TablePage.open(place, admin, 'shown');
    expect(await view.at('cell').first().textContent()).not.toBe('');
    const table = await TablePage.open(place, admin, 'documents');
    for (const rows of ['100', '350']) {
      await table.page.locator(`[data-testid="grid"][data-rows="${rows}"]`).waitFor();
      await table.page.evaluate(scrollOn);
    }
    await table.page.locator('[data-testid="grid"][data-state="end"]').waitFor();
    expect(await table.at('grid').getAttribute('aria-rowcount')).toBe('351');
  });

  it('finds tables while typing, in the list and in the palette', async () => {
    const page = await newPage();
    await page.goto(consoleUrl(place.service, admin, `data/pg/${place.database.name}`));
    await page.locator('[data-testid="table"]').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('many 399');
    await page.locator('[data-testid="table"][data-table="many_399"]').waitFor();
    expect(await page.locator('[data-testid="table"]').count()).toBe(1);
    await page.keyboard.press('Control+k');
    await page.locator('[data-testid="palette-input"]').fill('documents');
    await page.locator('[data-testid="palette-item"]', { hasText: 'documents' }).first().click();
    await page.locator('[data-testid="grid"][data-rows="100"]').waitFor();
    expect(page.url()).toContain('/documents');
  });

  it('opens another schema of PostgreSQL', async () => {
    const page = await newPage();
    await page.goto(consoleUrl(place.service, admin, `data/pg/${place.database.name}`));
    await page.getByLabel('Schema').fill('sales');
    await page.getByRole('button', { name: 'Open the schema' }).click();
    await page.locator('[data-testid="table"][data-table="deals"]').click();
    await page.locator('[data-testid="row"][data-key="7"]').waitFor();
  });

  it('shows the message of a refusal with its request, and tries again', async () => {
    const table = new TablePage(await newPage());
    const path = `data/pg/${place.database.name}/items?nothing=eq.1`;
    await table.page.goto(consoleUrl(place.service, admin, path));
    await table.at('error').waitFor();
    expect(await table.at('error').textContent()).toContain('The table has no column "nothing".');
    expect(await table.at('error').textContent()).toContain('Request ');
    expect(await table.at('grid').getAttribute('data-state')).toBe('error');
    await place.database.run('ALTER TABLE items ADD nothing int DEFAULT 1');
    await expect
      .poll(
        async () => {
          if ((await table.at('retry').count()) > 0) await table.at('retry').click();
          return table.at('grid').getAttribute('data-state');
        },
        { timeout: 20_000, interval: 500 },
      )
      .toBe('ready');
  });
});
