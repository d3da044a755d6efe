// Dialogs and states of the frame in Chromium: by axe, narrow and zoomed, with targets of 24 px.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations, consoleUrl, makeToken, newPage, watchPages } from '../support/browser.ts';
import { makePlace, type Place } from './table-page.ts';

let place: Place;
let token: string;
beforeAll(async () => {
  place = await makePlace('postgres', ['CREATE TABLE items (id int PRIMARY KEY)']);
  token = await makeToken(place.service, place.project);
});
afterAll(() => place.database.drop());
watchPages();

/** Controls that are smaller than 24 px in one direction. */
const smallTargets = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`[...document.querySelectorAll('button, a[href], select, textarea, input:not([type=checkbox]), [role=option], summary')]
    .filter((element) => element.checkVisibility() && !element.closest('.skip'))
    .map((element) => [element, element.getBoundingClientRect()])
    .filter(([, { width, height }]) => width > 0 && (width < 24 || height < 24))
    .map(([element, { width, height }]) => element.outerHTML.slice(0, 80) + ' ' + width + ' x ' + height)`);

async function expectAccessible(page: Page): Promise<void> {
  // Transitions would be measured half way.
  await page.evaluate(`Promise.all(document.getAnimations()
    .filter(({ effect }) => effect.getTiming().iterations !== Infinity)
    .map(({ finished }) => finished.catch(() => {}))).then(() => {})`);
  expect(await axeViolations(page)).toEqual([]);
  expect(await smallTargets(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
}

const WINDOWS = [
  { name: 'light', scheme: 'light' },
  { name: 'dark', scheme: 'dark' },
  { name: '200 % zoom', width: 640, height: 400 },
  { name: '360 px', width: 360, height: 740 },
] as const;

describe.each(WINDOWS)('dialogs and states in $name', (options) => {
  const open = async (path: string): Promise<Page> => {
    const page = await newPage(options);
    await page.goto(consoleUrl(place.service, token, path));
    return page;
  };

  it('are accessible: login, palette, keys', async () => {
    const page = await newPage(options);
    await page.goto(`${place.service.url}/svc/console/`);
    await page.getByTestId('login-token').fill('mr_unknown');
    await page.getByTestId('login-submit').first().click();
    await page.getByTestId('login-error').waitFor();
    await expectAccessible(page);
    await page.goto(`${place.service.url}/svc/console/nothing#token=${token}`);
    await page.getByTestId('not-found').waitFor();
    for (const key of ['Control+k', '?']) {
      await page.keyboard.press(key);
      await page.locator('dialog[open]').waitFor();
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      await page.locator('dialog[open]').waitFor({ state: 'detached' });
    }
  });

  it('are accessible: a new token, and the question before one is deleted', async () => {
    const page = await open('tokens');
    await page.getByTestId('token-new').click();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByTestId('token-delete').first().click();
    await page.getByTestId('confirm').waitFor();
    await expectAccessible(page);
  });

  it('are accessible: a project, and a database that cannot be reached', async () => {
    const page = await open(`setup/${place.project.orgId}/${place.project.projectId}`);
    await page.getByTestId('database').waitFor();
    await expectAccessible(page);
    await page.getByTestId('database-new').click();
    await page.getByTestId('database-test').click();
    await page.locator('[data-testid="test-result"][data-ok="false"]').waitFor();
    await expectAccessible(page);
  });

  it('are accessible: an empty and a refused audit log, and live figures', async () => {
    const page = await open('audit?action=nothing');
    await page.getByTestId('empty').waitFor();
    await expectAccessible(page);
    await page.goto(consoleUrl(place.service, token, 'audit?from=yesterday'));
    await page.getByTestId('error').waitFor();
    await expectAccessible(page);
    await page.goto(consoleUrl(place.service, token, 'live'));
    await page.locator('[data-testid="live-table"] tbody tr').first().waitFor();
    await expectAccessible(page);
  });
});

describe('a lost connection', () => {
  it('is told once, keeps what was typed, and ends', async () => {
    const page = await newPage();
    await page.goto(consoleUrl(place.service, token, 'tokens'));
    await page.getByTestId('token-new').click();
    await page.getByTestId('token-name').fill('typed before');
    await page.getByTestId('token-roles').fill('reader');
    await page.context().setOffline(true);
    const told = page.locator('.offline');
    await told.waitFor();
    await page.getByTestId('token-create').click();
    await page.getByTestId('error').waitFor();
    expect(await told.count()).toBe(1);
    expect(await page.getByTestId('token-name').inputValue()).toBe('typed before');
    await page.context().setOffline(false);
    await told.waitFor({ state: 'detached' });
    await page.getByTestId('token-create').click();
    await page.getByTestId('token-value').waitFor();
  });
});
