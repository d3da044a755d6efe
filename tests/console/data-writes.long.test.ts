// Edits, insertions and deletions in the grid, on every engine, and what happens when others write.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeToken, watchPages } from '../support/browser.ts';
import type { EngineName } from '../support/engines.ts';
import { eventually } from '../support/patience.ts';
import { makePlace, type Place, TablePage } from './table-page.ts';

/** The same table on each engine. */
const TABLES: Readonly<Record<EngineName, string>> = {
  postgres: 'CREATE TABLE items (id bigint PRIMARY KEY, name text, price numeric(30,10), note text)',
  mysql: 'CREATE TABLE items (id bigint PRIMARY KEY, name varchar(100), price decimal(30,10), note text)',
  mariadb: 'CREATE TABLE items (id bigint PRIMARY KEY, name varchar(100), price decimal(30,10), note text)',
  clickhouse: `CREATE TABLE items (id Int64, name Nullable(String), price Nullable(Decimal(30, 10)), note Nullable(String))
    ENGINE = MergeTree ORDER BY id`,
};
const ROWS = Array.from({ length: 150 }, (_, at) => `(${at + 1}, 'Item ${at + 1}', ${at}.5, NULL)`).join(', ');
const BIG = '9007199254740993';

const statements = (engine: EngineName): readonly string[] => [
  TABLES[engine],
  `INSERT INTO items VALUES ${ROWS}`,
  `INSERT INTO items VALUES (${BIG}, 'big', 0.1, NULL)`,
];

describe.each(['postgres', 'mysql', 'mariadb', 'clickhouse'] as const)('writing in the grid on %s', (engine) => {
  let place: Place;
  let token: string;
  const isTried = engine !== 'clickhouse';
  const stored = async (columns: string, id: string) => (await place.database.run(`SELECT ${columns} FROM items WHERE id = ${id}`))[0];
  beforeAll(async () => {
    place = await makePlace(engine, statements(engine));
    token = await makeToken(place.service, place.project);
  });
  afterAll(() => place.database.drop());
  watchPages();

  it('changes one row with exact digits', async () => {
    const table = await TablePage.open(place, token, 'items?$order=id.desc');
    await table.edit(BIG, 'price', '12345678901234567890.0123456789');
    await table.edit(BIG, 'name', '');
    expect(await table.at('pending').getAttribute('data-count')).toBe('2');
    expect(await table.cell(BIG, 'price').getAttribute('data-pending')).toBe('true');
    expect(await table.review()).toBe('1');
    expect(await table.at('review-warning').count()).toBe(isTried ? 0 : 1);
    const shown = (await table.at('review-request').textContent()) ?? '';
    expect(shown).toContain(`PATCH /svc/api/rest/auto/v1/${place.database.dbType}/${place.database.name}/items/${BIG}?$max_affected=1`);
    expect(shown.includes('If-Match: W/"')).toBe(isTried);
    await table.save();
    expect(await table.cell(BIG, 'price').textContent()).toBe('12345678901234567890.0123456789');
    expect(await table.cell(BIG, 'name').getAttribute('data-kind')).toBe('empty');
    const row = await stored('name, price', BIG);
    expect(row?.['name']).toBe('');
  });

  it('changes several rows in one request, and sets NULL', async () => {
    const table = await TablePage.open(place, token, 'items');
    await table.edit('3', 'note', 'first\tsecond');
    await table.cell('4', 'name').click();
    await table.page.keyboard.press('Alt+n');
    expect(await table.cell('4', 'name').textContent()).toBe('NULL');
    expect(await table.review()).toBe('2');
    expect(await table.at('review-request').count()).toBe(isTried ? 1 : 2);
    await table.save();
    expect(await table.cell('3', 'note').textContent()).toBe('first⇥second');
    expect((await stored('note', '3'))?.['note']).toBe('first\tsecond');
    expect((await stored('name', '4'))?.['name']).toBeNull();
  });

  it('shows both rows when another client has changed the row, and loses nothing', async () => {
    const table = await TablePage.open(place, token, 'items');
    await table.edit('5', 'note', 'mine');
    const change = engine === 'clickhouse' ? 'ALTER TABLE items UPDATE' : 'UPDATE items SET';
    await place.database.run(`${change} name = 'theirs' WHERE id = 5${engine === 'clickhouse' ? ' SETTINGS mutations_sync = 1' : ''}`);
    await table.page.keyboard.press('Control+s');
    const error = table.at('review-error');
    await error.waitFor();
    for (const text of ['Item 5', 'theirs', 'mine']) expect(await error.textContent()).toContain(text);
    expect(await table.at('save').isDisabled()).toBe(true);
    await table.page.getByRole('button', { name: 'Keep my values' }).click();
    expect(await table.reviewed()).toBe('1');
    await table.save();
    expect(await stored('name, note', '5')).toEqual({ name: 'theirs', note: 'mine' });
  });

  it('inserts a row with defaults', async () => {
    const table = await TablePage.open(place, token, 'items?id=ge.1000');
    await table.at('insert').click();
    const field = (column: string) => table.page.locator(`[data-testid="field"][data-column="${column}"]`);
    await field('id').fill('9007199254740995');
    await field('price').fill('0.10');
    await table.page.locator('[data-testid="field-state"][data-column="name"]').selectOption('null');
    await table.at('insert-submit').click();
    expect(await table.reviewed()).toBe('1');
    await table.save();
    await table.row('9007199254740995').waitFor();
    expect(await stored('name, note', '9007199254740995')).toEqual({ name: null, note: null });
  });

  it('deletes chosen rows', async () => {
    const table = await TablePage.open(place, token, 'items');
    for (const key of ['10', '11']) await table.row(key).locator('[data-testid="row-select"]').click();
    await table.at('delete').click();
    expect(await table.reviewed()).toBe('2');
    expect(await table.at('save').textContent()).toBe('Delete 2 rows');
    await table.save();
    await eventually(async () => expect(await table.row('10').count()).toBe(0));
    expect(await stored('id', '11')).toBeUndefined();
  });

  it('deletes all that match only after their number is typed', async () => {
    const table = await TablePage.open(place, token, 'items?id=bw.20.130');
    await table.at('delete').click();
    expect(await table.reviewed()).toBe('111');
    expect(await table.at('save').isDisabled()).toBe(true);
    await table.at('review-typed').fill('111');
    await table.save();
    await table.at('empty').waitFor();
    expect(await stored('id', '20')).toBeUndefined();
    expect(await stored('id', '131')).toBeDefined();
  });
});

describe('writing in the grid', () => {
  let place: Place;
  let token: string;
  beforeAll(async () => {
    place = await makePlace('postgres', [
      `CREATE TABLE checked (id int PRIMARY KEY, age int CHECK (age < 150), doc jsonb, ok boolean)`,
      `INSERT INTO checked VALUES (1, 20, '{"a": 1}', true), (2, 30, NULL, NULL)`,
    ]);
    token = await makeToken(place.service, place.project);
  });
  afterAll(() => place.database.drop());
  watchPages();

  it('shows the message of the API as it is, and keeps what was typed', async () => {
    const table = await TablePage.open(place, token, 'checked');
    await table.edit('1', 'age', '200');
    await table.page.keyboard.press('Control+s');
    await table.at('review-error').waitFor();
    expect(await table.at('review-error').textContent()).toContain('violates check constraint');
    await table.page.keyboard.press('Escape');
    expect(await table.cell('1', 'age').textContent()).toBe('200');
    await table.at('discard').click();
    expect(await table.cell('1', 'age').textContent()).toBe('20');
    expect(await table.at('pending').count()).toBe(0);
  });

  it('sends JSON as it was typed, and booleans as booleans', async () => {
    const table = await TablePage.open(place, token, 'checked');
    await table.edit('2', 'doc', '{"n": 9007199254740993}');
    await table.edit('2', 'ok', 'false');
    expect(await table.review()).toBe('1');
    expect(await table.at('review-request').textContent()).toContain('{"doc": {"n": 9007199254740993}, "ok": false}');
    await table.save();
    expect(await place.database.run('SELECT doc::text, ok FROM checked WHERE id = 2')).toEqual([
      { doc: '{"n": 9007199254740993}', ok: false },
    ]);
  });

  it('does not take JSON that is not valid, and drops it with Escape', async () => {
    const table = await TablePage.open(place, token, 'checked');
    await table.cell('1', 'doc').dblclick();
    await table.at('cell-input').fill('{a}');
    await table.page.keyboard.press('Enter');
    expect(await table.page.getByText('This is not valid JSON').count()).toBe(1);
    await table.page.keyboard.press('Escape');
    expect(await table.at('cell-input').count()).toBe(0);
    expect(await table.at('pending').count()).toBe(0);
  });

  it('asks before pending changes are lost', async () => {
    const table = await TablePage.open(place, token, 'checked');
    await table.edit('1', 'age', '21');
    await table.at('nav-overview').click();
    await table.at('confirm').waitFor();
    await table.at('confirm-cancel').click();
    expect(await table.at('pending').getAttribute('data-count')).toBe('1');
    await table.at('nav-overview').click();
    await table.at('confirm-ok').click();
    await table.at('grid').waitFor({ state: 'detached' });
  });

  it('keeps pending changes while the rows are sorted', async () => {
    const table = await TablePage.open(place, token, 'checked');
    await table.edit('1', 'age', '22');
    await table.column('age').click();
    await eventually(() => expect(table.page.url()).toContain('$order=age'));
    await table.ready();
    expect(await table.cell('1', 'age').textContent()).toBe('22');
    await table.at('discard').click();
  });
});
