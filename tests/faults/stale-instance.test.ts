// Two instances on one PostgreSQL store. One loses contact to it, and still rejects a token that
// the other one deleted, serves gateway-authenticated calls from memory, and recovers without help.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Bench } from '../custom/definitions.ts';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { PATIENCE } from '../support/patience.ts';
import { FaultProxy } from '../support/proxy.ts';
import { type Response, type Service, setUpProject, startService, type TestProject } from '../support/service.ts';

const STALE_SECS = 4;
const TRIES = 30;

interface Token {
  readonly id: string;
  readonly secret: string;
}

describe('an instance that is cut off from the store', () => {
  let store: TestDatabase;
  let data: TestDatabase;
  let proxy: FaultProxy;
  let writer: Service;
  let lonely: Service;
  let project: TestProject;
  let autoPath: string;

  const storeUrl = (port: number): string => {
    const { user, password, host } = store.address;
    return `postgres://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}:${port}/${store.name}`;
  };
  const makeToken = async (name: string): Promise<Token> => {
    const answer = await writer.request('POST', '/svc/system/api/v1/token', {
      headers: project.systemHeaders,
      body: { name, key_type: 'r--', roles: 'viewer' },
    });
    const { token_id: id, power_token: secret } = answer.json<{ token_id: string; power_token: string }>();
    return { id, secret };
  };
  const withToken = ({ secret }: Token): Promise<Response> =>
    lonely.request('GET', `${autoPath}&pwt=${secret}`, { headers: { 'x-power-token': secret } });
  const deleteToken = ({ id }: Token): Promise<Response> =>
    writer.request('DELETE', `/svc/system/api/v1/token?token_id=${id}`, { headers: project.systemHeaders });
  /** How many have a lease that runs. */
  const instances = async (): Promise<number> => {
    const now = '(extract(epoch from clock_timestamp()) * 1000)';
    return (await store.run(`SELECT id FROM millrace.instances WHERE lease_until > ${now}`)).length;
  };
  const withHeaders = async (path: string, roles = 'admin'): Promise<number> =>
    (await lonely.request('GET', path, { headers: { ...project.headers, 'x-user-roles': roles } })).status;
  const persona = (method: string, query: string, body?: object): Promise<Response> =>
    writer.request(method, `/svc/persona/v1${query}`, { headers: project.headers, ...(body && { body }) });

  beforeAll(async () => {
    [store, data] = await Promise.all([createDatabase('postgres'), createDatabase('postgres')]);
    await data.run('CREATE TABLE t (id int PRIMARY KEY)');
    await data.run('INSERT INTO t VALUES (1)');
    proxy = await FaultProxy.start(store.address);
    const env = { MILLRACE_STALE_SECS: String(STALE_SECS) };
    writer = await startService({ env: { ...env, MILLRACE_STORE_URL: storeUrl(store.address.port) } });
    lonely = await startService({
      env: {
        ...env,
        MILLRACE_STORE_URL: storeUrl(proxy.port),
        MILLRACE_SERVER_KEY: writer.serverKey,
        MILLRACE_ENCRYPTION_KEY: writer.encryptionKey,
      },
    });
    project = await setUpProject(writer, [data.entry()]);
    autoPath = `${project.autoPath('pg', data.name, 't')}?pg=0&ps=1`;
    await new Bench(writer, project, data).deploy({ uri: 'hello', logic: [{ expr: 'answer', code: '42' }] });
  });
  afterAll(async () => {
    await proxy?.set({ kind: 'pass' });
    await Promise.all([writer?.stop(), lonely?.stop()]);
    await proxy?.stop();
    await Promise.all([store?.drop(), data?.drop()]);
  });

  const cuts = {
    silently: async () => proxy.set({ kind: 'blackhole' }),
    'by resets': async () => {
      await proxy.set({ kind: 'refuse' });
      proxy.resetAll();
    },
  } as const;

  test.each(['silently', 'by resets'] as const)('%s takes no deleted token, and goes on with headers', async (how) => {
    const customPath = `/${project.orgAbbr}/${project.projectAbbr}/hello`;
    const [gone, kept] = [await makeToken(`gone ${how}`), await makeToken(`kept ${how}`)];
    await expect.poll(instances, PATIENCE).toBe(2);
    for (const token of [gone, kept]) expect((await withToken(token)).status).toBe(200);
    expect([await withHeaders(autoPath), await withHeaders(customPath)]).toEqual([200, 200]);
    expect(await withHeaders(autoPath, 'stranger')).toBe(200);

    await cuts[how]();
    const from = performance.now();
    // A short outage has no effect.
    expect((await withToken(gone)).status).toBe(200);
    expect((await deleteToken(gone)).status).toBe(200);
    const held = performance.now() - from;
    expect(held).toBeGreaterThan(1_000);
    expect(held).toBeLessThan((STALE_SECS + 10) * 1000);

    const answers = await Promise.all(Array.from({ length: TRIES }, () => withToken(gone)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: TRIES }, () => 503));
    expect(answers[0]?.headers['retry-after']).toBe('1');
    // Valid tokens cannot be distinguished from deleted ones.
    expect((await withToken(kept)).status).toBe(503);
    expect([await withHeaders(autoPath), await withHeaders(customPath)]).toEqual([200, 200]);
    // The space was open when the instance lost contact, and stays open there: calls through the
    // gateway do not depend on the store.
    const tables = { [`pg/${data.name}/t`]: { read: true } };
    expect((await persona('POST', '', { persona: 'reader', roles: ['viewer'], tables })).status).toBe(201);
    expect(await withHeaders(autoPath, 'stranger')).toBe(200);
    const asked = performance.now();
    expect((await lonely.request('GET', '/readyz')).status).toBe(503);
    expect(performance.now() - asked).toBeLessThan(15_000);

    if (how === 'silently') proxy.resetAll();
    await proxy.set({ kind: 'pass' });
    await expect.poll(async () => (await withToken(kept)).status, PATIENCE).toBe(200);
    expect((await withToken(gone)).status).toBe(404);
    expect([await withHeaders(autoPath, 'stranger'), await withHeaders(autoPath, 'viewer')]).toEqual([403, 200]);
    expect((await persona('DELETE', '?persona=reader')).status).toBe(200);
    expect(await withHeaders(autoPath, 'stranger')).toBe(200);
    // All confirm again, so nothing waits.
    const again = performance.now();
    expect((await deleteToken(kept)).status).toBe(200);
    expect(performance.now() - again).toBeLessThan(2_000);
    expect((await withToken(kept)).status).toBe(404);
  });

  test('says so once in the log', async () => {
    const lines = () => lonely.logs().filter(({ msg }) => String(msg).includes('tokens are refused'));
    await expect.poll(lines, PATIENCE).toHaveLength(2);
  });
});
