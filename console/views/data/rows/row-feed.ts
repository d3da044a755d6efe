/** Loads rows by cursor ahead of the scroll, one request at a time. */
import { signal } from '@preact/signals';
import { context } from '../../../api/context.ts';
import { ApiError, request } from '../../../api/request.ts';
import { isGrouped, readQuery } from '../query/query.ts';
import { autoPath, type TableTarget } from '../table-target.ts';
import { readRows } from './row-page.ts';
import { RowStore } from './row-store.ts';

export const MAX_ROWS = 100_000;
const FIRST_SIZE = 100;
const MAX_SIZE = 1000;
/** Rows below the visible ones that should be there while the user scrolls. */
const AHEAD = 600;
/** Statuses with which the API refuses `$after` for a table or a query. */
const REFUSED = new Set([400, 422]);

export type FeedState = 'loading' | 'ready' | 'end' | 'error';

export class RowFeed {
  readonly store = new RowStore();
  readonly state = signal<FeedState>('loading');
  readonly error = signal<Error | undefined>(undefined);
  /** Rows that are loaded. */
  readonly loaded = signal(0);
  readonly isBusy = signal(false);
  /** `true` if there may be rows beyond the most that are loaded. */
  readonly isCut = signal(false);
  readonly #target: TableTarget;
  readonly #query: string;
  readonly #stop = new AbortController();
  #running: AbortController | undefined;
  /** Cursor of the next page; `undefined` for paging by number. */
  #cursor: string | undefined;
  #maxSize: number;
  #hasScrolled = false;

  /** `query` is that of the address, without its question mark, with the columns of the key. */
  constructor(target: TableTarget, query: string) {
    this.#target = target;
    this.#query = query;
    this.#cursor = isGrouped(readQuery(query)) ? undefined : '';
    this.#maxSize = Math.min(MAX_SIZE, context.value?.max_page_size ?? MAX_SIZE);
  }

  start(): void {
    void this.#loadNext();
  }

  /** Loads what will be needed if the rows up to `lastVisible` are shown. */
  need(lastVisible: number, visible: number, hasScrolled: boolean): void {
    this.#hasScrolled ||= hasScrolled;
    const ahead = this.#hasScrolled ? AHEAD : visible / 2;
    if (this.state.value === 'ready' && this.store.rowCount - lastVisible < ahead) void this.#loadNext();
  }

  retry(): void {
    if (this.state.value === 'error') void this.#loadNext();
  }

  /** Ends the request in progress. */
  stopLoading(): void {
    this.#running?.abort();
  }

  dispose(): void {
    this.#stop.abort();
    this.#running?.abort();
  }

  async #loadNext(): Promise<void> {
    if (this.isBusy.value || this.#stop.signal.aborted) return;
    this.isBusy.value = true;
    this.error.value = undefined;
    this.state.value = this.store.rowCount === 0 ? 'loading' : 'ready';
    this.#running = new AbortController();
    try {
      await this.#loadPage(this.#running.signal);
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#fail(error);
    } finally {
      this.isBusy.value = false;
    }
  }

  #fail(error: unknown): void {
    const stopped = this.#running?.signal.aborted === true ? new Error('Stopped. Try again when you like.') : undefined;
    this.error.value = stopped ?? (error instanceof Error ? error : new Error(String(error)));
    this.state.value = 'error';
  }

  async #loadPage(stop: AbortSignal): Promise<void> {
    const size = this.#nextSize();
    const answer = await this.#request(size, stop);
    if (answer === undefined) return this.#loadPage(stop);
    const page = readRows(answer.text, this.store.rowCount === 0 ? undefined : this.store.columns);
    this.store.add(page);
    const next = answer.headers.get('x-next-cursor') ?? undefined;
    const isLast = this.#cursor === undefined ? page.rowCount < size : next === undefined;
    if (this.#cursor !== undefined) this.#cursor = next ?? '';
    const isFull = this.store.rowCount >= MAX_ROWS;
    this.isCut.value = !isLast && isFull;
    this.state.value = isLast || isFull ? 'end' : 'ready';
    this.loaded.value = this.store.rowCount;
  }

  /** `undefined` if the page was refused and another form of the request may succeed. */
  async #request(size: number, stop: AbortSignal) {
    const pages =
      this.#cursor === undefined
        ? `pg=${this.store.rowCount / size}&ps=${size}`
        : `pg=0&ps=${size}&$after=${encodeURIComponent(this.#cursor)}`;
    const query = this.#query === '' ? pages : `${this.#query}&${pages}`;
    try {
      return await request('GET', autoPath(this.#target), { query, signal: stop, asPersona: true });
    } catch (error) {
      if (error instanceof ApiError && REFUSED.has(error.status) && this.#adapt(error, size)) return undefined;
      throw error;
    }
  }

  /** Takes smaller pages if the caller's persona demands it, and page numbers without a cursor. */
  #adapt(error: ApiError, size: number): boolean {
    const [, most] = /\bps\b.*?may be (\d+) at most/.exec(error.message) ?? [];
    if (most !== undefined && Number(most) < size) {
      this.#maxSize = Number(most);
      return true;
    }
    if (this.#cursor === undefined) return false;
    this.#cursor = undefined;
    return true;
  }

  /** Page numbers count in pages of one size, so a size must divide the rows that are loaded. */
  #nextSize(): number {
    const { rowCount } = this.store;
    const first = Math.min(FIRST_SIZE, this.#maxSize);
    if (rowCount === 0) return first;
    if (this.#cursor !== undefined) return Math.min(this.#maxSize, MAX_ROWS - rowCount);
    return rowCount % this.#maxSize === 0 ? this.#maxSize : first;
  }
}
