/**
 * Long results: memory stays bounded, readers can pause, and an interrupted result is a failure,
 * never fewer rows.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Connection } from '../../../src/engines/contract/engine.ts';
import type { Backpressure, Cells, RowSink } from '../../../src/model/cells.ts';
import { PATIENCE } from '../../support/patience.ts';
import { FaultProxy } from '../../support/proxy.ts';
import { command, failureOf, Kept, open, PORTS, RUN, rowsOf, server } from './support.ts';

const NUMBER = [{ name: 'n', kind: 'int' }] as const;

/** Counts rows, and pauses regularly. */
class Slow implements RowSink {
  rows = 0;
  sum = 0n;
  pauses = 0;
  latest = 0;
  #flow: Backpressure | undefined;

  start(_: unknown, flow: Backpressure): void {
    this.#flow = flow;
  }

  row(cells: Cells): void {
    this.rows += 1;
    this.sum += BigInt(cells.bytes.toString('latin1', cells.from[0], cells.to[0]));
    if (this.rows % 100_000 !== 0) return;
    this.pauses += 1;
    this.#flow?.pause();
    setTimeout(() => this.#flow?.resume(), 20);
  }
}

async function running(monitor: Connection, marker: string): Promise<number> {
  const text = `SELECT count() FROM system.processes WHERE position(query, '${marker}') > 0 AND position(query, 'system.processes') = 0`;
  return Number((await rowsOf(monitor, text)).rows[0]?.[0]);
}

describe.each(PORTS)('over the %s port', (label, port) => {
  let connection: Connection;
  let monitor: Connection;
  let proxy: FaultProxy;

  beforeAll(async () => {
    connection = await open(port);
    monitor = await open(port);
    proxy = await FaultProxy.start({ host: server.hostname, port });
  });

  afterAll(async () => {
    connection.close();
    monitor.close();
    await proxy.stop();
  });

  test('1,000,000 rows arrive completely in bounded memory when the reader pauses', async () => {
    const sink = new Slow();
    const before = process.memoryUsage().rss;
    const statement = {
      text: "SELECT number AS n, repeat('x', 50) AS s FROM numbers(1000000)",
      types: [],
      columns: [...NUMBER, { name: 's', kind: 'text' as const }],
    };
    const outcome = await connection.run(statement, [], RUN, sink);
    expect(outcome).toEqual({ rows: 1_000_000, selected: true });
    expect([sink.rows, sink.sum, sink.pauses]).toEqual([1_000_000, 499_999_500_000n, 10]);
    expect((process.memoryUsage().rss - before) / 2 ** 20).toBeLessThan(64);
  });

  test('a reader that pauses stops reading from the socket', async () => {
    const marker = `held_${label}_${process.pid}`;
    let flow: Backpressure | undefined;
    let rows = 0;
    const sink: RowSink = {
      start: (_, given) => {
        flow = given;
      },
      row: () => {
        rows += 1;
        if (rows === 1) flow?.pause();
      },
    };
    const abort = new AbortController();
    const holder = await open(port);
    const run = holder.run(
      { text: `SELECT number AS n, repeat('${marker}', 250) AS s FROM numbers(1000000) SETTINGS max_block_size = 1000`, types: [] },
      [],
      { ...RUN, signal: abort.signal },
      sink,
    );
    const outcome = failureOf(run);
    await expect.poll(() => rows, PATIENCE).toBeGreaterThan(0);
    let settled = -1;
    await vi.waitFor(
      () => {
        const moved = rows !== settled;
        settled = rows;
        expect(moved).toBe(false);
      },
      { interval: 200, timeout: PATIENCE.timeout },
    );
    expect(rows).toBeLessThan(100_000);
    abort.abort();
    expect(await outcome).toMatchObject({ kind: 'cancelled' });
    expect(holder.usable).toBe(false);
    await expect.poll(() => running(monitor, marker), PATIENCE).toBe(0);
  });

  test('a row of 16 MB and a row of a thousand columns are returned', async () => {
    const kept = await rowsOf(connection, "SELECT repeat('\\t☃☃☃☃☃', 1000000) AS big, 1 AS one");
    expect([kept.rows[0]?.[0]?.length, kept.rows[0]?.[1]]).toEqual([6_000_000, '1']);
    const wide = await rowsOf(connection, `SELECT ${Array.from({ length: 1000 }, (_, i) => `${i} AS c${i}`).join(', ')}`);
    expect(wide.rows[0]?.map(Number)).toEqual(Array.from({ length: 1000 }, (_, i) => i));
  });

  test('an exception in mid-stream fails the statement with its own message', async () => {
    const kept = new Kept();
    const text =
      "SELECT toString(number) AS s, throwIf(number = 100000, 'enough') AS t FROM numbers(1000000) SETTINGS max_block_size = 5000";
    const one = await open(port);
    const failure = await failureOf(one.run({ text, types: [] }, [], RUN, kept));
    expect(failure).toMatchObject({ kind: 'invalid', code: '395' });
    expect(failure.message).toContain('enough');
    expect(failure.message).not.toMatch(/SELECT|FUNCTION|version|__exception__/);
    expect(kept.rows.length).toBeGreaterThan(0);
    expect(kept.rows.every((row, n) => row[0] === String(n) && row[1] === '0')).toBe(true);
    one.close();
  });

  test('rows that look like an exception are returned as rows', async () => {
    const text = "SELECT '\\r\\n__exception__\\r\\nCode: 395. DB::Exception: no' AS s, 'Code: 1. DB::Exception: ]' AS t";
    expect((await rowsOf(connection, text)).rows).toEqual([
      ['\r\n__exception__\r\nCode: 395. DB::Exception: no', 'Code: 1. DB::Exception: ]'],
    ]);
  });

  test('a response that is truncated at any byte fails as lost', async () => {
    const text = 'SELECT number AS n FROM numbers(200)';
    for (let cut = 1; cut < 2600; cut += 97) {
      await proxy.set({ kind: 'pass' });
      const through = await open(proxy.port);
      const kept = new Kept();
      await proxy.set({ kind: 'cut', afterBytes: cut });
      const outcome = await through.run({ text, types: [], columns: NUMBER }, [], RUN, kept).then(
        () => 'whole',
        (error: { kind: string }) => error.kind,
      );
      through.close();
      if (outcome === 'whole') expect(kept.rows.length).toBe(200);
      else expect([outcome, cut]).toEqual(['lost', cut]);
    }
    await proxy.set({ kind: 'pass' });
  });

  test('a statement that exceeds its timeout is cancelled on the server, and the next one works', async () => {
    const marker = `slow_${label}_${process.pid}`;
    const started = performance.now();
    const failure = await failureOf(
      command(connection, `SELECT sleepEachRow(0.05), '${marker}' FROM numbers(1200) SETTINGS max_block_size = 1`, { timeoutMs: 400 }),
    );
    expect(failure).toMatchObject({ kind: 'timeout' });
    expect(performance.now() - started).toBeLessThan(15_000);
    await expect.poll(() => running(monitor, marker), PATIENCE).toBe(0);
    if (!connection.usable) {
      connection.close();
      connection = await open(port);
    }
    expect((await rowsOf(connection, 'SELECT 1 AS one')).rows).toEqual([['1']]);
  });

  test('a statement that the server does not cancel in time is killed', async () => {
    const marker = `stubborn_${label}_${process.pid}`;
    const one = await open(port);
    const failure = await failureOf(
      command(
        one,
        `SELECT sleep(3), '${marker}' FROM numbers(20) SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0`,
        { timeoutMs: 300 },
      ),
    );
    expect(failure).toMatchObject({ kind: 'timeout' });
    await expect.poll(() => running(monitor, marker), PATIENCE).toBe(0);
    expect((await rowsOf(monitor, 'SELECT 1 AS one')).rows).toEqual([['1']]);
  });

  test('a statement is cancelled when its caller disconnects', async () => {
    const marker = `gone_${label}_${process.pid}`;
    const abort = new AbortController();
    const one = await open(port);
    const outcome = failureOf(command(one, `SELECT count(), '${marker}' FROM numbers(1000000000000)`, { ...RUN, signal: abort.signal }));
    await expect.poll(() => running(monitor, marker), PATIENCE).toBe(1);
    abort.abort();
    expect(await outcome).toMatchObject({ kind: 'cancelled' });
    expect(one.usable).toBe(false);
    await expect.poll(() => running(monitor, marker), PATIENCE).toBe(0);
    expect(await failureOf(command(monitor, 'SELECT 1', { ...RUN, signal: AbortSignal.abort() }))).toMatchObject({ kind: 'cancelled' });
    expect(monitor.usable).toBe(true);
  });

  test('a statement on a silent link fails at its deadline', async () => {
    const through = await open(proxy.port);
    await proxy.set({ kind: 'blackhole' });
    const failure = await failureOf(command(through, 'SELECT 1', { timeoutMs: 200 }));
    await proxy.set({ kind: 'pass' });
    expect(failure).toMatchObject({ kind: 'timeout' });
    expect(through.usable).toBe(false);
  });

  test('a reader that throws fails only its own statement', async () => {
    const one = await open(port);
    const sink: RowSink = {
      start: () => undefined,
      row: () => {
        throw new Error('the reader broke');
      },
    };
    await expect(one.run({ text: 'SELECT 1 AS n', types: [], columns: NUMBER }, [], RUN, sink)).rejects.toThrow('the reader broke');
    expect(one.usable).toBe(false);
  });

  test('the owner is notified when an idle connection breaks', async () => {
    const own = await FaultProxy.start({ host: server.hostname, port });
    const through = await open(own.port);
    let told = 0;
    through.onClosed(() => {
      told += 1;
    });
    await own.stop();
    await expect.poll(() => told, PATIENCE).toBe(1);
    expect(through.usable).toBe(false);
    expect(await failureOf(command(through, 'SELECT 1'))).toMatchObject({ kind: 'lost' });
  });
});
