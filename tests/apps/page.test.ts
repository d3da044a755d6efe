// The page of an app in Chromium, briefly: numbers, an input, a chart, a form. The long file has
// the rest.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makePlace, type Place } from '../console/table-page.ts';
import { makeToken, watchPages } from '../support/browser.ts';
import { AppPage, deployApp } from './app-page.ts';

const TABLE = `CREATE TABLE items (id bigint PRIMARY KEY, name text, price numeric(30,2));
  INSERT INTO items VALUES (1, 'Lamp', 9007199254740993.10), (2, NULL, 0.10), (3, 'Bowl', 5)`;

describe('the page of an app', () => {
  let place: Place;
  let token: string;
  beforeAll(async () => {
    place = await makePlace('postgres', [TABLE]);
    token = await makeToken(place.service, place.project);
    const from = `pg/${place.database.name}/items`;
    await deployApp(
      place.service,
      place.project,
      `app: items
title: Items
permission: [admin]
inputs: {most: {type: integer, minimum: 1}}
blocks:
  - metric: {from: ${from}, filters: ['id=le.?:most'], value: sum.price}
    id: total
  - chart: {from: ${from}, kind: bar, x: id, y: price}
    id: chart
  - table: {from: ${from}, filters: ['id=le.?:most'], order: [id.asc]}
    id: items
  - form: {insert: ${from}, button: Add, done: 'Added {id}'}
    id: add
`,
    );
  });
  afterAll(() => place.database.drop());
  watchPages();

  it('shows exact values, keeps inputs in the address, and sends a form', async () => {
    const app = await AppPage.open(place.service.url, 'app=items', token);
    const total = await app.state('total', 'ready');
    expect(await total.getByTestId('metric-value').textContent()).toBe('9007199254740998.20');
    await (await app.state('chart', 'ready')).locator('[data-testid="chart"] svg').waitFor();

    await app.type('input-most', '2');
    expect(app.query).toBe('?app=items&most=2');
    const items = await app.state('items', 'ready');
    await expect.poll(() => items.getByTestId('row').count()).toBe(2);
    expect(await items.locator('[data-null]').count()).toBe(1);

    const form = await app.state('add', 'ready');
    await form.getByTestId('field-id').fill('9007199254740995');
    await form.getByTestId('field-price').fill('0.30');
    await form.getByTestId('submit').click();
    await form.getByTestId('form-done').waitFor();
    expect(await place.database.run(`SELECT id::text, name, price::text FROM items WHERE id > 3`)).toEqual([
      { id: '9007199254740995', name: null, price: '0.30' },
    ]);
  });
});
