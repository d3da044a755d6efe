// Chromium for tests of the pages: one per worker, a fresh profile per page. Fails on messages.
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterEach, expect } from 'vitest';
import type { ServiceClient, TestProject } from './service.ts';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Exact figures of the heap.
  '--enable-precise-memory-info',
];

/** Deadline of an action in the page. */
export const ACTION_MS = 30_000;

let launched: Promise<Browser> | undefined;
const contexts = new Set<BrowserContext>();
const problems: string[] = [];

/** The browser of this worker. It ends with the process. */
export function sharedBrowser(): Promise<Browser> {
  launched ??= chromium.launch({ executablePath: process.env['MILLRACE_TEST_CHROMIUM'] ?? '/usr/bin/chromium', args: FLAGS });
  return launched;
}

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
}

/** Chromium reports each refusal and lost connection; the page shows them to the user. */
const REFUSED = /^Failed to load resource: (?:the server responded with a status of [45]\d\d|net::ERR_)/;

/** Opens an empty page. Messages in its console fail the test. */
export async function newPage({ width = 1280, height = 800, scheme = 'light' }: PageOptions = {}): Promise<Page> {
  const browser = await sharedBrowser();
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
  contexts.add(context);
  const page = await context.newPage();
  page.setDefaultTimeout(ACTION_MS);
  page.on('console', (message) => {
    if (!REFUSED.test(message.text())) problems.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(error.stack ?? error.message));
  return page;
}

/** Closes the pages of a test, and fails it if a page has reported anything. */
export function watchPages(): void {
  afterEach(async () => {
    await closePages();
    expect(problems.splice(0)).toEqual([]);
  });
}

export async function closePages(): Promise<void> {
  const open = [...contexts];
  contexts.clear();
  await Promise.all(open.map((context) => context.close()));
}

/** Address below the console, with a token in the fragment. */
export const consoleUrl = (service: { readonly url: string }, token: string, path = ''): string =>
  `${service.url}/svc/console/${path}#token=${token}`;

export interface TokenOptions {
  readonly key_type?: string;
  readonly roles?: readonly string[];
  readonly persona?: string;
}

let tokens = 0;

/** Makes a Power Token of a project. */
export async function makeToken(service: ServiceClient, project: TestProject, options: TokenOptions = {}): Promise<string> {
  const response = await service.request('POST', '/svc/system/api/v1/token', {
    headers: project.systemHeaders,
    body: { name: `browser ${process.pid} ${++tokens}`, key_type: 'rwd', roles: ['admin'], ...options },
  });
  expect(response.status, response.text).toBe(201);
  return response.json<{ power_token: string }>().power_token;
}

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Violations of WCAG 2.2 A and AA in the page as it is. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  // The policy of the page forbids inline scripts, but not those of the debugger.
  await page.evaluate(axe.source);
  return page.evaluate(`axe.run(document, { runOnly: { type: 'tag', values: ${JSON.stringify(WCAG)} } }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ': ' + target.join(' ') + ': ' + failureSummary)))`);
}
