// Identity of a tab in Chromium, briefly. The long file has the rest.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consoleUrl, makeToken, newPage, watchPages } from '../support/browser.ts';
import { makePlace, type Place } from './table-page.ts';

describe('the identity of a tab', () => {
  let place: Place;
  let token: string;
  beforeAll(async () => {
    place = await makePlace('postgres', []);
    token = await makeToken(place.service, place.project);
  });
  afterAll(() => place.database.drop());
  watchPages();

  it('follows a link with another token in the open tab, and removes it from the address', async () => {
    const reader = await makeToken(place.service, place.project, { key_type: 'r--', roles: ['reader'] });
    const page = await newPage();
    await page.goto(consoleUrl(place.service, token));
    await page.getByTestId('nav-setup').waitFor();
    await page.evaluate(`location.hash = 'token=${reader}'`);
    await page.getByTestId('nav-setup').waitFor({ state: 'detached' });
    await page.getByTestId('step-rows').waitFor();
    expect(await page.getByTestId('me').textContent()).toContain('reader');
    expect(page.url()).not.toContain('mr_');
  });
});
