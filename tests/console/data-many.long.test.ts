// 100,000 rows in the grid: number of elements, heap, requests, and CPU of scrolling.
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeToken, newPage, watchPages } from '../support/browser.ts';
import { makePlace, type Place, TablePage } from './table-page.ts';

const ROWS = 100_500;
const MOST = 100_000;
const TABLE = `CREATE TABLE many (id bigint PRIMARY KEY, a text, b text, c numeric(12,2), d timestamptz, e int, f boolean, g text, h text, i uuid);
  INSERT INTO many SELECT n, 'Name ' || n, md5(n::text), n / 7.0, timestamptz '2024-01-01' + n * interval '1 minute',
    n * 7 % 1000, n % 3 = 0, CASE WHEN n % 5 > 0 THEN 'Text of row ' || n END, '', md5(n::text)::uuid FROM generate_series(1, ${ROWS}) AS n`;

const FRAMES = 240;
const STEP = 120;

describe('a grid of 100,000 rows', () => {
  let place: Place;
  let token: string;
  beforeAll(async () => {
    place = await makePlace('postgres', [TABLE]);
    token = await makeToken(place.service, place.project);
  });
  afterAll(() => place.database.drop());
  watchPages();

  it('loads ahead of the scroll with one request at a time, and stops at the limit', { timeout: 240_000 }, async () => {
    const table = await TablePage.open(place, token, 'many');
    let running = 0;
    let most = 0;
    let requests = 0;
    const isRows = (url: string): boolean => url.includes('/many?');
    table.page.on('request', (request) => {
      if (!isRows(request.url())) return;
      requests++;
      most = Math.max(most, ++running);
    });
    table.page.on('requestfinished', (request) => void (isRows(request.url()) && running--));
    await table.page.evaluate(TO_THE_END);
    expect(await table.at('grid').getAttribute('data-state')).toBe('end');
    expect(await table.at('grid').getAttribute('aria-rowcount')).toBe('-1');
    expect(most).toBe(1);
    expect(requests).toBeLessThanOrEqual(101);
    expect(await table.page.getByText('The first 100,000 rows are shown').count()).toBe(1);
    expect(await table.at('row').last().getAttribute('aria-rowindex')).toMatch(/^(?:99\d{3}|10000\d)$/);
    expect(await table.page.evaluate(`document.querySelector('[data-testid="grid"]').querySelectorAll('*').length`)).toBeLessThan(4000);
    const session = await table.page.context().newCDPSession(table.page);
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    expect(usedSize / 2 ** 20).toBeLessThan(300);
  });

  it('scrolls for a small multiple of the CPU of a page that only replaces texts', { timeout: 240_000 }, async () => {
    const bare = await newPage();
    await bare.setContent('<pre id="rows" style="height: 700px; overflow: hidden"></pre>');
    await bare.evaluate(FILL_BARE);
    const bareCost = await cpuOfFrames(bare, BARE_FRAMES);
    const table = await TablePage.open(place, token, 'many');
    await table.page.evaluate(TO_ROWS(2000));
    const few = await cpuOfFrames(table.page, GRID_FRAMES);
    await table.page.evaluate(TO_THE_END);
    const many = await cpuOfFrames(table.page, GRID_FRAMES);
    process.stderr.write(`CPU a frame: bare ${bareCost.toFixed(2)} ms, 2,000 rows ${few.toFixed(2)} ms, all rows ${many.toFixed(2)} ms\n`);
    expect(few / bareCost).toBeLessThan(3);
    expect(many / few).toBeLessThan(1.3);
  });
});

/** Scrolls to the end until no more rows are loaded. */
const TO_ROWS = (rows: number): string => `new Promise((resolve) => {
  const grid = document.querySelector('[data-testid="grid"]');
  const step = () => {
    if (grid.dataset.state !== 'ready' || Number(grid.dataset.rows) >= ${rows}) return resolve();
    grid.scrollTop = grid.scrollHeight;
    setTimeout(step, 20);
  };
  step();
})`;
const TO_THE_END = TO_ROWS(MOST + 1);

const frames = (change: string): string => `new Promise((resolve) => {
  let frame = 0;
  const step = () => {
    if (frame++ === ${FRAMES}) return resolve();
    ${change}
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`;

const FILL_BARE = `{
  const rows = document.querySelector('#rows');
  for (let row = 0; row < 36; row++) {
    const line = rows.appendChild(document.createElement('div'));
    for (let cell = 0; cell < 10; cell++) line.appendChild(document.createElement('span')).textContent = 'Text ' + row + ' ' + cell;
  }
}`;
const BARE_FRAMES = frames(`for (let at = 0; at < 5; at++) {
  const rows = document.querySelector('#rows');
  const line = rows.firstChild;
  for (const cell of line.children) cell.textContent = 'Text ' + frame + ' ' + at;
  rows.append(line);
}`);
const GRID_FRAMES = `document.querySelector('[data-testid="grid"]').scrollTop = 2000, ${frames(
  `document.querySelector('[data-testid="grid"]').scrollTop += ${STEP};`,
)}`;

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** CPU of the main thread for one frame, in ms, from Chromium's trace. */
async function cpuOfFrames(page: Page, script: string): Promise<number> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: ['toplevel', '__metadata'] } });
  await page.evaluate(script);
  await endTracing(session);
  const mains = new Set(
    events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain').map(({ pid, tid }) => `${pid}/${tid}`),
  );
  const tasks = events.filter(({ name, pid, tid }) => name.endsWith('RunTask') && mains.has(`${pid}/${tid}`));
  return tasks.reduce((sum, { tdur = 0 }) => sum + tdur, 0) / 1000 / FRAMES;
}

async function endTracing(session: CDPSession): Promise<void> {
  const ended = new Promise<void>((resolve) => session.once('Tracing.tracingComplete', () => resolve()));
  await session.send('Tracing.end');
  await ended;
  await session.detach();
}
