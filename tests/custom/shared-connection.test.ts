// Which statements of Custom calls share a connection: single reads of a kind that has been brief, and nothing else.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CallSession, type SessionOptions } from '../../src/custom/steps/session.ts';
import { DbFailure, type Engine } from '../../src/engines/contract/engine.ts';
import { TextRows } from '../../src/engines/contract/rows.ts';
import { ENGINES } from '../../src/engines/index.ts';
import { Connections } from '../../src/engines/pool/connections.ts';
import { HostPolicy } from '../../src/engines/pool/hosts.ts';
import { BriefKind } from '../../src/engines/pool/statement-class.ts';
import type { Backpressure } from '../../src/model/cells.ts';
import type { Entry } from '../../src/model/entry.ts';
import { entryTo } from '../support/connection.ts';
import { createDatabase, type TestDatabase } from '../support/engines.ts';

/** Rows that are too large to wait for each other at the server. The first one comes at once. */
const TRICKLE = "SELECT REPEAT('x', 100000), SLEEP(IF(n = 1, 0, 0.15)) FROM (SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3) AS t";
const SQL = {
  postgres: {
    session: 'SELECT pg_backend_pid()',
    sleep: 'SELECT pg_sleep(1)',
    trickle: "SELECT repeat('x', 100000), pg_sleep(CASE n WHEN 1 THEN 0 ELSE 0.15 END)::text FROM generate_series(1, 3) AS n",
  },
  mysql: { session: 'SELECT CONNECTION_ID()', sleep: 'SELECT SLEEP(1)', trickle: TRICKLE },
  mariadb: { session: 'SELECT CONNECTION_ID()', sleep: 'SELECT SLEEP(1)', trickle: TRICKLE },
} as const;
const FACTS = { reads: true, plain: true, alone: false, harmless: true, changesSchema: false };
const TRAITS = { isProven: true, yields: true };
const CALLERS = 8;

describe.each(['postgres', 'mysql', 'mariadb'] as const)('%s', (name) => {
  const sql = SQL[name];
  let database: TestDatabase;
  let connections: Connections;
  let entry: Entry;
  beforeAll(async () => {
    database = await createDatabase(name);
    connections = new Connections(ENGINES, new HostPolicy([]));
    entry = entryTo(database, CALLERS);
    // All connections are open.
    const pool = connections.pool(entry, 'custom');
    const open = await Promise.all(Array.from({ length: CALLERS }, () => pool.acquire()));
    for (const connection of open) pool.release(connection);
  });
  afterAll(async () => {
    connections?.close();
    await database?.drop();
  });

  const open = (more: Partial<SessionOptions> = {}): CallSession =>
    new CallSession(connections, {
      entry: () => entry,
      timeoutMs: 10_000,
      signal: new AbortController().signal,
      transaction: 'one',
      ...more,
    });
  const ask = async (session: CallSession, text: string, brief: BriefKind | undefined): Promise<string> => {
    const rows = new TextRows();
    try {
      await session.run(
        { statement: { text, types: [] }, params: [] },
        { label: 'a', sql: FACTS, brief: brief && { kindOn: () => brief } },
        rows,
      );
      await session.commit();
      return rows.rows[0]?.[0] ?? '';
    } finally {
      session.release();
    }
  };
  const sessionsOf = async (brief: BriefKind | undefined, more?: Partial<SessionOptions>): Promise<number> =>
    new Set(await Promise.all(Array.from({ length: CALLERS }, () => ask(open(more), sql.session, brief)))).size;
  const counts = () => connections.pool(entry, 'custom').counts;

  test('reads of a kind that is brief share one', async () => {
    await ask(open(), sql.session, undefined);
    expect(await sessionsOf(new BriefKind(TRAITS))).toBe(1);
    expect(counts()).toMatchObject({ idle: counts().open, waiting: 0 });
  });

  test('so do those of several kinds, if their time limit is the same', async () => {
    /** How many connections those of each limit had, and how many of them both. */
    const used = async (): Promise<readonly number[]> => {
      // Leaves two that have just been in use.
      await Promise.all([ask(open(), sql.session, undefined), ask(open(), sql.session, undefined)]);
      const ofEach = [10_000, 20_000].map((timeoutMs) =>
        Promise.all(Array.from({ length: CALLERS / 2 }, () => ask(open({ timeoutMs }), sql.session, new BriefKind(TRAITS)))),
      );
      const [first = [], second = []] = await Promise.all(ofEach);
      return [new Set(first).size, new Set(second).size, new Set(first.filter((id) => second.includes(id))).size];
    };
    await expect.poll(used, { timeout: 10_000 }).toEqual([1, 1, 0]);
  });

  test('those of which nothing is known, or that are part of more, have one each', async () => {
    expect(await sessionsOf(new BriefKind({ ...TRAITS, isProven: false }))).toBe(CALLERS);
    expect(await sessionsOf(undefined)).toBe(CALLERS);
    expect(await sessionsOf(new BriefKind(TRAITS), { transaction: 'all' })).toBe(CALLERS);
    expect(await sessionsOf(new BriefKind(TRAITS), { transaction: 'none' })).toBe(CALLERS);
    expect(await sessionsOf(new BriefKind(TRAITS), { isAgain: true })).toBe(CALLERS);
  });

  test('a kind has to show that it is brief, and again when it was not', async () => {
    const kind = new BriefKind({ ...TRAITS, isProven: false });
    for (let i = 0; !kind.isPipelined && i < 200; i++) await ask(open(), sql.session, kind);
    expect(kind.isPipelined).toBe(true);
    await ask(open({ isAgain: true }), sql.sleep, kind);
    expect(kind.isPipelined).toBe(false);
  });

  test('one that takes long makes way for those behind it, and may be run again by itself', async () => {
    await ask(open(), sql.session, undefined);
    const kind = new BriefKind(TRAITS);
    const first = open();
    const slow = ask(first, sql.sleep, kind).catch((error: unknown) => error);
    const started = performance.now();
    const ids = await Promise.all(Array.from({ length: CALLERS - 1 }, () => ask(open(), sql.session, kind)));
    expect(new Set(ids).size).toBe(1);
    expect(performance.now() - started).toBeLessThan(900);
    const failure = await slow;
    expect(failure).toBeInstanceOf(DbFailure);
    expect([(failure as DbFailure).kind, first.repeats > 0, first.final, kind.isPipelined]).toEqual(['preempted', true, false, false]);
  });

  test('one whose rows have begun to come goes on, and the others wait for it', async () => {
    // One that has just been used is handed out at once, and has it prepared: else others would overtake it.
    await ask(open(), sql.trickle, undefined);
    const kind = new BriefKind(TRAITS);
    const rows = new TextRows();
    const stated = { label: 'a', sql: FACTS, brief: { kindOn: () => kind } };
    const trickling = open().run({ statement: { text: sql.trickle, types: [] }, params: [] }, stated, rows);
    const ids = await Promise.all(Array.from({ length: CALLERS - 1 }, () => ask(open(), sql.session, kind)));
    expect([new Set(ids).size, (await trickling).rows, rows.rows.map(([text]) => text?.length)]).toEqual([
      1,
      3,
      [100_000, 100_000, 100_000],
    ]);
    expect(kind.isPipelined).toBe(false);
  });

  test('one whose reader is slow is not waited for where it is shared, and never shared again', async () => {
    const kind = new BriefKind(TRAITS);
    const shared: (boolean | undefined)[] = [];
    const rows = {
      start: (_: unknown, flow: Backpressure) => {
        shared.push(flow.isPipelined);
        flow.pause();
        flow.resume();
      },
      row: () => undefined,
    };
    const run = () =>
      open().run(
        { statement: { text: sql.session, types: [] }, params: [] },
        { label: 'a', sql: FACTS, brief: { kindOn: () => kind } },
        rows,
      );
    await run();
    await run();
    expect(shared).toEqual([true, false]);
    expect(kind.isPipelined).toBe(false);
    for (let i = 0; i < 20; i++) await ask(open(), sql.session, kind);
    expect(kind.isPipelined).toBe(false);
  });
});

test('engines whose statements wait for each other are not asked to', () => {
  const pipelining = (['pg', 'ms', 'ma', 'ch'] as const).map((type) => (ENGINES.find(type) as Engine).capabilities.pipelining);
  expect(pipelining).toEqual([true, true, true, false]);
});
