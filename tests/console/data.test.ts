// The data view in Chromium, briefly: rows, an edit and its review. The long files have the rest.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeToken, watchPages } from '../support/browser.ts';
import { makePlace, type Place, TablePage } from './table-page.ts';

const TABLE = `CREATE TABLE items (id bigint PRIMARY KEY, name text, price numeric(12,2));
  INSERT INTO items SELECT n, 'Item ' || n, n / 10.0 FROM generate_series(1, 150) AS n;
  INSERT INTO items VALUES (9007199254740993, NULL, 0.10)`;

describe('the data view', () => {
  let place: Place;
  let token: string;
  beforeAll(async () => {
    place = await makePlace('postgres', [TABLE]);
    token = await makeToken(place.service, place.project);
  });
  afterAll(() => place.database.drop());
  watchPages();

  it('shows exact values, and saves what was typed after a dry run', async () => {
    const table = await TablePage.open(place, token, 'items?$order=id.desc');
    const key = '9007199254740993';
    expect(await table.cell(key, 'price').textContent()).toBe('0.10');
    expect(await table.cell(key, 'name').getAttribute('data-kind')).toBe('null');
    expect(await table.at('grid').getAttribute('data-rows')).toBe('100');

    await table.edit(key, 'price', '123456789.10');
    expect(await table.at('pending').getAttribute('data-count')).toBe('1');
    expect(await table.review()).toBe('1');
    expect(await table.at('review-request').textContent()).toContain(`/items/${key}?$max_affected=1`);
    await table.save();
    expect(await table.cell(key, 'price').textContent()).toBe('123456789.10');
    expect(await place.database.run(`SELECT price::text FROM items WHERE id = ${key}`)).toEqual([{ price: '123456789.10' }]);
  });
});
