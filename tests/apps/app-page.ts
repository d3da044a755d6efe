// A page of an app in Chromium, as a viewer uses it.
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { newPage, type PageOptions } from '../support/browser.ts';
import type { ServiceClient, TestProject } from '../support/service.ts';

const YAML = { 'content-type': 'application/x-yaml' };

export async function deployApp(service: ServiceClient, project: TestProject, document: string): Promise<void> {
  const response = await service.request('POST', '/svc/app/v1', { headers: { ...project.headers, ...YAML }, body: document });
  expect(response.status, response.text).toBeLessThan(300);
}

export class AppPage {
  readonly page: Page;
  /** Requests of the page, as method and path. */
  readonly requests: readonly string[];

  constructor(page: Page, requests: readonly string[]) {
    this.page = page;
    this.requests = requests;
  }

  /** Opens `ui`. `query` has the name of the app and the values of inputs. */
  static async open(url: string, query: string, token: string, options?: PageOptions): Promise<AppPage> {
    return AppPage.at(`${url}/svc/app/v1/ui?${query}#token=${token}`, options);
  }

  static async at(address: string, options?: PageOptions): Promise<AppPage> {
    const page = await newPage(options);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(`${request.method()} ${decodeURIComponent(new URL(request.url()).pathname)}`));
    await page.goto(address);
    const app = new AppPage(page, requests);
    await app.at('app-title').waitFor();
    return app;
  }

  at(testId: string): Locator {
    return this.page.getByTestId(testId);
  }

  block(id: string): Locator {
    return this.at(`block-${id}`);
  }

  /** Waits until a block has a state. */
  async state(id: string, state: 'ready' | 'empty' | 'error' | 'waiting'): Promise<Locator> {
    await this.page.locator(`[data-testid="block-${id}"][data-state="${state}"]`).waitFor();
    return this.block(id);
  }

  /** Waits until no visible block is loading. */
  async settled(): Promise<void> {
    const loading = `[...document.querySelectorAll('[data-state="loading"]')].filter((block) => block.getClientRects().length > 0).length`;
    await expect.poll(() => this.page.evaluate(loading)).toBe(0);
  }

  async type(input: string, text: string): Promise<void> {
    await this.at(input).fill(text);
    await this.at(input).press('Tab');
  }

  get query(): string {
    return decodeURIComponent(new URL(this.page.url()).search);
  }
}
