// Cells of the grid in Chromium: kinds, exact values, hostile texts, keys of the keyboard, access.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations, consoleUrl, makeToken, newPage, watchPages } from '../support/browser.ts';
import { eventually } from '../support/patience.ts';
import { makePlace, type Place, TablePage } from './table-page.ts';

const HOSTILE = [
  `<img src=x onerror="document.title='broken'">`,
  `javascript:document.title='broken'`,
  '=cmd()',
  `\${1+1}`,
  '{{1+1}}',
  `'"><svg onload=alert(1)>`,
  '__proto__',
];

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const STATEMENTS = [
  `CREATE TABLE kinds (id int PRIMARY KEY, big bigint, dec numeric(30,10), flo double precision, yes boolean, word text,
    at timestamptz, day date, bin bytea, doc jsonb)`,
  `INSERT INTO kinds VALUES
    (1, 9007199254740993, 0.1000000000, 'NaN', true, 'plain', '2024-02-29 12:00:00.123456+00', '2024-02-29', '\\x0001ff', '{"b": 9007199254740993, "a": "x"}'),
    (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    (3, -9223372036854775808, -12345678901234567890.0123456789, 1e300, false, '', NULL, 'infinity', '', '"text"'),
    (4, 0, 0, 0, false, 'NULL', NULL, NULL, NULL, '[]'),
    (5, 0, 0, 0, false, '   ', NULL, NULL, NULL, '5'),
    (6, 0, 0, 0, false, E'a\\nb\\tc\\r\\nd', NULL, NULL, NULL, NULL),
    (7, 0, 0, 0, false, E'a\\u202Eb\\u200Bc', NULL, NULL, NULL, NULL),
    (8, 0, 0, 0, false, repeat('x', 300), NULL, NULL, NULL, NULL),
    (9, 0, 0, 0, false, 'https://example.com/a?b=c', NULL, NULL, NULL, NULL)`,
  'CREATE TABLE hostile (id int PRIMARY KEY, word text, "<b>col</b>" text)',
  ...HOSTILE.map((text, at) => `INSERT INTO hostile VALUES (${at}, ${quote(text)}, ${quote(text)})`),
  'CREATE TABLE pairs (b text, a text, note text, PRIMARY KEY (a, b))',
  `INSERT INTO pairs VALUES ('y,z', 'x', 'found')`,
  'CREATE TABLE wide (id int PRIMARY KEY)',
  ...Array.from({ length: 120 }, (_, at) => `ALTER TABLE wide ADD c${at} int DEFAULT ${at}`),
  'INSERT INTO wide SELECT generate_series(1, 200)',
  'CREATE TABLE loose (word text)',
  `INSERT INTO loose VALUES ('a'), ('b')`,
  'CREATE TABLE nothing (id int PRIMARY KEY)',
];

describe('the grid', () => {
  let place: Place;
  let token: string;
  beforeAll(async () => {
    place = await makePlace('postgres', STATEMENTS);
    token = await makeToken(place.service, place.project);
  });
  afterAll(() => place.database.drop());
  watchPages();

  it('shows each kind of value with its digits', async () => {
    const table = await TablePage.open(place, token, 'kinds');
    const shown = async (key: string, column: string): Promise<readonly (string | null)[]> => {
      const cell = table.cell(key, column);
      return [await cell.getAttribute('data-kind'), await cell.textContent()];
    };
    expect(await shown('1', 'big')).toEqual(['number', '9007199254740993']);
    expect(await shown('1', 'dec')).toEqual(['number', '0.1000000000']);
    expect(await shown('1', 'flo')).toEqual(['number', 'NaN']);
    expect(await shown('1', 'yes')).toEqual(['boolean', 'true']);
    expect(await shown('1', 'word')).toEqual(['text', 'plain']);
    expect(await shown('1', 'at')).toEqual(['time', '2024-02-29T12:00:00.123456Z']);
    expect(await shown('1', 'day')).toEqual(['time', '2024-02-29']);
    expect(await shown('1', 'bin')).toEqual(['binary', '3 bytes']);
    expect(await shown('1', 'doc')).toEqual(['json', '{"a": "x", "b": 9007199254740993}']);
    for (const column of ['big', 'yes', 'word', 'at', 'bin', 'doc']) expect(await shown('2', column)).toEqual(['null', 'NULL']);
    expect(await shown('3', 'dec')).toEqual(['number', '-12345678901234567890.0123456789']);
    expect(await shown('3', 'word')).toEqual(['empty', '(empty)']);
    expect(await shown('3', 'bin')).toEqual(['binary', '0 bytes']);
    expect(await shown('3', 'doc')).toEqual(['json', '"text"']);
    expect(await shown('4', 'word')).toEqual(['text', 'NULL']);
    expect(await shown('5', 'word')).toEqual(['text', '   ']);
    expect(await shown('5', 'doc')).toEqual(['json', '5']);
    expect(await shown('6', 'word')).toEqual(['text', 'a⏎b⇥c⏎d']);
    expect(await shown('7', 'word')).toEqual(['text', 'a⟨U+202E⟩b⟨U+200B⟩c']);
    expect(await shown('8', 'word')).toEqual(['text', `${'x'.repeat(200)}…`]);
  });

  it('shows the whole value below, with a link only for web addresses', async () => {
    const table = await TablePage.open(place, token, 'kinds');
    await table.cell('8', 'word').click();
    expect(await table.at('cell-detail').textContent()).toBe('x'.repeat(300));
    await table.cell('9', 'word').click();
    const link = table.at('cell-detail').locator('a');
    expect(await link.getAttribute('href')).toBe('https://example.com/a?b=c');
    expect(await link.getAttribute('rel')).toBe('noreferrer noopener');
  });

  it('shows hostile texts as what they are', async () => {
    const table = await TablePage.open(place, token, 'hostile');
    for (const [at, text] of HOSTILE.entries()) {
      expect(await table.cell(String(at), 'word').textContent()).toBe(text);
      await table.cell(String(at), '<b>col</b>').click();
      expect(await table.at('cell-detail').textContent()).toBe(text);
      expect(await table.at('cell-detail').locator('a').count()).toBe(0);
    }
    expect(await table.page.title()).toContain('hostile · ');
  });

  it('addresses rows of composite keys, with a quoted comma', async () => {
    const table = await TablePage.open(place, token, 'pairs');
    await eventually(async () => expect(await table.at('row').getAttribute('data-key')).toBe('x,"y,z"'));
    await table.page.getByRole('button', { name: 'Open the row' }).click();
    await table.page.getByText('found').waitFor();
    expect(table.page.url()).toContain('/pairs/x%2C%22y%2Cz%22');
  });

  it('keeps the number of elements small in a wide table', async () => {
    const table = await TablePage.open(place, token, 'wide');
    expect(await table.page.evaluate(`document.querySelector('[data-testid="grid"]').querySelectorAll('*').length`)).toBeLessThan(4000);
    await table.cell('1', 'id').click();
    await table.page.keyboard.press('End');
    expect(await table.page.evaluate('document.activeElement.dataset.column')).toBe('c119');
    expect(await table.cell('1', 'c119').textContent()).toBe('119');
    expect(await table.at('grid').getAttribute('aria-colcount')).toBe('122');
  });

  it('moves the focus by keys, and keeps it while the row is out of sight', async () => {
    const table = await TablePage.open(place, token, 'wide');
    const { keyboard } = table.page;
    const place_ = (): Promise<unknown> =>
      table.page.evaluate(
        `[document.activeElement.closest('[aria-rowindex]').getAttribute('aria-rowindex'), document.activeElement.dataset.column].join()`,
      );
    await table.cell('1', 'id').click();
    await keyboard.press('ArrowDown');
    await keyboard.press('ArrowRight');
    expect(await place_()).toBe('3,c0');
    await keyboard.press('ArrowUp');
    await keyboard.press('ArrowUp');
    expect(await place_()).toBe('1,c0');
    await keyboard.press('Control+End');
    expect(await place_()).toBe('101,c119');
    await table.page.evaluate(`document.querySelector('[data-testid="grid"]').scrollTop = 0`);
    expect(await place_()).toBe('101,c119');
    await keyboard.press('Control+Home');
    expect(await place_()).toBe('2,id');
    await keyboard.press('PageDown');
    expect(Number(String(await place_()).split(',')[0])).toBeGreaterThan(15);
    await keyboard.press('Space');
    expect(await table.page.evaluate(`document.activeElement.closest('[role="row"]').getAttribute('aria-selected')`)).toBe('true');
    await keyboard.press('Shift+F10');
    await table.page.getByRole('menu').waitFor();
    await keyboard.press('Escape');
    expect(await table.page.getByRole('menu').count()).toBe(0);
  });

  it('sorts by a click on a header, and by more with Shift', async () => {
    const table = await TablePage.open(place, token, 'wide?id=le.3');
    await table.column('id').click();
    await eventually(async () => expect(await table.column('id').getAttribute('aria-sort')).toBe('ascending'));
    await table.column('id').click();
    await eventually(async () => expect(await table.at('row').first().getAttribute('data-key')).toBe('3'));
    expect(await table.column('id').getAttribute('aria-sort')).toBe('descending');
    await table.column('c1').click({ modifiers: ['Shift'] });
    await eventually(() => expect(table.page.url()).toContain('?id=le.3&$order=id.desc,c1'));
    await table.column('c1').click();
    await table.column('c1').click();
    await eventually(() => expect(table.page.url()).toMatch(/\?id=le\.3(?:#|$)/));
  });

  it('edits nothing without a primary key, and says why', async () => {
    const table = await TablePage.open(place, token, 'loose');
    expect(await table.at('row-select').first().isVisible()).toBe(false);
    await table.at('cell').first().dblclick();
    expect(await table.at('cell-input').count()).toBe(0);
    expect(await table.page.getByText('Without a primary key').count()).toBeGreaterThan(0);
  });

  it('offers no write to a token that only reads', async () => {
    const reader = await makeToken(place.service, place.project, { key_type: 'r--' });
    const table = await TablePage.open(place, reader, 'kinds');
    await table.cell('1', 'word').dblclick();
    for (const testId of ['cell-input', 'insert', 'delete', 'review']) expect(await table.at(testId).count()).toBe(0);
    expect(await table.at('row-select').first().isVisible()).toBe(false);
  });

  it.each(['light', 'dark'] as const)('has no violation of WCAG in the %s theme', { timeout: 120_000 }, async (scheme) => {
    for (const path of ['kinds', 'nothing', 'kinds/1', '']) {
      const options = { scheme, width: path === 'kinds' ? 1280 : 900 };
      const table =
        path === 'kinds' || path === 'nothing' ? await TablePage.open(place, token, path, options) : await openOther(path, options);
      if (path === 'kinds') await table.cell('1', 'doc').click();
      expect(await axeViolations(table.page), path).toEqual([]);
    }
    const table = await TablePage.open(place, token, 'kinds', { scheme });
    await table.at('insert').click();
    expect(await axeViolations(table.page), 'insert').toEqual([]);
    await table.page.keyboard.press('Escape');
    await table.edit('1', 'word', 'changed');
    expect(await axeViolations(table.page), 'pending').toEqual([]);
    await table.review();
    expect(await axeViolations(table.page), 'review').toEqual([]);
  });

  async function openOther(path: string, options: { scheme: 'light' | 'dark'; width: number }): Promise<TablePage> {
    const page = await newPage(options);
    await page.goto(consoleUrl(place.service, token, `data/${place.database.dbType}/${place.database.name}/${path}`));
    await page.locator('[data-testid="table"], .row-values').first().waitFor();
    return new TablePage(page);
  }

  it('does not scroll the page sideways at 360 px', async () => {
    const table = await TablePage.open(place, token, 'wide', { width: 360, height: 740 });
    expect(await table.page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  });
});
