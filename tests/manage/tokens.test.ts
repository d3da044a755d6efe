// Management of Power Tokens without HTTP.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createToken, deleteToken, listTokens } from '../../src/manage/tokens.ts';
import { hashToken, isExpired, KEY_TYPES } from '../../src/model/power-token.ts';
import { newUlid } from '../../src/model/ulid.ts';
import type { Store } from '../../src/store/store.ts';
import { aTenant, makePlace, type Place } from '../store/stores.ts';
import { aCaller, body, bodyOf, refusal } from './support.ts';

describe('Power Tokens', () => {
  let place: Place;
  let store: Store;
  let caller: ReturnType<typeof aCaller<{ orgId: string; projectId: string; spaceId: string }>>;
  beforeAll(async () => {
    place = await makePlace('embedded');
    store = await place.open();
    caller = aCaller(await aTenant(store));
  });
  afterAll(async () => {
    await store.close();
    await place.remove();
  });

  let counter = 0;
  const create = (value: object = {}) =>
    createToken(store, caller, body({ name: `token ${++counter}`, key_type: 'r--', roles: ['viewer'], ...value }));
  const list = async (pg?: string, ps?: string) =>
    (await listTokens(store, caller, { pg, ps }, 1_000)).body as { token_id: string; name: string }[];

  test('are returned once, stored as a hash, listed without the secret, and deleted', async () => {
    const featureId = newUlid();
    const answer = await create({
      name: 'mine',
      roles: ' viewer , admin',
      description: 'd',
      feature_id: featureId,
      expires_at: '2099-12-31T23:59:59+01:00',
    });
    const shared = {
      token_id: expect.any(String),
      name: 'mine',
      key_type: 'r--',
      roles: ['viewer', 'admin'],
      org_id: caller.orgId,
      project_id: caller.projectId,
      space_id: caller.spaceId,
      user_id: caller.userId,
      expires_at: '2099-12-31T23:59:59+01:00',
    };
    expect(answer).toMatchObject({ status: 201, body: { code: 201, status: 'Created', message: expect.any(String), ...shared } });
    const { power_token, token_id } = answer.body as { power_token: string; token_id: string };
    expect(power_token).toMatch(/^mr_[\w-]{43}$/);
    const kept = await store.tokenByHash(hashToken(power_token));
    expect(kept).toMatchObject({ tokenId: token_id, featureId, roles: new Set(['viewer', 'admin']) });
    if (kept === undefined) throw new Error('unreachable');
    expect(isExpired(kept, Date.parse('2099-12-31T22:59:58Z'))).toBe(false);
    expect(isExpired(kept, Date.parse('2099-12-31T22:59:59Z'))).toBe(true);
    const listed = await list();
    expect(listed).toMatchObject([{ ...shared, description: 'd', created_at: expect.any(String) }]);
    expect(JSON.stringify(listed)).not.toContain(power_token);
    expect(JSON.stringify(await place.sql('SELECT * FROM tokens'))).not.toContain(power_token.slice(3));
    expect(await deleteToken(store, caller, token_id.toLowerCase())).toMatchObject({ status: 200, body: { code: 200, status: 'OK' } });
    expect(await store.tokenByHash(hashToken(power_token))).toBeUndefined();
    expect(await refusal(deleteToken(store, caller, token_id))).toMatch(/^404/);
    expect(await refusal(deleteToken(store, caller, 'x'))).toMatch(/^404/);
    expect(await refusal(deleteToken(store, caller, undefined))).toMatch(/^400/);
  });

  test('have one of seven key types, may belong to another user, and have unique names', async () => {
    for (const keyType of KEY_TYPES)
      expect((await bodyOf(create({ key_type: keyType }))) as object).toMatchObject({ key_type: keyType, expires_at: null });
    const userId = newUlid();
    expect(await bodyOf(create({ user_id: userId }))).toMatchObject({ user_id: userId });
    await create({ name: 'taken' });
    expect(await refusal(create({ name: 'taken' }))).toMatch(/^409 .*"taken"/);
    const elsewhere = aCaller(await aTenant(store));
    expect((await createToken(store, elsewhere, body({ name: 'taken', key_type: 'rwd', roles: 'a' }))).status).toBe(201);
    expect(await refusal(deleteToken(store, elsewhere, (await list())[0]?.token_id))).toMatch(/^404/);
  });

  test('are listed in pages', async () => {
    const all = await list();
    expect(await list('1', '2')).toEqual(all.slice(2, 4));
    expect(await list('999999999', '1000')).toEqual([]);
    for (const [pg, ps] of [
      ['-1', '1'],
      ['0', '0'],
      ['0', '1001'],
      ['x', '1'],
      ['0', '1.5'],
      ['', '1'],
      ['1e2', '1'],
    ])
      expect(await refusal(list(pg, ps))).toMatch(/^400/);
  });

  test.each([
    [{ name: undefined }, '400 The body is invalid: name is missing.'],
    [{ key_type: undefined, roles: undefined }, '400 The body is invalid: key_type is missing; roles is missing.'],
    [{ key_type: 'wr-' }, '422'],
    [{ key_type: '---' }, '422'],
    [{ key_type: 3 }, '400'],
    [{ roles: [] }, '422'],
    [{ roles: '' }, '422'],
    [{ roles: ['a', 5] }, '400'],
    [{ roles: 5 }, '400'],
    [{ roles: ['a,b'] }, '422'],
    [{ roles: 'a,,b' }, '422'],
    [{ roles: ['x'.repeat(129)] }, '422'],
    [{ roles: Array.from({ length: 65 }, (_, i) => `r${i}`) }, '422'],
    [{ user_id: 'x' }, '422'],
    [{ feature_id: 1 }, '400'],
    [{ expires_at: '2001-01-01T00:00:00Z' }, '422 The body has a value that is not allowed: expires_at is in the past.'],
    [{ expires_at: '2099-02-30T00:00:00Z' }, '422'],
    [{ expires_at: '2099-01-01' }, '422'],
    [{ expires_at: '2099-01-01T00:00:00' }, '422'],
    [{ expires_at: '2099-01-01T25:00:00Z' }, '422'],
    [{ expires_at: 4102444800 }, '400'],
    [{ description: {} }, '400'],
  ])('reject %j', async (value, expected) => {
    const before = await list();
    expect(await refusal(create(value))).toContain(expected);
    expect(await list()).toEqual(before);
  });

  test('require an existing space, project and organization', async () => {
    const draft = body({ name: 'n', key_type: 'r--', roles: 'a' });
    expect(await refusal(createToken(store, { ...caller, spaceId: newUlid() }, draft))).toMatch(/^404 The space/);
    expect(await refusal(createToken(store, { ...caller, projectId: newUlid() }, draft))).toMatch(/^404 The project does not exist/);
    expect(await refusal(createToken(store, { ...caller, orgId: newUlid() }, draft))).toMatch(/^404 The organization does not exist/);
  });
});
