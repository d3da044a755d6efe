// Pages of apps in Chromium: inputs and the address, states, tables, forms, public pages, access.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makePlace, type Place } from '../console/table-page.ts';
import { axeViolations, makeToken, watchPages } from '../support/browser.ts';
import { AppPage, deployApp } from './app-page.ts';

const TABLE = `CREATE TABLE items (id bigint PRIMARY KEY, kind text NOT NULL, price numeric(30,2), note text, day date, photo bytea);
  INSERT INTO items SELECT n, 'kind ' || n % 3, n, NULL, date '2024-01-01' + n, '\\x0001' FROM generate_series(1, 45) AS n`;

describe('the page of an app', () => {
  let place: Place;
  let token: string;
  let from: string;
  beforeAll(async () => {
    place = await makePlace('postgres', [TABLE]);
    token = await makeToken(place.service, place.project);
    from = `pg/${place.database.name}/items`;
  });
  afterAll(() => place.database.drop());
  watchPages();

  const deploy = (blocks: string, more = ''): Promise<void> =>
    deployApp(place.service, place.project, `app: page\ntitle: Page\npermission: [admin, reader]\n${more}blocks:\n${blocks}\n`);
  const open = (query = ''): Promise<AppPage> => AppPage.open(place.service.url, `app=page${query}`, token);

  it('keeps an invalid value with a message, and undoes it with Back', async () => {
    await deploy(
      `  - metric: {from: ${from}, filters: ['id=le.?:most'], value: count}\n    id: count`,
      'inputs: {most: {type: integer, maximum: 100, default: 10}}\n',
    );
    const app = await open('&colour=red');
    expect(await app.at('app-notice').textContent()).toContain('colour');
    expect(await (await app.state('count', 'ready')).getByTestId('metric-value').textContent()).toBe('10');
    await app.type('input-most', '999');
    expect(await (await app.state('count', 'waiting')).textContent()).toContain('most');
    expect(await app.at('input-most-error').textContent()).toContain('100');
    expect(app.query).toBe('?app=page&most=999&colour=red');
    await app.page.goBack();
    await app.state('count', 'ready');
    expect(await app.at('input-most').inputValue()).toBe('10');
    await app.type('input-most', '');
    expect(app.query).toBe('?app=page&most=&colour=red');
    await expect.poll(() => app.at('metric-value').textContent()).toBe('45');
  });

  it('compares exactly, and shows no percent of nothing', async () => {
    await deploy(`  - metric: {from: ${from}, value: sum.price, filters: ['id=le.3'], compare: {filters: ['id=le.2'], label: before}}
    id: more
  - metric: {from: ${from}, value: count, compare: {filters: ['id=lt.0']}}
    id: none`);
    const app = await open();
    expect(await (await app.state('more', 'ready')).getByTestId('metric-compare').textContent()).toMatch(/\+3\.00 \(\+100\.0%\) before/);
    expect(await (await app.state('none', 'ready')).getByTestId('metric-compare').textContent()).not.toContain('%');
  });

  it('sorts and pages in the database, with Next only before a next page', async () => {
    await deploy(`  - table: {from: ${from}, order: [id.asc], columns: [id, note, photo], count: true}\n    id: items`);
    const app = await open();
    const items = await app.state('items', 'ready');
    const first = items.locator('[data-column="id"]').first();
    expect(await items.locator('[data-column="photo"]').first().textContent()).toBe('binary, 2 bytes');
    expect(await items.locator('[data-column="note"] [data-null]').first().textContent()).toBe('—');
    expect(await items.getByTestId('total').textContent()).toBe('45');
    for (const [id, order] of [
      ['1', 'ascending'],
      ['45', 'descending'],
      ['1', 'none'],
    ] as const) {
      await items.getByTestId('sort-id').click();
      await expect.poll(() => first.textContent()).toBe(id);
      expect(await items.locator('th').first().getAttribute('aria-sort')).toBe(order);
    }
    await items.getByTestId('next').click();
    await expect.poll(() => first.textContent()).toBe('21');
    await items.getByTestId('next').click();
    await expect.poll(() => first.textContent()).toBe('41');
    expect(app.query).toBe('?app=page&items.page=3');
    expect(await items.getByTestId('next').count()).toBe(0);
    const [file] = await Promise.all([app.page.waitForEvent('download'), items.getByTestId('export-csv').click()]);
    expect(file.suggestedFilename()).toBe('items.csv');
  });

  it('names a column that the answer lacks, beside blocks that work', async () => {
    await deploy(`  - table: {from: ${from}, filters: ['id=lt.0'], empty: Nothing here}
    id: none
  - record: {from: ${from}, key: 3, fields: [id, kind]}
    id: one
  - record: {from: ${from}, key: -3}
    id: missing`);
    const app = await open();
    expect(await (await app.state('none', 'empty')).textContent()).toContain('Nothing here');
    expect(await (await app.state('one', 'ready')).locator('[data-column="kind"]').textContent()).toBe('kind 0');
    await app.state('missing', 'empty');
  });

  it('opens tabs on demand, and keeps the open one in the address', async () => {
    await deploy(`  - tabs:
      - {title: One, blocks: [{text: First}]}
      - {title: Two, blocks: [{table: {from: ${from}}, id: inside}]}`);
    const app = await open();
    await app.settled();
    expect(app.requests.filter((request) => request.includes('/items'))).toEqual([]);
    await app.at('tab-2').click();
    await app.state('inside', 'ready');
    expect(app.query).toBe('?app=page&tabs1=2');
  });

  it('sends only what was changed, and offers to read a row again that has changed', async () => {
    await deploy(`  - form: {update: ${from}, key: 7, fields: [kind, note, price], button: Save, done: 'Saved {id}'}\n    id: change`);
    const app = await open();
    const form = await app.state('change', 'ready');
    await place.database.run(`UPDATE items SET price = 70.50 WHERE id = 7`);
    await form.getByTestId('field-note').fill('mine');
    await form.getByTestId('submit').click();
    await form.getByTestId('form-error').getByRole('button').click();
    await expect.poll(() => form.getByTestId('field-price').inputValue()).toBe('70.50');
    await form.getByTestId('field-kind').fill('');
    await form.getByTestId('field-note').fill('mine');
    await form.getByTestId('submit').click();
    await form.getByTestId('form-done').waitFor();
    expect(await place.database.run(`SELECT kind, note, price::text FROM items WHERE id = 7`)).toEqual([
      { kind: '', note: 'mine', price: '70.50' },
    ]);
  });

  it('puts messages at their fields, and the focus into the first one', async () => {
    await deploy(`  - form: {insert: ${from}, fields: [id, kind, price], confirm: Really?}\n    id: add`);
    const app = await open();
    const form = await app.state('add', 'ready');
    await form.getByTestId('field-price').fill('much');
    await form.getByTestId('submit').click();
    expect(await form.getByTestId('field-price-error').count()).toBe(1);
    expect(await app.page.evaluate('document.activeElement.dataset.testid')).toBe('field-id');
    await form.getByTestId('field-id').fill('1');
    await form.getByTestId('field-kind').fill('x');
    await form.getByTestId('field-price').fill('1');
    await form.getByTestId('submit').click();
    await app.at('confirm-ok').click();
    await form.locator('[data-testid="field-id-error"], [data-testid="form-error"]').waitFor();
    expect(app.requests.filter((request) => request.startsWith('POST'))).toHaveLength(1);
  });

  it('shows a public page without forms, and sends its token only in a header', async () => {
    await deploy(`  - table: {from: ${from}, link: {app: page, inputs: {}}, actions: [{delete: ${from}, key: '?:row.id'}]}
    id: items
  - form: {insert: ${from}}
    id: add`);
    const reader = await makeToken(place.service, place.project, { key_type: 'r--', roles: ['reader'] });
    const app = await AppPage.at(`${place.service.url}/svc/app/v1/render?app=page&pwt=${reader}`);
    const items = await app.state('items', 'ready');
    expect(await items.getByTestId('action-1').count()).toBe(0);
    expect(await app.block('add').count()).toBe(0);
    expect(await items.locator('tbody a').first().getAttribute('href')).toContain(`pwt=${reader}`);
    expect(app.requests.some((request) => request.includes(reader))).toBe(false);
  });

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
  ] as const)('has no violation of WCAG in %s at %i px, and scrolls only tables sideways', async (scheme, width) => {
    await deploy(
      `  - row:
      - metric: {from: ${from}, value: count, trend: day.month, compare: {filters: ['id=lt.9']}}
      - chart: {from: ${from}, kind: bar, x: id, y: price, series: kind, stack: true}
        id: chart
  - table: {from: ${from}}
  - form: {insert: ${from}}`,
      'inputs: {kinds: {type: array, items: {type: string, enum: [a, b]}}, ids: {type: array, items: {type: integer}}, day: {type: date}}\n',
    );
    const app = await AppPage.open(place.service.url, 'app=page', token, { scheme, width });
    await app.settled();
    await app.block('chart').locator('[data-testid="chart"] svg').waitFor();
    expect(await axeViolations(app.page)).toEqual([]);
    expect(await app.page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  });
});
