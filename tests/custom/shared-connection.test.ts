// Which statements of Custom calls share a connection: single reads of a kind that has been brief, and nothing else.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CallSession, type SessionOptions } from '../../src/custom/session.ts';
import { BriefKind } from '../../src/engines/brief-kind.ts';
import { Connections } from '../../src/engines/connections.ts';
import { DbFailure, type Engine } from '../../src/engines/engine.ts';
import { HostPolicy } from '../../src/engines/hosts.ts';
import { ENGINES } from '../../src/engines/index.ts';
import { TextRows } from '../../src/engines/rows.ts';
import type { Entry } from '../../src/model/entry.ts';
import { entryTo } from '../support/connection.ts';
import { createDatabase, type TestDatabase } from '../support/engines.ts';

const SQL = {
  postgres: { session: 'SELECT pg_backend_pid()', sleep: 'SELECT pg_sleep(1)' },
  mysql: { session: 'SELECT CONNECTION_ID()', sleep: 'SELECT SLEEP(1)' },
  mariadb: { session: 'SELECT CONNECTION_ID()', sleep: 'SELECT SLEEP(1)' },
} as const;
const FACTS = { reads: true, plain: true, alone: false, harmless: true, ofSchema: false };
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
      await session.run({ statement: { text, types: [] }, params: [] }, { label: 'a', sql: FACTS, brief }, rows);
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
    expect(await sessionsOf(new BriefKind(TRAITS))).toBe(1);
    expect(counts()).toMatchObject({ idle: counts().open, waiting: 0 });
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
    for (let i = 0; !kind.isShared && i < 200; i++) await ask(open(), sql.session, kind);
    expect(kind.isShared).toBe(true);
    await ask(open({ isAgain: true }), sql.sleep, kind);
    expect(kind.isShared).toBe(false);
  });

  test('one that takes long makes way for those behind it, and may be run again by itself', async () => {
    const kind = new BriefKind(TRAITS);
    const first = open();
    const slow = ask(first, sql.sleep, kind).catch((error: unknown) => error);
    const started = performance.now();
    const ids = await Promise.all(Array.from({ length: CALLERS - 1 }, () => ask(open(), sql.session, kind)));
    expect(new Set(ids).size).toBe(1);
    expect(performance.now() - started).toBeLessThan(900);
    const failure = await slow;
    expect(failure).toBeInstanceOf(DbFailure);
    expect([(failure as DbFailure).kind, first.repeats > 0, first.final, kind.isShared]).toEqual(['held_up', true, false, false]);
  });

  test('one whose reader is slow is never shared again', async () => {
    const kind = new BriefKind(TRAITS);
    const session = open();
    const rows = { start: (_: unknown, flow: { pause(): void; resume(): void }) => [flow.pause(), flow.resume()], row: () => undefined };
    await session.run({ statement: { text: sql.session, types: [] }, params: [] }, { label: 'a', sql: FACTS, brief: kind }, rows);
    expect(kind.isShared).toBe(false);
    for (let i = 0; i < 20; i++) await ask(open(), sql.session, kind);
    expect(kind.isShared).toBe(false);
  });
});

test('engines whose statements wait for each other are not asked to', () => {
  const pipelining = (['pg', 'ms', 'ma', 'ch'] as const).map((type) => (ENGINES.find(type) as Engine).capabilities.pipelining);
  expect(pipelining).toEqual([true, true, true, false]);
});
