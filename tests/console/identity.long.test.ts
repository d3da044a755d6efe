// Ways in and out of the console: tokens, spaces, the server key, a service that is busy.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consoleUrl, makeToken, newPage, watchPages } from '../support/browser.ts';
import { makePlace, type Place } from './table-page.ts';

let place: Place;
let token: string;
beforeAll(async () => {
  place = await makePlace('postgres', ['CREATE TABLE items (id int PRIMARY KEY)']);
  token = await makeToken(place.service, place.project);
});
afterAll(() => place.database.drop());
watchPages();

const CONTEXT = '**/meta/v1/context';

async function logInWithServerKey(page: Page, path = ''): Promise<void> {
  await page.goto(`${place.service.url}/svc/console/${path}`);
  await page.getByTestId('login-server-key').fill(place.project.systemHeaders['x-server-key'] ?? '');
  await page.getByTestId('login-submit').nth(1).click();
}

/** Acts as a persona from now on, as the view of personas would. */
const viewAs = (page: Page): Promise<unknown> =>
  page.evaluate(`sessionStorage.setItem('millrace.view-as', JSON.stringify({ persona: 'clerk', claims: '' }))`);

describe('spaces', () => {
  it('makes one token for each space that is chosen, and uses it again', async () => {
    const page = await newPage();
    const made: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/system/api/v1/token')) made.push(request.postData() ?? '');
    });
    await page.goto(consoleUrl(place.service, token));
    await page.getByTestId('step-rows').waitFor();
    const space = page.getByTestId('space');
    for (const name of ['staging', 'dev', 'staging', 'prod', 'staging']) {
      await space.selectOption({ label: name });
      await page.locator('.bar').getByText(`space ${name}`).waitFor();
      expect(await space.locator('option:checked').textContent()).toBe(name);
    }
    expect(made).toHaveLength(2);
    await page.getByTestId('logout').click();
    await page.getByTestId('login').waitFor();
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('mr_');
  });

  it('offers only the one in force to a token that cannot make others', async () => {
    const reader = await makeToken(place.service, place.project, { key_type: 'r--', roles: ['admin'] });
    const page = await newPage();
    await page.goto(consoleUrl(place.service, reader));
    await page.getByTestId('step-rows').waitFor();
    expect(await page.getByTestId('space').locator('option').allTextContents()).toEqual(['dev']);
  });

  it.each([
    ['the space changes', (page: Page) => page.getByTestId('space').selectOption({ label: 'staging' })],
    ['the token changes', async (page: Page) => page.evaluate(`location.hash = 'token=${await makeToken(place.service, place.project)}'`)],
    ['the user logs out', (page: Page) => page.getByTestId('logout').click()],
  ] as const)('ends looking as a persona when %s', async (_, change) => {
    const page = await newPage();
    await page.goto(consoleUrl(place.service, token, 'setup'));
    await page.getByTestId('org').waitFor();
    await viewAs(page);
    await page.reload();
    await page.getByTestId('persona-banner').waitFor();
    await change(page);
    await page.getByTestId('persona-banner').waitFor({ state: 'detached' });
    expect(await page.evaluate(`sessionStorage.getItem('millrace.view-as')`)).toBeNull();
  });
});

describe('login', () => {
  it('keeps the token when the service is busy, and goes on when it answers', async () => {
    const page = await newPage();
    await page.route(CONTEXT, (route) => route.fulfill({ status: 503, body: '{"message": "Busy; try again."}' }));
    await page.goto(consoleUrl(place.service, token));
    await page.getByTestId('error').waitFor();
    expect(await page.getByTestId('error').textContent()).toContain('Busy; try again.');
    await page.unroute(CONTEXT);
    await page.getByTestId('retry').click();
    await page.getByTestId('step-rows').waitFor();
  });

  it('can be stopped when the service does not answer', async () => {
    const page = await newPage();
    await page.route(CONTEXT, () => undefined);
    await page.goto(consoleUrl(place.service, token));
    await page.getByTestId('stop').click();
    await page.getByTestId('retry').waitFor();
    await page.unroute(CONTEXT);
    await page.getByTestId('retry').click();
    await page.getByTestId('step-rows').waitFor();
  });

  it('keeps what was typed when a token is refused', async () => {
    const page = await newPage();
    await page.goto(`${place.service.url}/svc/console/`);
    const typed = `mr_${'y'.repeat(43)}`;
    await page.getByTestId('login-token').fill(typed);
    await page.getByTestId('login-submit').first().click();
    expect(await page.getByTestId('login-error').textContent()).toContain('The Power Token is invalid, deleted or expired');
    expect(await page.getByTestId('login-token').inputValue()).toBe(typed);
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('mr_');
  });

  it('leads the holder of the server key to set-up, and shows live figures and the audit log', async () => {
    const page = await newPage();
    await logInWithServerKey(page);
    await page.getByTestId('org-new').waitFor();
    expect(page.url()).toMatch(/\/console\/setup$/);
    await page.getByTestId('nav-audit').click();
    await page.getByTestId('audit-row').first().waitFor();
    await page.getByTestId('nav-live').click();
    await page.getByTestId('live-rate').waitFor();
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })')).toBe('{}');
  });

  it('opens a project of the server key with a token for 12 hours', async () => {
    const page = await newPage();
    const { orgId, projectId } = place.project;
    await logInWithServerKey(page, `setup/${orgId}/${projectId}`);
    const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/token'));
    await page.getByTestId('project-open').click();
    const { name, key_type, roles, expires_at } = (await sent).postDataJSON();
    expect({ key_type, roles }).toEqual({ key_type: 'rwd', roles: ['admin'] });
    expect(name).toMatch(/^console \d{4}-/);
    expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(11.9 * 3_600_000);
    await page.getByTestId('step-rows').waitFor();
    expect(await page.getByTestId('space').locator('option:checked').textContent()).toBe('dev');
  });
});

describe('addresses', () => {
  it.each(['nothing', 'tokens/1', 'live/now', 'audit/1', 'setup/a/b/c'])('lead to no view at %s', async (address) => {
    const page = await newPage();
    await page.goto(consoleUrl(place.service, token, address));
    await page.getByTestId('not-found').waitFor();
  });
});

describe('rights in the page', () => {
  it.each([
    ['r--', []],
    ['rw-', ['database-new', 'token-new']],
    ['r-d', ['database-delete', 'token-delete']],
  ] as const)('shows a token of type %s only the buttons that it may use', async (key_type, shown) => {
    const page = await newPage();
    const limited = await makeToken(place.service, place.project, { key_type, roles: ['admin'] });
    const found: string[] = [];
    for (const [address, buttons] of [
      [`setup/${place.project.orgId}/${place.project.projectId}`, ['database-new', 'database-delete']],
      ['tokens', ['token-new', 'token-delete']],
    ] as const) {
      await page.goto(consoleUrl(place.service, limited, address));
      await page.locator('table.list tbody tr').first().waitFor();
      for (const button of buttons) if ((await page.getByTestId(button).count()) > 0) found.push(button);
    }
    expect(found.sort()).toEqual([...shown].sort());
  });
});

describe('keys of the whole console', () => {
  it('open and close the palette and the list of keys, and give the focus back', async () => {
    const page = await newPage();
    await page.goto(consoleUrl(place.service, token));
    const home = page.getByTestId('nav-overview');
    await home.focus();
    const focusIsBack = (): Promise<boolean> => home.evaluate((link) => link.ownerDocument.activeElement === link);
    for (const key of ['Control+k', '/']) {
      await page.keyboard.press(key);
      await page.getByTestId('palette').waitFor();
      await page.keyboard.press('Escape');
      await page.getByTestId('palette').waitFor({ state: 'detached' });
      expect(await focusIsBack()).toBe(true);
    }
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await focusIsBack()).toBe(true);
  });

  it('find a table and open it', async () => {
    const page = await newPage();
    await page.goto(consoleUrl(place.service, token));
    await page.getByTestId('step-rows').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByTestId('palette-input').fill('items');
    await page.getByTestId('palette-item').filter({ hasText: 'items' }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.getByTestId('grid').waitFor();
    expect(page.url()).toContain('/items');
  });
});

describe('live figures', () => {
  it('are not asked for while the page is hidden', async () => {
    const page = await newPage();
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/live') && request.method() === 'GET' && request.resourceType() === 'fetch') asked++;
    });
    await page.goto(consoleUrl(place.service, token, 'live'));
    await page.getByTestId('live-rate').waitFor();
    const setHidden = (hidden: boolean): Promise<unknown> =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`);
    await setHidden(true);
    const before = asked;
    // Longer than the time between two questions.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 3000))');
    expect(asked).toBe(before);
    await setHidden(false);
    await expect.poll(() => asked).toBeGreaterThan(before);
  });
});

describe('names that look like HTML', () => {
  it('are shown as they are in tokens, set-up and titles', async () => {
    const page = await newPage();
    const name = `<img src=x onerror="document.title='owned'">`;
    await page.goto(consoleUrl(place.service, token, 'tokens'));
    await page.getByTestId('token-new').click();
    await page.getByTestId('token-name').fill(name);
    await page.getByTestId('token-roles').fill('reader');
    await page.getByTestId('token-create').click();
    await page.getByTestId('token-value').waitFor();
    await page.getByTestId('token-done').click();
    const row = page.getByTestId('token').filter({ hasText: '<img src=x' });
    await row.waitFor();
    expect(await row.getAttribute('data-name')).toBe(name);
    expect(await page.locator('img').count()).toBe(0);
    await row.getByTestId('token-delete').click();
    expect(await page.getByTestId('confirm').textContent()).toContain('<img src=x');
    await page.getByTestId('confirm-ok').click();
    await row.waitFor({ state: 'detached' });
    expect(await page.title()).toMatch(/^Tokens · .+ · Millrace$/);
  });
});
