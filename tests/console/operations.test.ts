// Overview, tokens and set-up in Chromium, briefly. The long file has the rest.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consoleUrl, makeToken, newPage, watchPages } from '../support/browser.ts';
import { makePlace, type Place } from './table-page.ts';

describe('the console', () => {
  let place: Place;
  let token: string;
  beforeAll(async () => {
    place = await makePlace('postgres', ['CREATE TABLE first (id int PRIMARY KEY); INSERT INTO first VALUES (1)']);
    token = await makeToken(place.service, place.project);
  });
  afterAll(() => place.database.drop());
  watchPages();

  it('opens with a token in the fragment, which leaves the address, and leads to rows', async () => {
    const page = await newPage();
    await page.goto(consoleUrl(place.service, token));
    const rows = page.getByTestId('step-rows');
    await rows.waitFor();
    expect(page.url()).not.toContain(token);
    expect(await rows.getAttribute('data-done')).toBe('true');
    expect(await page.getByTestId('step-database').getAttribute('data-done')).toBe('true');
    await rows.click();
    await page.locator('[data-testid="row"]').first().waitFor();
    expect(page.url()).toContain('/first');
  });

  it('creates a token whose value is shown once', async () => {
    const page = await newPage();
    await page.goto(consoleUrl(place.service, token, 'tokens'));
    await page.getByTestId('token-new').click();
    await page.getByTestId('token-name').fill('browser made');
    await page.getByTestId('token-type').selectOption('r--');
    await page.getByTestId('token-roles').fill('reader, clerk');
    await page.getByTestId('token-create').click();
    const value = await page.getByTestId('token-value').textContent();
    expect(value).toMatch(/^mr_/);
    await page.getByTestId('token-done').click();
    const row = page.locator('[data-testid="token"][data-name="browser made"]');
    expect(await row.textContent()).toContain('reader, clerk');
    expect(await page.content()).not.toContain(value);
  });
});
