// A table in the console's data view, as a user handles it.
import type { Locator, Page } from 'playwright-core';
import { consoleUrl, newPage, type PageOptions } from '../support/browser.ts';
import { createDatabase, type EngineName, type TestDatabase } from '../support/engines.ts';
import { type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';

export interface Place {
  readonly service: Service;
  readonly project: TestProject;
  readonly database: TestDatabase;
}

/** A database of one engine, registered in a project of its own. */
export async function makePlace(engine: EngineName, statements: readonly string[]): Promise<Place> {
  const service = await sharedService();
  const database = await createDatabase(engine);
  for (const statement of statements) await database.run(statement);
  const project = await setUpProject(service, [database.entry()]);
  return { service, project, database };
}

export class TablePage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  static async open({ service, database }: Place, token: string, path: string, options?: PageOptions): Promise<TablePage> {
    const page = await newPage(options);
    await page.goto(consoleUrl(service, token, `data/${database.dbType}/${database.name}/${path}`));
    const table = new TablePage(page);
    await table.ready();
    return table;
  }

  at(testId: string): Locator {
    return this.page.locator(`[data-testid="${testId}"]`);
  }

  /** Waits for the first rows. */
  async ready(): Promise<void> {
    await this.page.locator('[data-testid="grid"]:is([data-state="ready"], [data-state="end"])').waitFor();
  }

  row(key: string): Locator {
    return this.page.locator(`[data-testid="row"][data-key=${JSON.stringify(key)}]`);
  }

  cell(key: string, column: string): Locator {
    return this.row(key).locator(`[data-testid="cell"][data-column=${JSON.stringify(column)}]`);
  }

  column(name: string): Locator {
    return this.page.locator(`[data-testid="column"][data-column=${JSON.stringify(name)}]`);
  }

  /** Types a value into a cell and keeps it as pending. */
  async edit(key: string, column: string, text: string): Promise<void> {
    await this.cell(key, column).click();
    await this.page.keyboard.press('Enter');
    await this.at('cell-input').fill(text);
    await this.page.keyboard.press('Enter');
  }

  /** Opens the review and waits for its count. */
  async review(): Promise<string | null> {
    await this.page.keyboard.press('Control+s');
    return this.reviewed();
  }

  async reviewed(): Promise<string | null> {
    return this.at('review-count').textContent();
  }

  async save(): Promise<void> {
    await this.at('save').click();
    await this.at('review-dialog').waitFor({ state: 'detached' });
  }
}
