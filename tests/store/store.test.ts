// Behaviour of the store, with both drivers.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DefinitionDraft } from '../../src/model/definition.ts';
import type { SpaceScope } from '../../src/model/project.ts';
import { newUlid } from '../../src/model/ulid.ts';
import type { Change, Store } from '../../src/store/store.ts';
import { anEntry, anOrg, aProject, aTenant, aToken, KINDS, makePlace, type Place, threeSpaces } from './stores.ts';

const userId = newUlid();

function aDraft(more: Partial<DefinitionDraft> = {}): DefinitionDraft {
  return {
    uri: 'users',
    method: 'get',
    version: '1.0',
    featureId: newUlid(),
    userId,
    rollbackVersion: null,
    document: 'http: {uri: users}\n',
    password: 'secret',
    ...more,
  };
}

describe.each(KINDS)('the %s store', (kind) => {
  let place: Place;
  let store: Store;

  beforeAll(async () => {
    place = await makePlace(kind);
    store = await place.open();
  });
  afterAll(async () => {
    await store?.close();
    await place?.remove();
  });

  const endpointOf = async (scope: SpaceScope, uri: string) => {
    await store.refresh();
    return store.endpoint(scope.orgId, scope.projectId, scope.spaceId, uri);
  };

  test('keeps organizations with unique ids and abbreviations', async () => {
    const org = anOrg({ pinCode: '01234', adminEmail: 'a@b.c' });
    expect(await store.organization(org.orgId)).toBeUndefined();
    expect(await store.createOrganization(org)).toEqual({ kind: 'created' });
    expect(await store.organization(org.orgId)).toEqual(org);
    expect(await store.createOrganization(anOrg({ orgId: org.orgId }))).toEqual({ kind: 'exists', org });
    expect(await store.createOrganization(anOrg({ abbreviation: org.abbreviation }))).toEqual({ kind: 'exists', org });
    expect((await store.listOrganizations()).filter(({ orgId }) => orgId === org.orgId)).toEqual([org]);
  });

  test('writes all personas or none, orders them by rank and name, and lists the spaces that have any', async () => {
    const scope = await aTenant(store);
    const personas = async () => {
      await store.refresh();
      return (await store.personas(scope.orgId, scope.projectId, scope.spaceId)) ?? new Map();
    };
    const isGuarded = async () => (await store.projectContext(scope.orgId, scope.projectId))?.spaces.get(scope.spaceId)?.isGuarded;
    const draft = { about: 'a', roles: ['x', 'y'], rank: 1, document: '{}', userId };
    expect([await personas(), await isGuarded()]).toEqual([new Map(), undefined]);
    expect(await store.putPersonas({ ...scope, spaceId: newUlid() }, [{ ...draft, persona: 'a' }])).toBe('space_unknown');
    const three = ['c', 'a', 'b'].map((persona) => ({ ...draft, persona, rank: persona === 'b' ? 0 : 5 }));
    expect(await store.putPersonas(scope, three)).toBe('created');
    expect([[...(await personas()).keys()], await isGuarded()]).toEqual([['b', 'a', 'c'], true]);
    const before = (await personas()).get('a');
    expect(before).toMatchObject({ ...draft, persona: 'a', rank: 5 });
    expect(await store.putPersonas(scope, [{ ...draft, persona: 'a', about: 'new' }])).toBe('replaced');
    const after = (await personas()).get('a');
    expect([after?.about, after?.revision === before?.revision]).toEqual(['new', false]);
    expect(await store.deletePersona(scope, 'none')).toBe(false);
    for (const persona of ['a', 'b', 'c']) expect([await isGuarded(), await store.deletePersona(scope, persona)]).toEqual([true, true]);
    expect([await personas(), await isGuarded()]).toEqual([new Map(), undefined]);
  });

  test('writes all apps or none, and keeps the history of each', async () => {
    const scope = await aTenant(store);
    const { orgId, projectId, spaceId } = scope;
    const draft = (app: string, title = app) => ({
      app,
      title,
      permission: ['x', 'y'],
      document: `{"app":"${app}"}`,
      source: null,
      userId,
    });
    const names = async () => [...((await store.apps(orgId, projectId, spaceId)) ?? new Map()).keys()];
    expect([await names(), await store.app(scope, 'a')]).toEqual([[], undefined]);
    expect(await store.putApps({ ...scope, spaceId: newUlid() }, [draft('a')])).toBe('space_unknown');
    expect(await store.putApps(scope, [draft('b'), draft('a')])).toBe('created');
    expect(await names()).toEqual(['a', 'b']);
    const before = await store.app(scope, 'a');
    expect(before).toEqual({ ...draft('a'), updatedAt: expect.stringMatching(/Z$/), revision: expect.any(String) });
    expect(await store.putApps(scope, [draft('a', 'new')])).toBe('replaced');
    const after = await store.app(scope, 'a');
    expect([after?.title, after?.revision === before?.revision]).toEqual(['new', false]);
    expect(await store.putApps(scope, [draft('a', 'copied'), draft('c')], 'copy')).toBe('replaced');
    expect(await store.deleteApp(scope, 'none', userId)).toBe(false);
    expect(await store.deleteApp(scope, 'a', userId)).toBe(true);
    expect([await names(), await store.app(scope, 'a')]).toEqual([['b', 'c'], undefined]);
    expect((await store.appHistory(scope, 'a')).map(({ action }) => action)).toEqual(['delete', 'copy', 'replace', 'create']);
    expect((await store.appHistory(scope, 'c')).map(({ action }) => action)).toEqual(['copy']);
    expect(await store.appHistory({ ...scope, spaceId: newUlid() }, 'a')).toEqual([]);
    await store.deleteProject(scope);
    expect([await names(), await store.app(scope, 'b'), await store.appHistory(scope, 'b')]).toEqual([[], undefined, []]);
  });

  test('forgets the history of an app 90 days after it was deleted, and keeps what came later', async () => {
    const scope = await aTenant(store);
    const draft = { app: 'a', title: 'A', permission: ['x'], document: '{}', source: 'app: a\n', userId };
    await store.putApps(scope, [draft]);
    await store.deleteApp(scope, 'a', userId);
    const past = new Date(Date.now() - 91 * 86_400_000).toISOString();
    await place.sql(`UPDATE app_history SET at = '${past}' WHERE space_id = '${scope.spaceId}'`);
    await store.putApps(scope, [draft]);
    expect((await store.appHistory(scope, 'a')).map(({ action, source }) => [action, source])).toEqual([['create', 'app: a\n']]);
  });

  test('keeps projects with their spaces and entries in order, and answers from memory', async () => {
    const org = anOrg();
    await store.createOrganization(org);
    const project = aProject(org.orgId);
    const spaces = threeSpaces();
    const drafts = [
      anEntry({ database: 'b', ca: 'PEM' }),
      anEntry({ database: 'a' }),
      anEntry({ type: 'ms', database: 'a', password: '' }),
    ];
    expect(await store.createProject(project, spaces, drafts)).toEqual({ kind: 'created' });
    const context = await store.projectContext(org.orgId, project.projectId);
    expect(context?.org).toEqual(org);
    expect(context?.project).toEqual(project);
    expect([...(context?.spaces.values() ?? [])]).toEqual(spaces);
    expect([...(context?.entries.keys() ?? [])]).toEqual(['pg/b', 'pg/a', 'ms/a']);
    expect([...(context?.entries.values() ?? [])]).toEqual(
      drafts.map((draft) => ({
        ...draft,
        alias: draft.database,
        spaces: ['dev', 'staging', 'prod'],
        projectId: project.projectId,
        id: expect.any(String),
      })),
    );
    await store.refresh();
    expect(store.projectContext(org.orgId, project.projectId)).toBe(context);
    expect(await store.listProjects(org)).toEqual([{ project, spaces }]);
    expect(await store.createProject(aProject(org.orgId, { abbreviation: project.abbreviation }), threeSpaces(), [])).toEqual({
      kind: 'exists',
      existing: { project, spaces },
    });
    expect(await store.createProject(aProject(newUlid()), threeSpaces(), [])).toEqual({ kind: 'org_unknown' });
  });

  test('keeps a password for its registered hosts and user only', async () => {
    const scope = await aTenant(store, [anEntry()]);
    const elsewhere = [{ host: 'attacker.example', port: 5432 }];
    for (const change of [{ username: 'new' }, { hosts: elsewhere }])
      await expect(store.changeEntry(scope, { ...anEntry(change), password: null })).rejects.toMatchObject({ key: 'password_required' });
    expect(await store.changeEntry(scope, anEntry({ hosts: elsewhere, password: 'theirs' }))).toBe(true);
  });

  test('changes entries at once, with a new id for each state, and keeps the password on request', async () => {
    const scope = await aTenant(store, [anEntry(), anEntry({ database: 'other' })]);
    const read = async () => (await store.projectContext(scope.orgId, scope.projectId))?.entries;
    const before = (await read())?.get('pg/shop');
    expect(await store.changeEntry(scope, { ...anEntry({ queryTimeoutSecs: 7 }), password: null })).toBe(true);
    const after = await read();
    expect(after?.get('pg/shop')).toMatchObject({ queryTimeoutSecs: 7, password: anEntry().password });
    expect(after?.get('pg/shop')?.id).not.toBe(before?.id);
    expect([...(after?.keys() ?? [])]).toEqual(['pg/shop', 'pg/other']);
    expect(await store.addEntry(scope, anEntry())).toBe('exists');
    expect(await store.addEntry(scope, anEntry({ type: 'ma' }))).toBe('added');
    expect([...((await read())?.keys() ?? [])]).toEqual(['pg/shop', 'pg/other', 'ma/shop']);
    expect(await store.removeEntry(scope, 'pg', 'shop')).toBe('removed');
    expect(await store.removeEntry(scope, 'pg', 'shop')).toBe('unknown');
    expect(await store.changeEntry(scope, { ...anEntry(), password: null })).toBe(false);
    expect([...((await read())?.keys() ?? [])]).toEqual(['pg/other', 'ma/shop']);
  });

  test('stores tokens by hash, lists them in pages, and deletes them at once', async () => {
    const scope = await aTenant(store);
    const made = [1, 2, 3].map(() =>
      aToken(scope, { expiresAt: '2099-01-01T00:00:00+01:00', expiresAtMs: Date.parse('2098-12-31T23:00:00Z') }),
    );
    for (const token of made) {
      expect(await store.tokenByHash(token.hash)).toBeUndefined();
      expect(await store.createToken(token)).toBe('created');
      expect(await store.tokenByHash(token.hash)).toEqual(token);
    }
    const [first, second, third] = made;
    if (first === undefined || second === undefined || third === undefined) throw new Error('unreachable');
    expect(await store.createToken(aToken(scope, { name: first.name }))).toBe('name_taken');
    expect(await store.createToken(aToken({ ...scope, spaceId: newUlid() }))).toBe('project_unknown');
    expect(await store.listTokens(scope, { offset: 1, limit: 5 })).toEqual([second, third]);
    expect(await store.deleteToken(scope, second.tokenId)).toBe(true);
    expect(await store.tokenByHash(second.hash)).toBeUndefined();
    expect(await store.deleteToken(scope, second.tokenId)).toBe(false);
  });

  test('keeps each version of a definition, the highest first', async () => {
    const scope = await aTenant(store);
    const versions = ['1.2', '1.10', '1.10.0-rc.1', '1.9.9'];
    for (const version of versions) {
      const outcome = await store.insertDefinitions(scope, [aDraft({ version })], 'refuse');
      expect(outcome).toEqual({
        kind: 'inserted',
        definitions: [{ definitionId: expect.any(String), uri: 'users', method: 'get', version }],
      });
      expect((await endpointOf(scope, 'users'))?.versions.get('get')?.some((one) => one.version === version)).toBe(true);
    }
    await store.insertDefinitions(scope, [aDraft({ method: 'post', password: null })], 'refuse');
    const endpoint = await endpointOf(scope, 'users');
    expect(endpoint?.versions.get('get')?.map(({ version }) => version)).toEqual(['1.10', '1.10.0-rc.1', '1.9.9', '1.2']);
    expect(endpoint?.versions.get('post')).toMatchObject([{ password: null, unreadable: null, document: aDraft().document }]);
    expect(endpoint?.versions.get('get')?.[0]).toMatchObject({ password: 'secret', userId, lastFailureAt: null });
    expect(await endpointOf(scope, 'other')).toBeUndefined();
    expect((await store.listDefinitions(scope)).map(({ method, version }) => `${method} ${version}`)).toEqual([
      'get 1.2',
      'get 1.9.9',
      'get 1.10.0-rc.1',
      'get 1.10',
      'post 1.0',
    ]);
    expect(await store.listDefinitions(scope, 'post')).toHaveLength(1);
    expect(await store.insertDefinitions(scope, [aDraft({ version: '1.10' })], 'refuse')).toMatchObject({ kind: 'exists' });
  });

  test('inserts all definitions or none', async () => {
    const scope = await aTenant(store);
    await store.insertDefinitions(scope, [aDraft()], 'refuse');
    const drafts = [aDraft({ uri: 'a' }), aDraft({ uri: 'b', rollbackVersion: '0.9' })];
    expect(await store.insertDefinitions(scope, drafts, 'refuse')).toEqual({ kind: 'rollback_unknown', version: '0.9' });
    expect(await store.insertDefinitions(scope, [aDraft({ uri: 'a' }), aDraft()], 'drop')).toEqual({
      kind: 'exists',
      address: { uri: 'users', method: 'get', version: '1.0' },
    });
    expect(await store.insertDefinitions(scope, [aDraft({ uri: 'a' }), aDraft({ uri: 'a' })], 'drop')).toMatchObject({ kind: 'exists' });
    expect(await store.insertDefinitions({ ...scope, spaceId: newUlid() }, drafts, 'drop')).toEqual({ kind: 'space_unknown' });
    expect(await store.listDefinitions(scope)).toHaveLength(1);
    expect(await store.insertDefinitions(scope, drafts, 'drop')).toMatchObject({ kind: 'inserted' });
    expect((await endpointOf(scope, 'b'))?.versions.get('get')?.[0]?.rollbackVersion).toBeNull();
    const together = [aDraft({ uri: 'c', version: '2', rollbackVersion: '1' }), aDraft({ uri: 'c', version: '1' })];
    expect(await store.insertDefinitions(scope, together, 'refuse')).toMatchObject({ kind: 'inserted' });
    expect((await endpointOf(scope, 'c'))?.versions.get('get')?.[0]?.rollbackVersion).toBe('1');
  });

  test('deletes only the history of definitions that were deleted 90 days ago', async () => {
    const scope = await aTenant(store);
    const addresses = ['old', 'recent', 'kept'].map((uri) => ({ uri, method: 'get', version: '1.0' }) as const);
    const [old, recent] = addresses;
    await store.insertDefinitions(
      scope,
      addresses.map((address) => aDraft(address)),
      'refuse',
    );
    for (const address of [old, recent]) await store.deleteDefinition(scope, address as (typeof addresses)[number]);
    const set = 'UPDATE definition_history SET at = ? WHERE space_id = ? AND uri';
    await place.sql(`${set} = 'old'`, [new Date(Date.now() - 91 * 86_400_000).toISOString(), scope.spaceId]);
    await place.sql(`${set} IN ('recent', 'kept')`, [new Date(Date.now() - 89 * 86_400_000).toISOString(), scope.spaceId]);
    await store.insertDefinitions(scope, [aDraft({ uri: 'new' })], 'refuse');
    const actions = async (uri: string) => (await store.history(scope, uri, 'get')).map(({ action }) => action).sort();
    expect(await actions('old')).toEqual([]);
    expect(await actions('recent')).toEqual(['delete', 'deploy']);
    expect(await actions('kept')).toEqual(['deploy']);
    expect(await actions('new')).toEqual(['deploy']);
  });

  test('keeps a version that is the rollback version of another', async () => {
    const scope = await aTenant(store);
    await store.insertDefinitions(scope, [aDraft()], 'refuse');
    expect(await store.insertDefinitions(scope, [aDraft({ version: '2.0', rollbackVersion: '2.0' })], 'refuse')).toMatchObject({
      kind: 'rollback_unknown',
    });
    await store.insertDefinitions(scope, [aDraft({ version: '2.0', rollbackVersion: '1.0' })], 'refuse');
    const address = { uri: 'users', method: 'get', version: '1.0' } as const;
    expect(await store.updateDefinition(scope, aDraft({ document: 'changed' }))).toEqual({ kind: 'referenced', by: '2.0' });
    expect(await store.deleteDefinition(scope, address)).toEqual({ kind: 'referenced', by: '2.0' });
    expect(await store.updateDefinition(scope, aDraft({ version: '2.0', rollbackVersion: '3' }))).toEqual({
      kind: 'rollback_unknown',
      version: '3',
    });
    expect(await store.updateDefinition(scope, aDraft({ version: '2.0' }))).toMatchObject({ kind: 'changed' });
    const before = (await endpointOf(scope, 'users'))?.versions.get('get')?.[1];
    expect(await store.updateDefinition(scope, aDraft({ document: 'changed', password: 'new' }))).toEqual({
      kind: 'changed',
      definitionId: before?.definitionId,
    });
    const after = (await endpointOf(scope, 'users'))?.versions.get('get')?.[1];
    expect(after).toMatchObject({ document: 'changed', password: 'new', createdAt: before?.createdAt });
    expect(after?.revision).not.toBe(before?.revision);
    expect(await store.deleteDefinition(scope, address)).toMatchObject({ kind: 'changed' });
    expect(await store.deleteDefinition(scope, address)).toEqual({ kind: 'unknown' });
    expect(await store.updateDefinition(scope, aDraft())).toEqual({ kind: 'unknown' });
    expect((await endpointOf(scope, 'users'))?.versions.get('get')).toHaveLength(1);
  });

  test('records the last failure of a version, however many there are', async () => {
    const scope = await aTenant(store);
    await store.insertDefinitions(scope, [aDraft()], 'refuse');
    const id = (await store.listDefinitions(scope))[0]?.definitionId ?? '';
    for (let i = 0; i < 500; i += 1) store.recordFailure(scope, id, `failure ${i}`);
    expect(await store.definition(scope, id)).toMatchObject({ lastFailureMessage: 'failure 499', lastFailureAt: expect.any(String) });
    store.recordFailure({ ...scope, orgId: newUlid() }, id, 'of another tenant');
    expect((await store.definition(scope, id))?.lastFailureMessage).toBe('failure 499');
  });

  test('keeps modules by name, overwritten and deleted at once', async () => {
    const scope = await aTenant(store);
    const read = async () => store.modules(scope.orgId, scope.projectId, scope.spaceId);
    expect((await read())?.size).toBe(0);
    expect(await store.putModule(scope, { module: 'm', code: 'a', userId })).toBe(true);
    const first = (await read())?.get('m');
    expect(first).toMatchObject({ module: 'm', code: 'a', userId });
    await store.putModule(scope, { module: 'm', code: 'b', userId });
    const second = (await read())?.get('m');
    expect(second?.code).toBe('b');
    expect(second?.revision).not.toBe(first?.revision);
    expect(await store.putModule({ ...scope, spaceId: newUlid() }, { module: 'm', code: 'a', userId })).toBe(false);
    expect(await store.deleteModule(scope, 'm')).toBe(true);
    expect(await store.deleteModule(scope, 'm')).toBe(false);
    expect((await read())?.size).toBe(0);
  });

  test('writes modules together with definitions, only if the replaced modules are unchanged', async () => {
    const scope = await aTenant(store);
    const userId = newUlid();
    const codes = async (): Promise<readonly string[]> =>
      Array.from((await store.modules(scope.orgId, scope.projectId, scope.spaceId))?.values() ?? [], ({ code }) => code);
    await store.putModule(scope, { module: 'm', code: 'old', userId });
    const before = (await store.modules(scope.orgId, scope.projectId, scope.spaceId))?.get('m')?.revision ?? '';
    const arriving = (replaces: string | null) => [
      { module: 'n', code: 'n', userId, replaces: null },
      { module: 'm', code: 'new', userId, replaces },
    ];
    for (const replaces of [null, newUlid()])
      expect(await store.insertDefinitions(scope, [aDraft()], 'drop', arriving(replaces))).toEqual({ kind: 'module_changed', module: 'm' });
    expect(await store.insertDefinitions(scope, [aDraft(), aDraft()], 'drop', arriving(before))).toMatchObject({ kind: 'exists' });
    expect([await codes(), await store.listDefinitions(scope)]).toEqual([['old'], []]);
    expect(await store.insertDefinitions(scope, [aDraft()], 'drop', arriving(before))).toMatchObject({ kind: 'inserted' });
    expect(await codes()).toEqual(['new', 'n']);
    expect(await store.insertDefinitions(scope, [aDraft({ version: '9' })], 'drop', arriving(before))).toMatchObject({
      kind: 'module_changed',
    });
  });

  test('deletes all records of a deleted project', async () => {
    const scope = await aTenant(store, [anEntry()]);
    const token = aToken(scope);
    await store.createToken(token);
    await store.insertDefinitions(scope, [aDraft()], 'refuse');
    await store.putModule(scope, { module: 'm', code: 'a', userId });
    expect(await endpointOf(scope, 'users')).toBeDefined();
    expect(await store.tokenByHash(token.hash)).toBeDefined();
    expect(await store.deleteProject({ ...scope, orgId: newUlid() })).toBe(false);
    expect(await store.deleteProject(scope)).toBe(true);
    expect(await store.deleteProject(scope)).toBe(false);
    expect(await store.projectContext(scope.orgId, scope.projectId)).toBeUndefined();
    expect(await store.tokenByHash(token.hash)).toBeUndefined();
    expect(await endpointOf(scope, 'users')).toBeUndefined();
    expect((await store.modules(scope.orgId, scope.projectId, scope.spaceId))?.size).toBe(0);
    for (const table of ['entries', 'spaces', 'tokens', 'definitions', 'lark_modules'])
      expect(await place.sql(`SELECT 1 AS found FROM ${table} WHERE project_id = ?`, [scope.projectId])).toEqual([]);
  });

  test('finds no record if one of its ids is of another tenant', async () => {
    const mine = await aTenant(store, [anEntry()]);
    const other = await aTenant(store, [anEntry()]);
    await store.insertDefinitions(mine, [aDraft()], 'refuse');
    await store.putModule(mine, { module: 'm', code: 'a', userId });
    const token = aToken(mine);
    await store.createToken(token);
    const id = (await store.listDefinitions(mine))[0]?.definitionId ?? '';
    const address = { uri: 'users', method: 'get', version: '1.0' } as const;
    const swapped: SpaceScope[] = [];
    for (let bits = 1; bits < 8; bits += 1)
      swapped.push({
        orgId: bits & 1 ? other.orgId : mine.orgId,
        projectId: bits & 2 ? other.projectId : mine.projectId,
        spaceId: bits & 4 ? other.spaceId : mine.spaceId,
      });
    for (const scope of swapped) {
      const wholeOther = scope.orgId === other.orgId && scope.projectId === other.projectId;
      if (!wholeOther && (scope.orgId !== mine.orgId || scope.projectId !== mine.projectId)) {
        expect(await store.projectContext(scope.orgId, scope.projectId)).toBeUndefined();
        expect(await store.addEntry(scope, anEntry({ database: 'x' }))).toBe('project_unknown');
        expect(await store.deleteProject(scope)).toBe(false);
        expect(await store.changeEntry(scope, anEntry())).toBe(false);
        expect(await store.removeEntry(scope, 'pg', 'shop')).toBe('unknown');
        expect(await store.listTokens(scope, { offset: 0, limit: 10 })).toEqual([]);
      }
      if (scope.orgId !== mine.orgId || scope.projectId !== mine.projectId)
        expect(await store.deleteToken(scope, token.tokenId)).toBe(false);
      expect(await store.endpoint(scope.orgId, scope.projectId, scope.spaceId, 'users')).toBeUndefined();
      expect(await store.definition(scope, id)).toBeUndefined();
      expect(await store.listDefinitions(scope)).toEqual([]);
      expect(await store.updateDefinition(scope, aDraft({ document: 'stolen' }))).toEqual({ kind: 'unknown' });
      expect(await store.deleteDefinition(scope, address)).toEqual({ kind: 'unknown' });
      expect((await store.modules(scope.orgId, scope.projectId, scope.spaceId))?.size).toBe(0);
      expect(await store.deleteModule(scope, 'm')).toBe(false);
      const whole = wholeOther && scope.spaceId === other.spaceId;
      expect((await store.insertDefinitions(scope, [aDraft({ uri: 'planted' })], 'drop')).kind).toBe(whole ? 'inserted' : 'space_unknown');
      expect(await store.putModule(scope, { module: 'planted', code: '', userId })).toBe(whole);
      expect(await store.createToken(aToken(scope))).toBe(whole ? 'created' : 'project_unknown');
      if (whole) {
        await store.deleteDefinition(scope, { ...address, uri: 'planted' });
        await store.deleteModule(scope, 'planted');
      }
    }
    expect(await store.tokenByHash(token.hash)).toEqual(token);
    expect(await store.definition(mine, id)).toMatchObject({ document: aDraft().document });
    expect([...((await store.projectContext(mine.orgId, mine.projectId))?.entries.keys() ?? [])]).toEqual(['pg/shop']);
    expect(await store.createProject(aProject(other.orgId, { projectId: mine.projectId }), threeSpaces(), [])).toEqual({
      kind: 'id_taken',
    });
  });

  test('notifies listeners of changes by topic and key', async () => {
    const heard: Change[] = [];
    store.onChange((change) => heard.push(change));
    const scope = await aTenant(store);
    await store.insertDefinitions(scope, [aDraft({ uri: 'a/b' })], 'refuse');
    expect(heard).toEqual([
      { topic: 'org', key: scope.orgId },
      { topic: 'project', key: `${scope.orgId}/${scope.projectId}` },
      { topic: 'endpoint', key: `${scope.orgId}/${scope.projectId}/${scope.spaceId}/a/b` },
    ]);
    expect(await endpointOf(scope, 'a/b')).toBeDefined();
  });

  test('stores no password or token in clear text', async () => {
    const scope = await aTenant(store, [anEntry({ password: 'clear-text-marker' })]);
    await store.insertDefinitions(scope, [aDraft({ password: 'clear-text-marker' })], 'refuse');
    for (const table of ['entries', 'definitions'])
      expect(JSON.stringify(await place.sql(`SELECT * FROM ${table}`))).not.toContain('clear-text-marker');
  });

  test('is reachable', async () => {
    await store.ping();
  });
});
