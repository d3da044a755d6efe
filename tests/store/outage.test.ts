// Outages of the store's PostgreSQL: cached records are served, and are fresh again afterwards.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SpaceScope } from '../../src/model/project.ts';
import { newUlid } from '../../src/model/ulid.ts';
import type { Store } from '../../src/store/store.ts';
import { eventually, PATIENCE } from '../support/patience.ts';
import { FaultyProxy } from './faulty-proxy.ts';
import { anEntry, anOrg, aTenant, makePlace, type Place } from './stores.ts';

describe('a store whose PostgreSQL', () => {
  let place: Place;
  let proxy: FaultyProxy;
  let store: Store;
  let other: Store;
  let scope: SpaceScope;
  const problems: string[] = [];

  beforeEach(async () => {
    place = await makePlace('postgres');
    const url = new URL(place.options.url ?? '');
    proxy = new FaultyProxy(Number(url.port));
    url.port = String(await proxy.listen());
    store = await place.open({ url: url.href, onProblem: (what) => problems.push(what) });
    other = await place.open();
    scope = await aTenant(store, [anEntry()]);
    await readContext();
  });
  afterEach(async () => {
    proxy.mend();
    await Promise.all([store.close(), other.close()]);
    await proxy.close();
    await place.remove();
  });

  const readContext = async () => {
    await store.refresh();
    return store.projectContext(scope.orgId, scope.projectId);
  };
  const timed = async (work: () => unknown) => {
    const from = performance.now();
    await work();
    return performance.now() - from;
  };

  /** Minimum of several attempts, since the machine has other work. */
  const quickest = async (work: () => unknown) => {
    const all: number[] = [];
    for (let i = 0; i < 10; i += 1) all.push(await timed(work));
    return Math.min(...all);
  };

  test('refuses connections serves cached records at once and writes nothing', async () => {
    proxy.refuse();
    for (let i = 0; i < 50; i += 1) expect((await readContext())?.entries.size).toBe(1);
    expect(await quickest(readContext)).toBeLessThan(300);
    for (const work of [store.ping(), store.createOrganization(anOrg()), store.listProjects(scope), store.organization(newUlid())])
      await expect(Promise.resolve(work)).rejects.toMatchObject({ status: 503 });
    await expect.poll(() => problems.length, PATIENCE).toBeGreaterThan(0);
    proxy.mend();
    await expect
      .poll(
        () =>
          store.ping().then(
            () => 'up',
            () => 'down',
          ),
        PATIENCE,
      )
      .toBe('up');
    await other.addEntry(scope, anEntry({ database: 'second' }));
    expect((await readContext())?.entries.size).toBe(2);
  });

  test('becomes silent delays one request briefly, and no other', async () => {
    proxy.silence();
    // The instance needs no store until its lease ends. The next request then notices the silence.
    await expect.poll(() => timed(() => store.refresh()), PATIENCE).toBeGreaterThan(200);
    for (let i = 0; i < 100; i += 1) expect((await readContext())?.entries.size).toBe(1);
    expect(await quickest(readContext)).toBeLessThan(100);
    const held = await timed(() => other.addEntry(scope, anEntry({ database: 'second' })));
    expect(held).toBeLessThan(15_000);
    proxy.mend();
    await expect.poll(async () => (await readContext())?.entries.size, PATIENCE).toBe(2);
    await other.addEntry(scope, anEntry({ database: 'third' }));
    expect((await readContext())?.entries.size).toBe(3);
  });

  test('becomes silent delays a later request no longer than the first one', async () => {
    proxy.silence();
    const isHeldOnce = async (): Promise<boolean | undefined> => {
      const first = timed(() => store.refresh());
      // The first read is in progress by then.
      await nextTurn();
      let isSecondOver = false;
      const second = Promise.resolve(store.refresh()).then(() => {
        isSecondOver = true;
      });
      const held = await first;
      await nextTurn();
      const isOver = isSecondOver;
      await second;
      return held > 200 ? isOver : undefined;
    };
    // No request waits until the lease ends.
    let isOnce: boolean | undefined;
    await eventually(async () => {
      isOnce = await isHeldOnce();
      expect(isOnce).toBeDefined();
    });
    expect(isOnce).toBe(true);
  });
});
