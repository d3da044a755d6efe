// Views of authors in full: drafts, problems, deployments, comparisons, promotions, personas.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations, makeToken, watchPages } from '../support/browser.ts';
import { AuthoringPage, deploy, ORDERS, orderDefinition, storeModule, storePersona } from './authoring.ts';
import { makePlace, type Place } from './table-page.ts';

let place: Place;
let token: string;
let ref: string;

beforeAll(async () => {
  place = await makePlace('postgres', [ORDERS]);
  ref = `pg/${place.database.name}`;
  token = await makeToken(place.service, place.project);
  await deploy(place, orderDefinition(ref));
});
afterAll(() => place.database.drop());

const open = (path: string, options = {}): Promise<AuthoringPage> => AuthoringPage.open(place, token, path, options);
const ENDPOINT = 'endpoints/get/customers/orders';

describe('the editor', () => {
  watchPages();

  it.each([
    ['blank lines and tabs', 'a: 1\n\n\nb:\t2  \n'],
    ['one line', 'only: line'],
    ['markup and expressions', `# <img src=x onerror=alert(1)> $\{1+1} =cmd()\n`],
    ['invisible characters', '# \u00a0 \u200d \u202e 👩‍👩‍👧 e\u0301\n'],
    ['thousands of lines', Array.from({ length: 2000 }, (_, n) => `# ${n} ${'x'.repeat(n % 60)}`).join('\n')],
  ])('takes %s as they are, however often it is replaced', async (_, text) => {
    const author = await open('endpoints/new');
    await author.text.fill('first: text\nsecond: line\n');
    await author.text.fill(text);
    await expect.poll(() => author.draft()).toBe(text);
    if (!text.includes('\n')) expect(await author.text.textContent()).toBe(text);
  });

  it('keeps what was typed over a reload, until it is discarded', async () => {
    const author = await open(ENDPOINT);
    await author.isChecked('valid');
    await author.text.fill('half: written');
    await author.page.reload();
    expect(await author.text.textContent()).toBe('half: written');
    await author.at('discard').click();
    await author.isChecked('valid');
    expect(await author.draft()).toBeUndefined();
  });

  it('keeps what was typed without a connection, and checks it again with one', async () => {
    const author = await open(ENDPOINT);
    await author.isChecked('valid');
    await author.page.route('**/definition/v1/**', (route) => route.abort());
    const failing: string[] = [];
    author.page.on('requestfailed', (request) => failing.push(request.url()));
    await author.text.fill(orderDefinition(ref).replace('customers/orders', 'customers/other'));
    await expect.poll(() => failing.length).toBeGreaterThan(0);
    expect(await author.at('check').textContent()).toContain('cannot be reached');
    expect(await author.draft()).toContain('customers/other');
    await author.page.unroute('**/definition/v1/**');
    await author.isChecked('valid');
  }, 60_000);

  it('goes to problems by the list and by F8, and is left with Escape and Tab', async () => {
    const author = await open(ENDPOINT);
    await author.isChecked('valid');
    await author.text.fill(orderDefinition(ref).replace('total, note', 'totall, note').replace('omit: true', 'omitt: true'));
    await author.isChecked('invalid');
    const problems = await author.at('problem').evaluateAll((all) => all.map((one) => one.getAttribute('data-line')));
    expect(problems).toContain('16');
    await author.text.click();
    await author.page.keyboard.press('F8');
    await author.page.keyboard.type('X');
    await expect.poll(() => author.draft()).toMatch(/omitt: Xtrue|Xomitt|Xtotall/);
    await author.page.keyboard.press('Escape');
    await author.page.keyboard.press('Tab');
    expect(await author.page.evaluate(`document.activeElement?.getAttribute('data-testid')`)).not.toBe('editor');
  });

  it('proposes fields, tables and columns', async () => {
    const author = await open('endpoints/new');
    await author.text.fill(orderDefinition(ref).replace('SELECT id, total, note FROM orders', 'SELECT o. FROM orders AS o'));
    const proposals = async (after: string): Promise<readonly string[]> => {
      const text = (await author.draft()) ?? '';
      const line = text.slice(0, text.indexOf(after)).split('\n').length;
      await author.text.click();
      await author.page.keyboard.press('Control+Home');
      for (let n = 1; n < line; n++) await author.page.keyboard.press('ArrowDown');
      const column = (text.split('\n')[line - 1] ?? '').indexOf(after) + after.length;
      await author.page.keyboard.press('Home');
      await author.page.keyboard.press('Home');
      for (let n = 0; n < column; n++) await author.page.keyboard.press('ArrowRight');
      await author.page.keyboard.press('Control+Space');
      await author.page.locator('.cm-tooltip-autocomplete li').first().waitFor();
      const labels = await author.page.locator('.cm-completionLabel').allTextContents();
      await author.page.keyboard.press('Escape');
      return labels;
    };
    expect(await proposals('SELECT o.')).toEqual(['customer_id', 'id', 'note', 'total']);
    expect(await proposals('FROM ')).toEqual(['orders']);
    expect(await proposals('method: ')).toContain('get');
  });
});

describe('Try', () => {
  watchPages();

  it('shows the error at its step, with the roles that were given', async () => {
    const author = await open(`${ENDPOINT}?try=1`);
    await author.at('try-status').waitFor();
    await author.at('try-roles').fill('guest');
    await author.at('try-run').click();
    await expect.poll(() => author.at('try-error').textContent()).toContain('reader, admin');
    expect(await author.at('try-status').textContent()).toBe('403');

    await author.at('try-roles').fill('reader');
    await author.text.fill(orderDefinition(ref).replace('result = {', 'fail("not today")\n      result = {'));
    await author.page.keyboard.press('Control+Enter');
    await expect.poll(() => author.step('step_1').getByTestId('try-error').count()).toBe(1);
    expect(await author.step('step_1').getByTestId('try-error').textContent()).toContain('not today');
    expect(await author.at('try-status').textContent()).toBe('422');
    expect(await author.step('step_0').getAttribute('data-ms')).toMatch(/^\d/);
  });

  it('passes on what is not of the type, and shows the message of the service', async () => {
    const author = await open(`${ENDPOINT}?try=1`);
    await author.at('try-status').waitFor();
    await author.fieldOf('customer').fill('seven');
    await author.at('try-run').click();
    await expect.poll(() => author.at('try-status').textContent()).toBe('400');
    expect(await author.at('try-error').textContent()).toContain('customer');
    expect(await author.fieldOf('customer').inputValue()).toBe('seven');
  });
});

describe('Deploy, Compare and Promote', () => {
  watchPages();

  it('deploy the next version and compare it with the one before', async () => {
    const author = await open(ENDPOINT);
    await author.isChecked('valid');
    await author.text.fill(orderDefinition(ref).replace('ORDER BY id', 'ORDER BY id DESC'));
    await author.isChecked('valid');
    await author.page.keyboard.press('Control+s');
    expect(await author.at('deploy-version').inputValue()).toBe('1.0.1');
    await author.at('deploy-version').fill('1.0.0');
    await author.at('deploy-ok').click();
    await expect.poll(() => author.at('error').textContent()).toContain('1.0.0');
    await author.at('deploy-version').fill('1.0.1');
    expect(await author.at('diff-line').allTextContents()).toContain('      ORDER BY id DESC');
    await author.at('deploy-ok').click();
    await author.page.locator('[data-testid="version"][data-version="1.0.1"]').waitFor();
    expect(await author.draft()).toBeUndefined();

    await author.at('compare-from').selectOption('1.0.0');
    await author.page.locator('[data-testid="diff-line"][data-change="removed"]').first().waitFor();
    expect(new URL(author.page.url()).search).toBe('?version=1.0.1&compare=1.0.0');
    const revision = await author.at('compare-from').locator('optgroup').nth(1).locator('option').last().getAttribute('value');
    await author.at('compare-from').selectOption(revision ?? '');
    await expect.poll(() => author.at('diff-line').allTextContents()).toContain('  version: 1.0.1');
    await author.page.goBack();
    await author.page.goBack();
    await author.text.waitFor();
  });

  it('promote after showing the effect, in spite of problems only after a question', async () => {
    await storeModule(place, 'rates', 'rate = 2\n');
    await deploy(
      place,
      orderDefinition(ref).replace('customers/orders', 'rates').replace('result =', 'load("rates", "rate")\n      result ='),
    );
    const author = await open('promote?to=staging');
    const item = author.page.locator('[data-testid="promote-item"][data-uri="rates"]');
    await item.getByRole('checkbox').check();
    await author.at('promote-problem').waitFor();
    expect(await author.at('promote-problem').textContent()).toContain('rates');
    expect(await item.getAttribute('data-state')).toBe('new');
    expect(await author.at('promote-run').count()).toBe(0);

    await author.at('promote-force').check();
    await author.at('promote-run').click();
    await author.at('confirm-cancel').click();
    await author.at('promote-modules').check();
    await expect.poll(() => author.at('promote-problem').count()).toBe(0);
    await author.page.reload();
    await author.at('promote-modules').check();
    await author.at('promote-run').click();
    expect(await author.at('promote-done').textContent()).toContain('module rates');
    const { headers, spaces } = place.project;
    const list = await place.service.request('GET', '/svc/rest/definition/v1/list', {
      headers: { ...headers, 'x-space-id': spaces.staging },
    });
    expect(list.json<{ uri: string }[]>().map(({ uri }) => uri)).toEqual(['rates']);
  });

  it('name what breaks before a module is deleted', async () => {
    const author = await open('modules/rates');
    await expect.poll(() => author.at('module-loader').allTextContents()).toEqual(['get rates 1.0.0']);
    await author.at('module-delete').click();
    expect(await author.at('confirm').textContent()).toContain('get rates 1.0.0');
    await author.at('confirm-ok').click();
    await author.at('empty').waitFor();
  });
});

describe('the rights of the caller', () => {
  watchPages();

  it('leave nothing but reading to a token that only reads', async () => {
    const reader = await makeToken(place.service, place.project, { key_type: 'r--', roles: ['reader'] });
    const author = await AuthoringPage.open(place, reader, ENDPOINT);
    await author.text.waitFor();
    for (const button of ['try', 'deploy', 'delete-version', 'discard', 'check']) expect(await author.at(button).count(), button).toBe(0);
    await author.page.getByRole('link', { name: 'Endpoints' }).last().click();
    await author.at('endpoint').first().waitFor();
    expect(await author.at('endpoint-new').count()).toBe(0);
    expect(await author.at('nav-personas').count()).toBe(0);
    await author.page.goto(`${place.service.url}/svc/console/endpoints/new`);
    await author.at('error').waitFor();
  });

  it('apply those of the viewed persona to rows', async () => {
    await storePersona(place, {
      persona: 'customer',
      roles: ['customer'],
      tables: { [`${ref}/orders`]: { read: { columns: ['id', 'total'], rows: ['id=eq.?:claims.order'] } } },
    });
    const author = await open('personas');
    await author.page.locator('[data-testid="persona"][data-persona="customer"]').click();
    await author.isChecked('valid');
    await author.at('view-as').click();
    await author.at('view-as-claims').fill('{"order": 1');
    await author.at('view-as-start').click();
    await author.at('error').waitFor();
    await author.at('view-as-claims').fill('{"order": 1}');
    await author.at('view-as-start').click();
    await author.at('persona-banner').waitFor();
    await author.page.goto(`${place.service.url}/svc/console/data/${ref}/orders`);
    await author.page.locator('[data-testid="grid"][data-state="end"]').waitFor();
    expect(await author.at('grid').getAttribute('data-rows')).toBe('1');
    expect(await author.at('column').evaluateAll((all) => all.map((one) => one.getAttribute('data-column')))).toEqual(['id', 'total']);
    await author.at('view-as-stop').click();
    await expect.poll(() => author.at('grid').getAttribute('data-rows')).toBe('2');
  });
});

describe('the look', () => {
  watchPages();
  const WIDTHS = [
    { width: 1280, scheme: 'light' as const },
    { width: 1280, scheme: 'dark' as const },
    { width: 360, scheme: 'light' as const },
  ];
  const fits = (page: Page): Promise<boolean> => page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth');

  it.each(WIDTHS)('has no violation of WCAG at $width px, $scheme', async (options) => {
    await storeModule(place, 'money', 'def double(n):\n    return n * 2\n');
    const author = await open('endpoints', options);
    const states: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['endpoints', () => author.at('endpoint').first().waitFor()],
      [`${ENDPOINT}?version=1.0.0&try=1`, () => author.at('try-status').waitFor()],
      [`${ENDPOINT}?version=1.0.0&compare=1.0.0`, () => author.at('diff').waitFor()],
      ['promote?to=staging', () => author.at('promote-item').first().waitFor()],
      ['modules', () => author.at('module').first().waitFor()],
      ['modules/money', () => author.isChecked('valid')],
      ['personas', () => author.page.locator('[data-testid="persona"], [data-testid="empty"]').first().waitFor()],
      ['personas/new', () => author.isChecked('valid')],
    ];
    for (const [path, ready] of states) {
      await author.page.goto(`${place.service.url}/svc/console/${path}`);
      await ready();
      expect(await axeViolations(author.page), path).toEqual([]);
      expect(await fits(author.page), path).toBe(true);
    }
    await author.page.goto(`${place.service.url}/svc/console/${ENDPOINT}?version=1.0.0`);
    await author.text.fill('permission: [admin]\n');
    await author.isChecked('invalid');
    expect(await axeViolations(author.page), 'problems').toEqual([]);
    await author.at('deploy').click();
    await author.at('diff').waitFor();
    expect(await axeViolations(author.page), 'deploy').toEqual([]);
  });
});
