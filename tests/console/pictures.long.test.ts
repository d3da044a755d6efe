// The pictures of the documentation, taken from the demo. With MILLRACE_TEST_PICTURES=1 they are
// written to docs/pictures; otherwise each must exist and have the size of the present page.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPage, watchPages } from '../support/browser.ts';
import { eventually } from '../support/patience.ts';
import { type Service, startService } from '../support/service.ts';

const FOLDER = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
const SIZE = { width: 1200, height: 750 };
const NARROW = { width: 360, height: 740 };

interface Picture {
  readonly name: string;
  /** Which of the printed links is opened. */
  readonly link: RegExp;
  /** Path below the console. */
  readonly path?: string;
  readonly scheme?: 'light' | 'dark';
  readonly size?: { readonly width: number; readonly height: number };
  readonly prepare: (page: Page) => Promise<unknown>;
}

const CONSOLE = /^ {2}console +(\S+)$/m;

const PICTURES: readonly Picture[] = [
  { name: 'console-overview', link: CONSOLE, prepare: (page) => page.getByTestId('step-token').waitFor() },
  {
    name: 'console-data',
    link: CONSOLE,
    path: 'data/pg/shop/orders?status=in.new,paid&$expand=customers&$order=placed_at.desc',
    prepare: (page) => page.locator('[data-testid="row"]').nth(12).waitFor(),
  },
  {
    name: 'console-endpoint',
    link: CONSOLE,
    path: 'endpoints/get/products/search?version=1.0.0&try',
    scheme: 'dark',
    prepare: async (page) => {
      await page.getByTestId('try-run').click();
      await page.getByTestId('try-answer').waitFor();
    },
  },
  { name: 'console-modules', link: CONSOLE, path: 'modules', prepare: (page) => page.locator('.bar').waitFor() },
  { name: 'console-personas', link: CONSOLE, path: 'personas', scheme: 'dark', prepare: (page) => page.locator('.bar').waitFor() },
  { name: 'console-tokens', link: CONSOLE, path: 'tokens', prepare: (page) => page.getByTestId('token').first().waitFor() },
  { name: 'console-setup', link: CONSOLE, path: 'setup', prepare: openSetup },
  {
    name: 'console-live',
    link: CONSOLE,
    path: 'live',
    scheme: 'dark',
    prepare: (page) => page.locator('[data-testid="live-table"] tbody tr').nth(3).waitFor(),
  },
  { name: 'console-audit', link: CONSOLE, path: 'audit', prepare: (page) => page.getByTestId('audit-row').first().waitFor() },
  {
    name: 'console-data-narrow',
    link: CONSOLE,
    path: 'data/pg/shop/orders',
    size: NARROW,
    prepare: (page) => page.locator('[data-testid="row"]').nth(5).waitFor(),
  },
  { name: 'app-orders', link: /(http\S+app=orders\S*)/, scheme: 'dark', prepare: (page) => page.getByTestId('row').nth(5).waitFor() },
  { name: 'app-order', link: /(http\S+app=order&\S*)/, prepare: (page) => page.getByTestId('row').first().waitFor() },
  {
    name: 'app-sales-board-narrow',
    link: /(http\S+app=sales-board\S*)/,
    size: NARROW,
    scheme: 'dark',
    prepare: (page) => page.locator('svg[data-testid="chart"], [data-testid="chart"] svg').first().waitFor(),
  },
  {
    name: 'app-sales-board',
    link: /(http\S+app=sales-board\S*)/,
    prepare: (page) => page.locator('svg[data-testid="chart"], [data-testid="chart"] svg').nth(2).waitFor(),
  },
];

/** Opens the databases of the demo's project. */
async function openSetup(page: Page): Promise<void> {
  await page.locator('[data-testid="org"] a').click();
  await page.locator('[data-testid="project"] a').click();
  await page.getByTestId('database').first().waitFor();
}

/** Width and height in the header of a PNG. */
const sizeOf = (png: Buffer): { readonly width: number; readonly height: number } => ({
  width: png.readUInt32BE(16),
  height: png.readUInt32BE(20),
});

describe('the pictures of the documentation', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({
      command: 'start',
      startPatience: 170_000,
      env: { MILLRACE_SERVER_KEY: '', MILLRACE_ENCRYPTION_KEY: '', NODE_OPTIONS: '' },
    });
    await eventually(() => expect(service.output()).toMatch(CONSOLE));
  });
  afterAll(() => service?.stop());
  watchPages();

  it.each(PICTURES)('show the demo as it is: $name', async ({ name, link, path, scheme = 'light', size = SIZE, prepare }) => {
    const page = await newPage({ ...size, scheme });
    const address = link.exec(service.output())?.[1] ?? '';
    await page.goto(path === undefined ? address : address.replace('#', `${path}#`));
    await prepare(page);
    await page.waitForLoadState('networkidle');
    const picture = await page.screenshot();
    const file = join(FOLDER, `${name}.png`);
    if (process.env['MILLRACE_TEST_PICTURES'] !== undefined) writeFileSync(file, picture);
    expect(existsSync(file)).toBe(true);
    expect(sizeOf(readFileSync(file))).toEqual(size);
    expect(sizeOf(picture)).toEqual(size);
  });
});
