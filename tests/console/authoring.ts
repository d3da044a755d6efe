// Views with an editor, as an author handles them.
import type { Locator, Page } from 'playwright-core';
import { ulid } from 'ulid';
import { expect } from 'vitest';
import { withIdentifiers } from '../../console/views/endpoints/definition.ts';
import { consoleUrl, newPage, type PageOptions } from '../support/browser.ts';
import type { Place } from './table-page.ts';

/** An endpoint with exact values, a parameter and two steps. */
export const orderDefinition = (ref: string, version = '1.0.0'): string => `# The orders of a customer.
about: {summary: Orders of a customer}
permission: [reader, admin]
http:
  uri: customers/orders
  method: get
  version: ${version}
input:
  customer: {type: integer, required: true, example: 9007199254740993}
  least: {type: number, default: 0.10}
logic:
  - sql: |
      SELECT id, total, note FROM orders
      WHERE customer_id = ?:customer::bigint AND total >= ?:least::numeric
      ORDER BY id
    omit: true
  - lark: summary
    code: |
      print("rows", len(step_0))
      result = {"orders": step_0}
database:
  ref: ${ref}
`;

export const ORDERS = `CREATE TABLE orders (id bigint PRIMARY KEY, customer_id bigint, total numeric(20,2), note text);
  INSERT INTO orders VALUES (1, 9007199254740993, 12345678901234567.10, NULL), (9007199254740993, 9007199254740993, 0.10, '')`;

export async function deploy({ service, project }: Place, source: string): Promise<void> {
  const { orgId, projectId, spaces, userId } = project;
  const ids = { org_id: orgId, project_id: projectId, space_id: spaces.dev, user_id: userId, feature_id: ulid() };
  const body = withIdentifiers(source, ids);
  const response = await service.request('POST', '/svc/rest/definition/v1', {
    headers: { ...project.headers, 'content-type': 'application/x-yaml' },
    body,
  });
  expect(response.status, response.text).toBe(201);
}

export async function storeModule({ service, project }: Place, module: string, code: string): Promise<void> {
  const { orgId, projectId, spaces, userId } = project;
  const body = JSON.stringify({ org_id: orgId, project_id: projectId, space_id: spaces.dev, user_id: userId, module, code });
  const response = await service.request('POST', '/svc/code/v1/lark', {
    headers: { ...project.headers, 'content-type': 'application/x-yaml' },
    body,
  });
  expect(response.status, response.text).toBe(201);
}

export async function storePersona({ service, project }: Place, document: object): Promise<void> {
  const response = await service.request('POST', '/svc/persona/v1', { headers: project.headers, body: document });
  expect(response.status, response.text).toBe(201);
}

export class AuthoringPage {
  readonly page: Page;
  readonly text: Locator;

  constructor(page: Page) {
    this.page = page;
    this.text = page.getByTestId('editor').getByRole('textbox');
  }

  static async open({ service }: Place, token: string, path: string, options?: PageOptions): Promise<AuthoringPage> {
    const page = await newPage(options);
    await page.goto(consoleUrl(service, token, path));
    return new AuthoringPage(page);
  }

  at(testId: string): Locator {
    return this.page.getByTestId(testId);
  }

  async isChecked(state: 'valid' | 'invalid'): Promise<void> {
    await this.page.locator(`[data-testid="check"][data-state="${state}"]`).waitFor();
  }

  /** The text as the tab keeps it: what is shown may have other line breaks. */
  async draft(): Promise<string | undefined> {
    const kept = await this.page.evaluate<string | null>(
      `sessionStorage.getItem(Object.keys(sessionStorage).find((name) => name.startsWith('millrace.draft.')) ?? '')`,
    );
    return kept === null ? undefined : (JSON.parse(kept) as { text: string }).text;
  }

  fieldOf(name: string): Locator {
    return this.page.locator(`[data-testid="try-field"][data-name="${name}"]`);
  }

  step(name: string): Locator {
    return this.page.locator(`[data-testid="try-step"][data-step="${name}"]`);
  }
}
