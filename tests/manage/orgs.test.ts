// Management of organizations without HTTP.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOrg, getOrg, listOrgs } from '../../src/manage/orgs.ts';
import { newUlid } from '../../src/model/ulid.ts';
import type { Store } from '../../src/store/store.ts';
import { makePlace, type Place } from '../store/stores.ts';
import { aCaller, body, bodyOf, refusal } from './support.ts';

const reserved = new Set(['svc', 'healthz']);

describe('organizations', () => {
  let place: Place;
  let store: Store;
  beforeAll(async () => {
    place = await makePlace('embedded');
    store = await place.open();
  });
  afterAll(async () => {
    await store.close();
    await place.remove();
  });

  const caller = aCaller({});
  const create = (value: unknown) => createOrg(store, caller, body(value), reserved);

  test('are created, returned and listed, and reported with 208 if they exist', async () => {
    const created = await create({ name: 'Acme', abbreviation: 'acme', admin_email: 'a@b.c', pin_code: 1234 });
    expect(created).toEqual({
      status: 201,
      body: { code: 201, status: 'Created', message: expect.any(String), org_id: expect.any(String), abbreviation: 'acme' },
    });
    const { org_id } = created.body as { org_id: string };
    expect(await getOrg(store, caller, org_id.toLowerCase())).toEqual({
      status: 200,
      body: {
        org_id,
        name: 'Acme',
        abbreviation: 'acme',
        admin_email: 'a@b.c',
        admin_name: null,
        address: null,
        state: null,
        country: null,
        pin_code: '1234',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        created_by: caller.userId,
      },
    });
    expect(await create({ name: 'Other', abbreviation: 'acme' })).toEqual({
      status: 208,
      body: { code: 208, status: 'Already Reported', message: expect.any(String), org_id },
    });
    expect(await create({ name: 'Other', abbreviation: 'other', org_id })).toMatchObject({ status: 208, body: { org_id } });
    expect((await listOrgs(store, caller)).body).toMatchObject([{ org_id }]);
  });

  test('accept an id of the client in upper or lower case', async () => {
    const orgId = newUlid();
    expect(await bodyOf(create({ name: 'Mine', abbreviation: 'mine', org_id: orgId.toLowerCase() }))).toMatchObject({ org_id: orgId });
  });

  test.each([
    [[], '400 The body must be a JSON object'],
    ['text', '400 The body must be a JSON object'],
    [{}, '400 The body is invalid: name is missing; abbreviation is missing.'],
    [{ name: 5, abbreviation: null }, '400 The body is invalid: name must be a string; abbreviation is missing.'],
    [{ name: ' ', abbreviation: 'ok' }, '422 The body has a value that is not allowed: name must not be empty.'],
    [{ name: 'a', abbreviation: 'Acme' }, '422'],
    [{ name: 'a', abbreviation: '1a' }, '422'],
    [{ name: 'a', abbreviation: 'a'.repeat(64) }, '422'],
    [{ name: 'a', abbreviation: 'a\n' }, '422'],
    [{ name: 'a', abbreviation: 'svc' }, '422 The abbreviation "svc" is reserved'],
    [{ name: 'a', abbreviation: 'a', org_id: 'x' }, '422 The body has a value that is not allowed: org_id is not a ULID.'],
    [{ name: 'a', abbreviation: 'a', org_id: 7 }, '400'],
    [{ name: 'a', abbreviation: 'a', admin_email: 'nobody' }, '422'],
    [{ name: 'a\0b', abbreviation: 'a' }, '422'],
    [{ name: 'a'.repeat(1_001), abbreviation: 'a' }, '422'],
  ])('reject %j', async (value, expected) => {
    expect(await refusal(create(value))).toContain(expected);
  });

  test('are out of reach of a Power Token, except its own', async () => {
    const { org_id } = (await bodyOf(create({ name: 'T', abbreviation: 'tokens' }))) as { org_id: string };
    const token = aCaller({ orgId: org_id, projectId: newUlid(), tokenId: newUlid(), serverKey: false });
    expect(await refusal(createOrg(store, token, body({ name: 'X', abbreviation: 'x' }), reserved))).toMatch(/^403/);
    expect(await refusal(listOrgs(store, token))).toMatch(/^403/);
    expect(await refusal(getOrg(store, token, newUlid()))).toMatch(/^403/);
    expect((await getOrg(store, token, org_id)).status).toBe(200);
  });

  test('require a valid id in the request', async () => {
    expect(await refusal(getOrg(store, caller, undefined))).toMatch(/^400 The query parameter "org_id" is missing/);
    expect(await refusal(getOrg(store, caller, 'x'))).toMatch(/^400/);
    expect(await refusal(getOrg(store, caller, newUlid()))).toMatch(/^404/);
  });
});
