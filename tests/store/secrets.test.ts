// Secrets at rest: which keys decrypt them, and key rotation while records stay readable.
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ApiError } from '../../src/errors.ts';
import { findEntry } from '../../src/model/project.ts';
import { KeyRing, keyId, SecretError } from '../../src/store/secrets.ts';
import type { Store } from '../../src/store/store.ts';
import { anEntry, aTenant, KEY, KINDS, makePlace, type Place } from './stores.ts';

const owner = ['org', 'project', 'entry', 'password'];

describe('a key ring', () => {
  test('opens any value that it sealed, for its owner only', () => {
    const ring = new KeyRing([KEY]);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.array(fc.string()), fc.array(fc.string()), (secret, mine, other) => {
        const sealed = ring.seal(secret, mine);
        expect(ring.open(sealed, mine)).toBe(Buffer.from(secret, 'utf8').toString('utf8'));
        if (JSON.stringify(mine) !== JSON.stringify(other)) expect(() => ring.open(sealed, other)).toThrow(SecretError);
      }),
    );
    expect(() => ring.open(ring.seal('x', ['a', 'b']), ['a,b'])).toThrow(SecretError);
    expect(ring.seal('x', owner)).toMatch(/^v1:[\w-]{8}:[\w-]{16}:[\w-]{22}:[\w-]{2}$/);
    expect(ring.seal('x', owner)).not.toBe(ring.seal('x', owner));
  });

  test('rejects a secret with any single bit changed', () => {
    const ring = new KeyRing([KEY, randomBytes(32)]);
    const bytes = Buffer.from(ring.seal('the password', owner), 'latin1');
    for (let at = 0; at < bytes.length; at += 1)
      for (let bit = 0; bit < 8; bit += 1) {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ (1 << bit);
        expect(() => ring.open(changed.toString('latin1'), owner)).toThrow(SecretError);
      }
  });

  test('rejects a secret that is truncated, extended or of another form', () => {
    const ring = new KeyRing([KEY]);
    const sealed = ring.seal('the password', owner);
    for (let length = 0; length < sealed.length; length += 1) expect(() => ring.open(sealed.slice(0, length), owner)).toThrow(SecretError);
    for (const text of [`${sealed}A`, `${sealed}:`, `${sealed}=`, '', 'the password'])
      expect(() => ring.open(text, owner)).toThrow(SecretError);
  });

  test('opens with every key and seals with the first', () => {
    const [old, fresh] = [randomBytes(32), randomBytes(32)];
    const sealed = new KeyRing([old]).seal('x', owner);
    const ring = new KeyRing([fresh, old]);
    expect(ring.open(sealed, owner)).toBe('x');
    expect(ring.seal('x', owner).split(':')[1]).toBe(keyId(fresh));
    expect(() => new KeyRing([fresh]).open(sealed, owner)).toThrow(`the key ${keyId(old)} is not in the ring`);
    expect(() => new KeyRing([])).toThrow('no encryption key');
    expect(() => new KeyRing([randomBytes(16)])).toThrow('32 bytes');
  });
});

describe.each(KINDS)('passwords in the %s store', (kind) => {
  let place: Place;
  let store: Store;

  beforeEach(async () => {
    place = await makePlace(kind);
    store = await place.open();
  });
  afterEach(async () => {
    await store.close();
    await place.remove();
  });

  const reopen = async (keys: readonly Uint8Array[]) => {
    await store.close();
    store = await place.open({ keys });
  };
  const draft = (uri: string) => ({
    uri,
    method: 'get' as const,
    version: '1',
    featureId: 'f',
    userId: 'u',
    rollbackVersion: null,
    document: 'd',
    password: `pw of ${uri}`,
  });

  test('fail individually, with their id, when they are damaged or swapped', async () => {
    const scope = await aTenant(
      store,
      ['a', 'b', 'c', 'd'].map((database) => anEntry({ database, password: `pw of ${database}` })),
    );
    await store.insertDefinitions(scope, [draft('x'), draft('y')], 'refuse');
    const rows = (await place.sql('SELECT db_name, password FROM entries ORDER BY db_name')) as { db_name: string; password: string }[];
    const [a, b, c] = rows.map(({ password }) => password);
    if (a === undefined || b === undefined || c === undefined) throw new Error('unreachable');
    await place.sql("UPDATE entries SET password = ? WHERE db_name = 'a'", [b]);
    await place.sql("UPDATE entries SET password = ? WHERE db_name = 'c'", [c.replace('v1:', 'v1:x')]);
    await place.sql("UPDATE definitions SET password = (SELECT password FROM definitions WHERE uri = 'y') WHERE uri = 'x'");
    await reopen([KEY]);
    const context = await store.projectContext(scope.orgId, scope.projectId);
    if (context === undefined) throw new Error('the project is gone');
    expect([...context.entries.values()].map(({ password }) => password)).toEqual(['pw of b', 'pw of d']);
    expect([...context.unreadable.keys()]).toEqual(['pg/a', 'pg/c']);
    expect(() => findEntry(context, 'pg', 'a')).toThrow(ApiError);
    expect(() => findEntry(context, 'pg', 'a')).toThrow(context.unreadable.get('pg/a')?.id);
    expect(() => findEntry(context, 'pg', 'z')).toThrow('register it first');
    const endpoint = await store.endpoint(scope.orgId, scope.projectId, scope.spaceId, 'x');
    expect(endpoint?.versions.get('get')?.[0]).toMatchObject({ password: null, unreadable: expect.stringContaining('another record') });
    expect((await store.endpoint(scope.orgId, scope.projectId, scope.spaceId, 'y'))?.versions.get('get')?.[0]?.password).toBe('pw of y');
    await expect(store.changeEntry(scope, { ...anEntry({ database: 'a' }), password: null })).rejects.toThrow('send it again');
    expect(await store.changeEntry(scope, { ...anEntry({ database: 'a' }), password: 'mended' })).toBe(true);
    expect((await store.projectContext(scope.orgId, scope.projectId))?.entries.get('pg/a')?.password).toBe('mended');
  });

  test('require every key in use at the start, which reports a missing key', async () => {
    await aTenant(store, [anEntry()]);
    await store.close();
    const other = randomBytes(32);
    await expect(place.open({ keys: [other] })).rejects.toThrow(`the key ${keyId(KEY)}, which MILLRACE_ENCRYPTION_KEY does not have`);
    store = await place.open({ keys: [other, KEY] });
  });

  test('are moved to a new key step by step, also after an interruption; the old key is not needed afterwards', async () => {
    const names = Array.from({ length: 130 }, (_, i) => `db${i}`);
    const scope = await aTenant(
      store,
      names.map((database) => anEntry({ database, password: `pw of ${database}` })),
    );
    await store.insertDefinitions(scope, names.slice(0, 70).map(draft), 'refuse');
    await place.sql("UPDATE entries SET password = (SELECT password FROM entries WHERE db_name = 'db1') WHERE db_name = 'db0'");
    const fresh = randomBytes(32);
    await reopen([fresh, KEY]);
    const still = async () => {
      const [row] = await place.sql(`SELECT count(*) AS n FROM entries WHERE password LIKE 'v1:${keyId(KEY)}:%'`);
      return Number(row?.['n']);
    };
    const breakOff = () => {
      throw new Error('power cut');
    };
    await expect(store.rewrap(breakOff)).rejects.toThrow('power cut');
    expect(await still()).toBe(81);
    const seen: number[] = [];
    const report = await store.rewrap(({ rewrapped }) => seen.push(rewrapped));
    expect(report).toEqual({ rewrapped: 150, unreadable: [expect.stringMatching(/^entries\//)] });
    expect(seen.length).toBeGreaterThan(2);
    expect(await still()).toBe(1);
    expect(await store.rewrap(() => undefined)).toMatchObject({ rewrapped: 0 });
    await expect(place.open({ keys: [fresh] })).rejects.toThrow(keyId(KEY));
    expect(await store.removeEntry(scope, 'pg', 'db0')).toBe('removed');
    await reopen([fresh]);
    const context = await store.projectContext(scope.orgId, scope.projectId);
    expect([...(context?.entries.values() ?? [])].map(({ password }) => password)).toEqual(names.slice(1).map((name) => `pw of ${name}`));
    const endpoint = await store.endpoint(scope.orgId, scope.projectId, scope.spaceId, 'db69');
    expect(endpoint?.versions.get('get')?.[0]?.password).toBe('pw of db69');
  });
});
