// Endpoints, modules and personas in Chromium, briefly. The long files have the rest.
import { readdirSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeToken, watchPages } from '../support/browser.ts';
import { AuthoringPage, deploy, ORDERS, orderDefinition, storeModule, storePersona } from './authoring.ts';
import { makePlace, type Place } from './table-page.ts';

describe('the views of authors', () => {
  let place: Place;
  let token: string;
  beforeAll(async () => {
    place = await makePlace('postgres', [ORDERS]);
    await storeModule(place, 'money', 'def double(n):\n    return n * 2\n');
    await storePersona(place, { persona: 'clerk', roles: ['clerk'], tables: {} });
    await deploy(place, orderDefinition(`pg/${place.database.name}`));
    token = await makeToken(place.service, place.project);
  });
  afterAll(() => place.database.drop());
  watchPages();

  it('try an endpoint with exact values and find its problems', async () => {
    const author = await AuthoringPage.open(place, token, 'endpoints');
    await author.page.locator('[data-testid="endpoint"][data-uri="customers/orders"][data-default="true"]').click();
    await author.isChecked('valid');
    await author.at('try').click();
    await author.at('try-run').click();
    expect(await author.at('try-status').textContent()).toBe('200');
    expect(await author.at('try-answer').textContent()).toContain('"total": 12345678901234567.10');
    expect(await author.step('step_0').getByTestId('try-parameters').textContent()).toContain('9007199254740993');
    await author.text.fill('permission: [admin]\nnothing: here\n');
    await author.page.locator('[data-testid="problem"][data-line="2"]').first().waitFor();
  });

  it('show who loads a module, and its check', async () => {
    const author = await AuthoringPage.open(place, token, 'modules/money');
    await author.isChecked('valid');
    await author.text.fill('def f(x):\n    return y\n');
    await author.page.locator('[data-testid="problem"][data-line="2"]').waitFor();
  });

  it('look through the eyes of a persona', async () => {
    const author = await AuthoringPage.open(place, token, 'personas/clerk');
    await author.isChecked('valid');
    await author.at('view-as').click();
    await author.at('view-as-start').click();
    await author.at('persona-banner').waitFor();
  });
});

describe('the code of the editor', () => {
  const MAX_BYTES = 200_000;
  const assets = 'dist/console/assets';

  it('stays within its budget when compressed', () => {
    const editor = readdirSync(assets).filter((name) => name.startsWith('create-editor-') && name.endsWith('.gz'));
    expect(editor).toHaveLength(1);
    for (const name of editor) expect(statSync(`${assets}/${name}`).size).toBeLessThan(MAX_BYTES);
  });
});
