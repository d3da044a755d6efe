// The toolbar of a table in Chromium: filters, columns, relations, groups, counts, exports, copies.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations, makeToken, watchPages } from '../support/browser.ts';
import { makePlace, type Place, TablePage } from './table-page.ts';

const TABLES = [
  'CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL)',
  `CREATE TABLE orders (id int PRIMARY KEY, customer_id int REFERENCES customers, status text, total numeric(10,2), placed_at date)`,
  "INSERT INTO customers VALUES (1, 'Ada'), (2, 'a,b.\"c')",
  `INSERT INTO orders VALUES (1, 1, 'new', 10.50, '2024-01-05'), (2, 1, 'paid', 0.10, '2024-01-09'), (3, 2, NULL, 99.99, '2024-02-01'),
    (4, 2, 'a,b', 5, '2024-02-02')`,
];

describe('the toolbar of a table', () => {
  let place: Place;
  let token: string;
  beforeAll(async () => {
    place = await makePlace('postgres', TABLES);
    token = await makeToken(place.service, place.project);
  });
  afterAll(() => place.database.drop());
  watchPages();

  const open = (path: string): Promise<TablePage> => TablePage.open(place, token, path);
  const keys = (table: TablePage): Promise<(string | null)[]> =>
    table.at('row').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-key')));
  const shows = (table: TablePage, expected: readonly string[]): Promise<void> =>
    expect.poll(async () => (await keys(table)).toSorted()).toEqual(expected);

  it('adds filters, keeps them in the address, and takes them back', async () => {
    const table = await open('orders');
    const { page } = table;
    await table.at('filter-add').click();
    await table.at('filter-column').selectOption('status');
    await table.at('filter-operator').selectOption('eq');
    await table.at('filter-value').fill('a,b');
    await table.at('filter-apply').click();
    await shows(table, ['4']);
    expect(decodeURIComponent(new URL(page.url()).search)).toBe('?status=eq."a,b"');
    await table.at('filter-operator').selectOption('in');
    await table.at('filter-value').fill('new,"a,b"');
    await table.at('filter-apply').click();
    await shows(table, ['1', '4']);
    await page.goBack();
    await shows(table, ['4']);
    await table.at('filter-operator').selectOption('null');
    await table.at('filter-apply').click();
    await shows(table, ['3']);
    await table.at('filter-remove').click();
    await shows(table, ['1', '2', '3', '4']);
  });

  it('takes two values for a range, groups with or, and related rows', async () => {
    const table = await open('orders?total=bw.5.20');
    await shows(table, ['1', '4']);
    expect(await table.at('filter-value').inputValue()).toBe('5');
    await table.at('filter-value-2').fill('100');
    await table.at('filter-apply').click();
    await shows(table, ['1', '3', '4']);
    const alternatives = await open('orders?$or=(status=eq.new,$null=status)');
    await shows(alternatives, ['1', '3']);
    expect(await alternatives.at('filter').count()).toBe(2);
    const related = await open('orders?$has=customers(name=li."a,b.")');
    await shows(related, ['3', '4']);
  });

  it('chooses columns, and shows related rows in the rows', async () => {
    const table = await open('orders');
    await table.at('columns').click();
    await table.page.locator('[data-testid="column-toggle"][data-column="total"]').uncheck();
    await expect.poll(() => table.column('total').count()).toBe(0);
    expect(new URL(table.page.url()).search).toContain('$select=id,customer_id,status,placed_at');
    await table.page.keyboard.press('Escape');
    await table.at('expand').click();
    await table.page.locator('[data-testid="expand-item"][data-relation="customers"]').check();
    await expect.poll(() => table.column('customers').count()).toBe(1);
  });

  it('groups and sums exactly, by the select of a sum or by its column', async () => {
    const table = await open('orders');
    await table.at('group').click();
    await table.at('group-by').selectOption('customer_id');
    await table.at('group-agg').selectOption('sum.total');
    await table.at('group-apply').click();
    await expect.poll(() => table.column('sum_total').count()).toBe(1);
    const sums = table.page.locator('[data-testid="cell"][data-column="sum_total"]');
    await expect.poll(async () => (await sums.allTextContents()).toSorted()).toEqual(['10.60', '104.99']);
    await table.at('group').click();
    await table.at('group-agg').selectOption('max');
    await table.at('group-column').selectOption('placed_at');
    await table.at('group-apply').click();
    await expect.poll(() => table.column('max_placed_at').count()).toBe(1);
  });

  it('counts only when it is asked', async () => {
    const table = await open('orders?status=eq.new');
    expect(await table.at('count-value').count()).toBe(0);
    await table.at('count').click();
    await table.at('count-value').waitFor();
    await table.at('count-exact').click();
    await expect.poll(() => table.at('count-value').textContent()).toBe('1 rows');
  });

  it.each(['json', 'csv', 'xml', 'yaml', 'bson'])('exports the answer of the API with the filters in force: %s', async (format) => {
    const table = await open('orders?customer_id=eq.1');
    await table.at('export').click();
    const [download] = await Promise.all([table.page.waitForEvent('download'), table.at(`export-${format}`).click()]);
    expect(download.suggestedFilename()).toBe(`orders.${format}`);
    const saved = readFileSync(await download.path());
    const path = place.project.autoPath('pg', place.database.name, 'orders');
    const answer = await place.service.request('GET', `${path}?customer_id=eq.1&pg=0&ps=100&format=${format}`, {
      headers: place.project.headers,
    });
    expect(saved.toString('latin1')).toBe(answer.body.toString('latin1'));
  });

  it('copies curl, client code and a link without the token', async () => {
    const table = await open('orders?status=eq.new');
    await table.at('copy').click();
    for (const [name, expected] of [
      ['curl', /^curl -s -H "Authorization: Bearer \$MILLRACE_TOKEN" 'http.*status=eq\.new.*'$/],
      ['client', /db\.orders\.read\(\{ where: \{ status: "new" \}/],
      ['link', /\/console\/data\/.*\/orders\?status=eq\.new$/],
    ] as const) {
      await table.at(`copy-${name}`).click();
      const text = (await table.at('copy-text').textContent()) ?? '';
      expect(text).toMatch(expected);
      expect(text).not.toContain(token);
    }
    expect(await axeViolations(table.page)).toEqual([]);
  });
});
