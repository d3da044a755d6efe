// Several processes on one store: a confirmed write is visible to all and survives its process.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LarkModules } from '../../src/model/lark-module.ts';
import { newUlid } from '../../src/model/ulid.ts';
import type { Store } from '../../src/store/store.ts';
import { PATIENCE } from '../support/patience.ts';
import { times } from '../support/times.ts';
import { compileSources, StoreProcess } from './children.ts';
import { anEntry, anOrg, aTenant, aToken, KINDS, makePlace, type Place } from './stores.ts';

let modulePath = '';
beforeAll(() => {
  modulePath = compileSources();
});

const codeOf = (modules: unknown) => (modules as LarkModules).get('m')?.code;
const rounds = (count: number) => Array.from({ length: count }, (_, i) => i);

describe.each(KINDS)('processes on one %s store', (kind) => {
  let place: Place;
  let started: StoreProcess[] = [];

  beforeEach(async () => {
    place = await makePlace(kind);
  });
  afterEach(async () => {
    await Promise.all(started.map((child) => child.kill()));
    started = [];
    await place.remove();
  });

  const start = async () => {
    const child = new StoreProcess(modulePath);
    started.push(child);
    return child;
  };
  const startOpen = async () => {
    const child = await start();
    await child.open(place.options);
    return child;
  };

  test('may create the tables concurrently', async () => {
    const children = await Promise.all(rounds(4).map(start));
    await Promise.all(children.map((child) => child.open(place.options)));
    const applied = await place.sql('SELECT version FROM migrations ORDER BY version');
    expect(applied.length).toBeGreaterThan(1);
    expect(applied).toEqual(applied.map((_, index) => ({ version: index + 1 })));
    await Promise.all(children.map((child) => child.call('createOrganization', anOrg())));
    expect(await children[0]?.call('listOrganizations')).toHaveLength(4);
  });

  test('see a change acknowledged by another process in their next request', async () => {
    const [one, two] = await Promise.all([startOpen(), startOpen()]);
    const store = await place.open();
    const scope = await aTenant(store, [anEntry()]);
    await store.close();
    const space = [scope.orgId, scope.projectId, scope.spaceId] as const;
    for (const round of rounds(times(50, 500))) {
      const [writer, reader] = round % 2 === 0 ? [one, two] : [two, one];
      await writer.call('putModule', scope, { module: 'm', code: `round ${round}`, userId: newUlid() });
      expect(codeOf(await reader.call('modules', ...space))).toBe(`round ${round}`);
    }
  });

  test('reject a deleted token at once', async () => {
    const [one, two] = await Promise.all([startOpen(), startOpen()]);
    const store = await place.open();
    const scope = await aTenant(store);
    for (const _ of rounds(times(5, 30))) {
      const token = aToken(scope);
      expect(await two.call('tokenByHash', token.hash)).toBeUndefined();
      await one.call('createToken', token);
      expect(await two.call('tokenByHash', token.hash)).toMatchObject({ tokenId: token.tokenId });
      await one.call('deleteToken', scope, token.tokenId);
      expect(await two.call('tokenByHash', token.hash)).toBeUndefined();
    }
    await store.close();
  });

  test('that deploy the same version have exactly one winner, which both serve', async () => {
    const [one, two] = await Promise.all([startOpen(), startOpen()]);
    const store = await place.open();
    const scope = await aTenant(store);
    await store.close();
    const deploys = times(10, 100);
    for (const round of rounds(deploys)) {
      const draft = (document: string) => ({
        uri: 'u',
        method: 'get' as const,
        version: `1.${round}`,
        featureId: 'f',
        userId: 'u',
        rollbackVersion: null,
        document,
        password: null,
      });
      const outcomes = (await Promise.all([
        one.call('insertDefinitions', scope, [draft('one')], 'refuse'),
        two.call('insertDefinitions', scope, [draft('two')], 'refuse'),
      ])) as { kind: string }[];
      expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['exists', 'inserted']);
    }
    const lists = await Promise.all([one.call('listDefinitions', scope), two.call('listDefinitions', scope)]);
    expect(lists[0]).toHaveLength(deploys);
    expect(lists[1]).toEqual(lists[0]);
  });

  test('keep every acknowledged change after SIGKILL, and no partial one', async () => {
    const store = await place.open();
    const scope = await aTenant(store);
    await store.close();
    let answers = 0;
    for (const round of rounds(times(4, 20))) {
      const child = await startOpen();
      const answered: string[] = [];
      const writing = (async () => {
        for (let i = 0; ; i += 1) {
          await child.call('addEntry', scope, anEntry({ database: `r${round}-${i}` }));
          answered.push(`pg/r${round}-${i}`);
        }
      })();
      writing.catch(() => undefined);
      await expect.poll(() => answered.length, { ...PATIENCE, interval: 1 }).toBeGreaterThan(0);
      await new Promise((resolve) => setTimeout(resolve, round * 5));
      await child.kill();
      // Without this lease the next process does not wait; another test covers the wait.
      await place.sql('DELETE FROM instances');
      const reopened = await place.open();
      const context = await reopened.projectContext(scope.orgId, scope.projectId);
      await reopened.close();
      expect(context?.unreadable.size).toBe(0);
      for (const key of answered) expect(context?.entries.get(key)?.password).toBe(anEntry().password);
      answers += answered.length;
    }
    expect(answers).toBeGreaterThanOrEqual(times(4, 20));
  });
});

describe('the embedded store', () => {
  test('is readable by its owner only', async () => {
    const place = await makePlace('embedded');
    const store = await place.open();
    await store.createOrganization(anOrg());
    for (const file of ['millrace.db', 'millrace.db-wal', 'millrace.db-shm'])
      expect(statSync(join(place.options.dataDir, file)).mode & 0o777).toBe(0o600);
    await store.close();
    await place.remove();
  });
});

describe('instances on one PostgreSQL', () => {
  let place: Place;
  let store: Store;
  let child: StoreProcess;

  beforeAll(async () => {
    place = await makePlace('postgres');
    store = await place.open();
  });
  afterAll(async () => {
    await store?.close();
    await place?.remove();
  });
  beforeEach(async () => {
    child = new StoreProcess(modulePath);
    await child.open(place.options);
    await expect.poll(async () => Number((await place.sql('SELECT count(*) AS n FROM instances'))[0]?.['n']), PATIENCE).toBeGreaterThan(1);
  });
  afterEach(() => child.kill());

  /** Upper bound of a writer's wait: the longest lease takes 3 s, and any other wait never ends. */
  const HELD_MS = 15_000;

  const timed = async (work: () => Promise<unknown>) => {
    const from = performance.now();
    await work();
    return performance.now() - from;
  };

  test('an instance that was killed delays one writer until its lease ends, and no other', async () => {
    await child.kill();
    const held = await timed(() => store.createOrganization(anOrg()));
    expect(held).toBeLessThan(HELD_MS);
    // Only the first writer waits. The minimum of several, since the machine has other work.
    const later: number[] = [];
    for (const _ of rounds(5)) later.push(await timed(() => store.createOrganization(anOrg())));
    expect(Math.min(...later)).toBeLessThan(1_000);
  });

  test('an instance that was suspended reads the store before it uses its memory again', async () => {
    const scope = await aTenant(store);
    const space = [scope.orgId, scope.projectId, scope.spaceId] as const;
    expect(codeOf(await child.call('modules', ...space))).toBeUndefined();
    child.freeze();
    const held = await timed(() => store.putModule(scope, { module: 'm', code: 'new', userId: newUlid() }));
    expect(held).toBeLessThan(HELD_MS);
    child.thaw();
    expect(codeOf(await child.call('modules', ...space))).toBe('new');
  });

  test('an instance whose connections were cut still sees every write', async () => {
    const scope = await aTenant(store);
    const space = [scope.orgId, scope.projectId, scope.spaceId] as const;
    for (const round of rounds(times(2, 10))) {
      await place.sql(
        "SELECT pg_terminate_backend(pid, 20000) FROM pg_stat_activity WHERE application_name = 'millrace' AND datname = current_database()",
      );
      await expect
        .poll(
          () =>
            store.ping().then(
              () => true,
              () => false,
            ),
          PATIENCE,
        )
        .toBe(true);
      await store.putModule(scope, { module: 'm', code: `round ${round}`, userId: newUlid() });
      expect(codeOf(await child.call('modules', ...space))).toBe(`round ${round}`);
    }
  });
});
