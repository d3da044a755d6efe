/**
 * Deadlines, cancellation, backpressure and broken connections: no call hangs, and no statement
 * keeps running on the server.
 */
import { createServer, connect as dial, type Server as NetServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, describe as suite, test, vi } from 'vitest';
import type { Connection } from '../../../src/engines/contract/engine.ts';
import type { Backpressure, RowSink } from '../../../src/model/cells.ts';
import { PATIENCE } from '../../support/patience.ts';
import { connect, entryOf, freshDatabase, OPTIONS, SERVERS, type Server, sql } from './support.ts';

const MILLION = 'SELECT a.n + b.n * 100 + c.n * 10000 AS id, repeat("x", 100) AS filler FROM hundred a, hundred b, hundred c';

suite.each(SERVERS)('%s: stopping', (_, at: Server) => {
  const database = 'millrace_stopping';
  let watcher: Connection;

  beforeAll(async () => {
    watcher = await freshDatabase(at, database);
    await sql(watcher, 'CREATE TABLE hundred (n int PRIMARY KEY)');
    await sql(watcher, `INSERT INTO hundred VALUES ${Array.from({ length: 100 }, (__, i) => `(${i})`).join(', ')}`);
  });
  afterAll(() => watcher.close());

  /** Statements of the tests that the server is still busy with, and what it does with them. */
  async function running(): Promise<readonly (string | null)[]> {
    const others = "FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND COMMAND <> 'Sleep' AND ID <> CONNECTION_ID()";
    return (await sql(watcher, `SELECT STATE ${others}`)).values.map(([state = null]) => state);
  }

  const gone = () => expect.poll(running, PATIENCE).toEqual([]);

  test.each([
    ['a read', 'SELECT SLEEP(60)'],
    ['a read from a table', 'SELECT n, SLEEP(60) FROM hundred'],
    ['a write', 'UPDATE hundred SET n = n + 0 * SLEEP(60)'],
  ])('%s past its time ends with a timeout and leaves no query behind', async (__, text) => {
    const connection = await connect(at, database);
    const began = performance.now();
    await expect(connection.run({ text, types: [] }, [], { timeoutMs: 300 })).rejects.toMatchObject({ kind: 'timeout' });
    expect(performance.now() - began).toBeLessThan(15_000);
    await gone();
    if (connection.usable) expect((await sql(connection, 'SELECT 7')).values).toEqual([['7']]);
    connection.close();
  });

  test('a transaction is rolled back when its caller disconnects', async () => {
    const connection = await connect(at, database);
    const controller = new AbortController();
    const options = { ...OPTIONS, signal: controller.signal };
    await connection.begin(options);
    await connection.run({ text: 'DELETE FROM hundred WHERE n = 99', types: [] }, [], options);
    controller.abort();
    expect(await connection.rollback(options)).toBe('all');
    await connection.begin(OPTIONS);
    await connection.commit(OPTIONS);
    expect((await sql(watcher, 'SELECT count(*) FROM hundred')).values).toEqual([['100']]);
    connection.close();
  });

  test('a statement issued while another one is cancelled is not sent, and does not count as cancelled', async () => {
    const connection = await connect(at, database);
    const leaver = new AbortController();
    const nap = { text: 'UPDATE hundred SET n = n + 0 * SLEEP(60)', types: [] };
    const hasEnded = expect(connection.run(nap, [], { ...OPTIONS, signal: leaver.signal })).rejects.toMatchObject({ kind: 'cancelled' });
    await expect.poll(running, PATIENCE).toHaveLength(1);
    leaver.abort();
    expect(connection.usable).toBe(false);
    await expect(sql(connection, 'SELECT 7')).rejects.toMatchObject({ kind: 'lost', effect: 'unsent' });
    await hasEnded;
    await gone();
    expect(connection.usable).toBe(true);
    expect((await sql(connection, 'SELECT 7')).values).toEqual([['7']]);
    connection.close();
  });

  test('a cancelled statement ends on the server and the connection can be used again', async () => {
    const connection = await connect(at, database);
    const controller = new AbortController();
    const run = connection.run({ text: 'UPDATE hundred SET n = n + 0 * SLEEP(60)', types: [] }, [], {
      ...OPTIONS,
      signal: controller.signal,
    });
    await expect.poll(running, PATIENCE).toContain('User sleep');
    controller.abort();
    await expect(run).rejects.toMatchObject({ kind: 'cancelled' });
    await gone();
    expect(connection.usable).toBe(true);
    expect((await sql(connection, 'SELECT 7')).values).toEqual([['7']]);
    connection.close();
  });

  test('a statement that is cancelled before it begins is not sent', async () => {
    const connection = await connect(at, database);
    const signal = AbortSignal.abort();
    await expect(connection.run({ text: 'SELECT SLEEP(60)', types: [] }, [], { ...OPTIONS, signal })).rejects.toMatchObject({
      kind: 'cancelled',
    });
    expect(connection.usable).toBe(true);
    connection.close();
  });

  test('a reader that stops reading stops the query, and cancelling it then ends it', async () => {
    const connection = await connect(at, database);
    const controller = new AbortController();
    let rows = 0;
    let flow: Backpressure | undefined;
    const sink: RowSink = {
      start: (__, given) => {
        flow = given;
      },
      row: () => {
        rows++;
        if (rows === 1000) flow?.pause();
      },
    };
    const run = connection.run({ text: MILLION, types: [] }, [], { ...OPTIONS, signal: controller.signal }, sink);
    run.catch(() => undefined);
    await expect.poll(() => rows, PATIENCE).toBeGreaterThanOrEqual(1000);
    await wait(100);
    const held = rows;
    await wait(300);
    expect(rows).toBe(held);
    expect(rows).toBeLessThan(10_000);
    controller.abort();
    await expect(run).rejects.toMatchObject({ kind: 'cancelled' });
    expect(rows).toBe(held);
    await gone();
    connection.close();
  });

  test('a million rows with a slow reader keep memory bounded', async () => {
    const connection = await connect(at, database);
    let rows = 0;
    let sum = 0;
    let most = 0;
    let flow: Backpressure | undefined;
    globalThis.gc?.();
    const before = process.memoryUsage().rss;
    const sink: RowSink = {
      start: (__, given) => {
        flow = given;
      },
      row: (cells) => {
        rows++;
        sum += (cells.to[1] ?? 0) - (cells.from[1] ?? 0);
        if (rows % 2000 !== 0) return;
        most = Math.max(most, process.memoryUsage.rss());
        flow?.pause();
        setImmediate(() => flow?.resume());
      },
    };
    const outcome = await connection.run({ text: MILLION, types: [] }, [], { timeoutMs: 60_000 }, sink);
    expect(outcome).toEqual({ rows: 1_000_000, selected: true });
    expect([rows, sum]).toEqual([1_000_000, 100_000_000]);
    expect(most - before).toBeLessThan(64 * 1024 * 1024);
    connection.close();
  });

  test('a flow that is kept after its result cannot pause the next result', async () => {
    const connection = await connect(at, database);
    let flow: Backpressure | undefined;
    const sink: RowSink = {
      start: (__, given) => {
        flow = given;
      },
      row: () => flow?.pause(),
    };
    await connection.run({ text: 'SELECT 1', types: [] }, [], OPTIONS, sink);
    flow?.pause();
    expect((await sql(connection, 'SELECT 2')).values).toEqual([['2']]);
    connection.close();
  });

  test('a connection that the server kills in mid-result is lost', async () => {
    const connection = await connect(at, database);
    const [[id]] = (await sql(connection, 'SELECT CONNECTION_ID()')).values as [[string]];
    const closed = vi.fn();
    connection.onClosed(closed);
    let flow: Backpressure | undefined;
    const sink: RowSink = {
      start: (__, given) => {
        flow = given;
        flow.pause();
      },
      row: () => undefined,
    };
    const run = connection.run({ text: MILLION, types: [] }, [], OPTIONS, sink);
    run.catch(() => undefined);
    await expect.poll(() => flow, PATIENCE).toBeDefined();
    await sql(watcher, `KILL CONNECTION ${id}`);
    flow?.resume();
    await expect(run).rejects.toMatchObject({ kind: 'lost' });
    await expect.poll(() => closed.mock.calls.length, PATIENCE).toBe(1);
    expect(connection.usable).toBe(false);
    await expect(sql(connection, 'SELECT 1')).rejects.toMatchObject({ kind: 'lost' });
  });

  test('a connection that breaks while idle notifies its owner', async () => {
    const connection = await connect(at, database);
    const [[id]] = (await sql(connection, 'SELECT CONNECTION_ID()')).values as [[string]];
    const closed = vi.fn();
    connection.onClosed(closed);
    await sql(watcher, `KILL CONNECTION ${id}`);
    await expect.poll(() => closed.mock.calls.length, PATIENCE).toBe(1);
    expect(connection.usable).toBe(false);
    expect(await connection.reset()).toBe(false);
  });

  test('an error that the row sink throws is passed on, and the connection is not used again', async () => {
    const connection = await connect(at, database);
    const broken: RowSink = {
      start: () => undefined,
      row: () => {
        throw new RangeError('no more');
      },
    };
    await expect(connection.run({ text: MILLION, types: [] }, [], OPTIONS, broken)).rejects.toThrow(RangeError);
    expect(connection.usable).toBe(false);
    await gone();
  });

  suite('through a line that falls silent', () => {
    let proxy: NetServer;
    let port = 0;
    const pairs: [Socket, Socket][] = [];

    beforeAll(async () => {
      proxy = createServer((client) => {
        const upstream = dial(at.port, at.host);
        pairs.push([client, upstream]);
        client.pipe(upstream).pipe(client);
        for (const socket of [client, upstream]) socket.on('error', () => undefined);
      });
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
      const address = proxy.address();
      port = typeof address === 'object' && address !== null ? address.port : 0;
    });
    afterAll(() => {
      for (const socket of pairs.flat()) socket.destroy();
      proxy.close();
    });

    const silence = () => {
      for (const [client, upstream] of pairs) {
        client.unpipe();
        upstream.unpipe();
      }
      proxy.removeAllListeners('connection');
      proxy.on('connection', (client) => client.on('error', () => undefined));
    };

    test('a statement fails at its timeout and its connection is closed, and a new connection fails in time', async () => {
      const connection = await connect(at, database, {}, port);
      expect((await sql(connection, 'SELECT 1')).values).toEqual([['1']]);
      silence();
      const began = performance.now();
      await expect(connection.run({ text: 'SELECT 1', types: [] }, [], { timeoutMs: 300 })).rejects.toMatchObject({ kind: 'timeout' });
      expect(performance.now() - began).toBeLessThan(15_000);
      expect(connection.usable).toBe(false);
      const host = { host: at.host, port };
      await expect(at.engine.connect(entryOf(at, database), { host, address: at.host, timeoutMs: 300 })).rejects.toMatchObject({
        kind: 'unreachable',
      });
    });
  });
});
