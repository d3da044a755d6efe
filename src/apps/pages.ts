/** Pages of stored apps. Each is made once for as long as the store keeps the app in memory. */
import type { Engines } from '../engines/registry.ts';
import type { AppRecord } from '../model/app.ts';
import { runCooperatively } from '../util/concurrency/slices.ts';
import { memo } from '../util/memo.ts';
import { textOf } from './apps.ts';
import { readApp } from './document/document.ts';
import type { Audience } from './page/client-document.ts';
import { type PageAssets, renderApp } from './page/page.ts';

export class AppPages {
  readonly #engines: Engines;
  readonly #pagesOf = memo((_: AppRecord) => new Map<string, Promise<string>>());

  constructor(engines: Engines) {
    this.#engines = engines;
  }

  page(record: AppRecord, audience: Audience, assets: PageAssets, owner: string): Promise<string> {
    const pages = this.#pagesOf(record);
    const key = [audience, ...assets.scripts, ...assets.styles].join(' ');
    const known = pages.get(key) ?? this.#make(record, audience, assets, owner);
    pages.set(key, known);
    known.catch(() => pages.delete(key));
    return known;
  }

  async #make(record: AppRecord, audience: Audience, assets: PageAssets, owner: string): Promise<string> {
    const { text, type } = textOf(record);
    const { document } = await runCooperatively(readApp(text, type, this.#engines), owner);
    return renderApp(document, audience, assets);
  }
}
