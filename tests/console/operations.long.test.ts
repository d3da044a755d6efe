// Login, set-up, live figures and audit in Chromium; every view by axe, light, dark and narrow.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations, consoleUrl, makeToken, newPage, watchPages } from '../support/browser.ts';
import { ENGINE_NAMES } from '../support/engines.ts';
import { deploy, ORDERS, orderDefinition } from './authoring.ts';
import { makePlace, type Place } from './table-page.ts';

const TABLE = ['CREATE TABLE items (id int PRIMARY KEY, name varchar(20))'];
const VIEWS = ['', 'data', 'endpoints', 'modules', 'personas', 'tokens', 'setup', 'live', 'audit'];

let place: Place;
let token: string;
beforeAll(async () => {
  place = await makePlace('postgres', TABLE);
  token = await makeToken(place.service, place.project);
});
afterAll(() => place.database.drop());
watchPages();

describe('login', () => {
  it('shows the message of the service when a token is unknown, and lets a good one in', async () => {
    const page = await newPage();
    await page.goto(`${place.service.url}/svc/console/`);
    await page.getByTestId('login-token').fill(`mr_${'x'.repeat(43)}`);
    await page.getByTestId('login-submit').first().click();
    await page.getByTestId('login-error').waitFor();
    await page.getByTestId('login-token').fill(token);
    await page.getByTestId('login-submit').first().click();
    await page.getByTestId('step-rows').waitFor();
    await page.reload();
    await page.getByTestId('step-rows').waitFor();
    await page.getByTestId('logout').click();
    await page.getByTestId('login').waitFor();
    await page.reload();
    await page.getByTestId('login').waitFor();
  });

  it('offers set-up, live figures and audit to the server key, and forgets it on reload', async () => {
    const page = await newPage();
    await page.goto(`${place.service.url}/svc/console/setup`);
    await page.getByTestId('login-server-key').fill(place.project.systemHeaders['x-server-key'] ?? '');
    await page.getByTestId('login-submit').nth(1).click();
    await page.getByTestId('org-new').waitFor();
    expect(
      await page.locator('[data-testid^="nav-"]').evaluateAll((links) => links.map((link) => link.getAttribute('data-testid'))),
    ).toEqual(['nav-setup', 'nav-live', 'nav-audit']);
    await page.reload();
    await page.getByTestId('login').waitFor();
  });

  it('shows a caller without rights nothing of set-up, and its address answers with the refusal', async () => {
    const reader = await makeToken(place.service, place.project, { key_type: 'r--', roles: ['reader'] });
    const page = await newPage();
    await page.goto(consoleUrl(place.service, reader));
    await page.getByTestId('step-rows').waitFor();
    for (const name of ['tokens', 'setup', 'live', 'audit', 'personas']) expect(await page.getByTestId(`nav-${name}`).count()).toBe(0);
    await page.goto(consoleUrl(place.service, reader, 'tokens'));
    await page.getByTestId('error').waitFor();
    expect(await page.getByTestId('error').textContent()).toMatch(/admin/);
  });
});

describe('set-up', () => {
  it('creates an organization and a project with the server key, and opens the project', async () => {
    const page = await newPage();
    const name = `made-${process.pid}`;
    await page.goto(`${place.service.url}/svc/console/setup`);
    await page.getByTestId('login-server-key').fill(place.project.systemHeaders['x-server-key'] ?? '');
    await page.getByTestId('login-submit').nth(1).click();
    await page.getByTestId('org-new').click();
    await page.getByTestId('org-name').fill('Made here');
    await page.getByTestId('org-abbreviation').fill(name);
    await page.getByTestId('org-save').click();
    await page.locator(`[data-testid="org"][data-abbreviation="${name}"] a`).click();
    await page.getByTestId('project-new').click();
    await page.getByTestId('project-name').fill('First');
    await page.getByTestId('project-abbreviation').fill('first');
    await page.getByTestId('project-save').click();
    await page.getByTestId('database-new').waitFor();
    await page.getByTestId('empty').getByRole('button').click();
    await page.getByTestId('database-host').waitFor();
    await page.keyboard.press('Escape');
    await page.getByTestId('project-open').click();
    await page.getByTestId('step-token').waitFor();
    expect(await page.getByTestId('space').inputValue()).not.toBe('');
  });

  it.each(ENGINE_NAMES)('tests and registers a database on %s, and keeps its password out of the page', async (engine) => {
    const other = await makePlace(
      engine,
      engine === 'clickhouse' ? ['CREATE TABLE items (id Int32) ENGINE = MergeTree ORDER BY id'] : TABLE,
    );
    try {
      const { host_details, username, password, db_name, db_type } = other.database.entry();
      const [{ host, port } = { host: '', port: '' }] = host_details ?? [];
      const page = await newPage();
      await page.goto(consoleUrl(place.service, token, `setup/${place.project.orgId}/${place.project.projectId}`));
      await page.getByTestId('database-new').click();
      await page.getByTestId('database-type').selectOption(db_type);
      await page.getByTestId('database-host').fill(host);
      await page.getByTestId('database-port').fill('1');
      await page.getByTestId('database-name').fill(db_name);
      await page.getByTestId('database-username').fill(username);
      await page.getByTestId('database-password').fill(password);
      await page.getByTestId('database-test').click();
      await page.locator('[data-testid="test-result"][data-ok="false"]').waitFor();
      await page.getByTestId('database-port').fill(String(port));
      await page.getByTestId('database-test').click();
      await page.locator('[data-testid="test-result"][data-ok="true"]').waitFor();
      await page.getByTestId('database-save').click();
      const row = page.locator(`[data-testid="database"][data-ref="${db_type}/${db_name}"]`);
      await row.waitFor();
      if (password.length > 3) expect(await page.content()).not.toContain(password);
    } finally {
      await other.database.drop();
    }
  });
});

describe('a registered database', () => {
  it('is changed without its password, which is used with its registered host only', async () => {
    const page = await newPage();
    await page.goto(consoleUrl(place.service, token, `setup/${place.project.orgId}/${place.project.projectId}`));
    await page.getByRole('button', { name: `Change ${place.database.name}` }).click();
    expect(await page.getByTestId('database-password').inputValue()).toBe('');
    await page.getByTestId('database-test').click();
    await page.locator('[data-testid="test-result"][data-ok="true"]').waitFor();
    await page.getByTestId('database-host').fill('localhost.');
    await page.getByTestId('database-test').click();
    await page.locator('[data-testid="test-result"][data-ok="false"]').getByText('send the password').waitFor();
    await page.getByTestId('database-host').fill('127.0.0.1');
    await page.getByTestId('database-read-only').check();
    await page.getByTestId('database-save').click();
    await page.getByTestId('database').getByText('read only').waitFor();
    await page.getByRole('button', { name: `Change ${place.database.name}` }).click();
    await page.getByTestId('database-read-only').uncheck();
    await page.getByTestId('database-save').click();
    await page.getByTestId('database').getByText('read only').waitFor({ state: 'detached' });
  });
});

describe('the overview', () => {
  it('leads to a trial filled with examples, and its curl line succeeds', async () => {
    const own = await makePlace('postgres', [ORDERS]);
    try {
      await deploy(own, orderDefinition(`pg/${own.database.name}`));
      const ownToken = await makeToken(own.service, own.project);
      const page = await newPage();
      await page.goto(consoleUrl(own.service, ownToken));
      const step = page.getByTestId('step-endpoint');
      await step.waitFor();
      const line = await page.locator('.step', { has: step }).locator('code').textContent();
      const [, url = ''] = /'(http[^']+)'/.exec(line ?? '') ?? [];
      expect(url).toContain('customer=');
      expect((await fetch(url, { headers: { authorization: `Bearer ${ownToken}` } })).status).toBe(200);
      await step.click();
      const field = page.locator('[data-testid="try-field"][data-name="customer"]');
      await field.waitFor();
      await page.goBack();
      await step.waitFor();
    } finally {
      await own.database.drop();
    }
  });
});

describe('live figures and audit', () => {
  it('show requests a second, a pool, and what was changed', async () => {
    const page = await newPage();
    await page.goto(consoleUrl(place.service, token, 'data/pg'));
    await page.goto(consoleUrl(place.service, token, 'live'));
    await expect.poll(() => page.getByTestId('live-rate').textContent(), { timeout: 20_000 }).toMatch(/^\d/);
    expect(await page.locator('[data-testid="live-table"] tbody tr').count()).toBeGreaterThan(0);
    await page.goto(consoleUrl(place.service, token, 'audit?action=token.create'));
    await page.locator('[data-testid="audit-row"][data-action="token.create"]').first().waitFor();
    expect(await page.locator('[data-testid="audit-row"]:not([data-action="token.create"])').count()).toBe(0);
  });
});

describe.each(['light', 'dark'] as const)('every view in the %s theme', (scheme) => {
  it.each(VIEWS)('has no violation of WCAG 2.2 AA, and fits 360 px: %s', async (view) => {
    const page = await newPage({ scheme, width: 360, height: 740 });
    await page.goto(consoleUrl(place.service, token, view));
    await page.locator('.bar').waitFor();
    await page.waitForLoadState('networkidle');
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  });
});
