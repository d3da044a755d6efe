// Two tenants of one service. The PostgreSQL of one sends invalid messages: that tenant gets 424,
// the log has the reason, and the other tenant is not affected.
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { PATIENCE } from '../support/patience.ts';
import { type Response, type Service, setUpProject, startService, type TestProject } from '../support/service.ts';
import { LyingProxy } from './lying-proxy.ts';

const CANARY = 'canary-of-the-other-tenant';
const ROW = 0x44;

let service: Service;
let honest: { readonly database: TestDatabase; readonly project: TestProject };
let liar: { readonly database: TestDatabase; readonly project: TestProject; readonly proxy: LyingProxy };

beforeAll(async () => {
  const [started, own, lying] = await Promise.all([
    startService({ env: { MILLRACE_MAX_ROW_BYTES: '2000000' } }),
    createDatabase('postgres'),
    createDatabase('postgres'),
  ]);
  service = started;
  await own.run(`CREATE TABLE secrets (id int PRIMARY KEY, word text);
    INSERT INTO secrets SELECT n, repeat('${CANARY} ', 40) FROM generate_series(1, 500) n`);
  await lying.run(`CREATE TABLE lies (id int PRIMARY KEY, lie text); INSERT INTO lies SELECT n, 'true' FROM generate_series(1, 3) n;
    CREATE VIEW large AS SELECT n AS id, repeat('x', n) AS word FROM unnest(ARRAY[1000000, 1999900, 2000100]) n`);
  const proxy = await LyingProxy.start(lying.address, 'lie');
  honest = { database: own, project: await setUpProject(service, [own.entry()]) };
  liar = { database: lying, proxy, project: await setUpProject(service, [lying.entry({ host_details: proxy.details })]) };
});
afterAll(async () => {
  await service?.stop();
  liar?.proxy.stop();
  await Promise.all([honest?.database.drop(), liar?.database.drop()]);
});

const read = ({ database, project }: { database: TestDatabase; project: TestProject }, path: string): Promise<Response> =>
  service.request('GET', `/svc/api/rest/auto/v1/pg/${database.name}/${path}`, { headers: project.headers });

/** A row of one column that is shorter than its announced length. */
const shortRow = Buffer.from([ROW, 0, 0, 0, 14, 0, 2, 0, 0, 0x10, 0, 0x31, 0x32, 0x33, 0x34]);
const endlessError = Buffer.from([0x45, 0, 0, 0, 8, 0x4d, 0x61, 0x62, 0x63]);
const lengthOf =
  (length: number) =>
  (message: Buffer): Buffer => {
    const changed = Buffer.from(message);
    changed.writeInt32BE(length, 1);
    return changed;
  };

const LIES: readonly (readonly [string, (message: Buffer) => Buffer, RegExp])[] = [
  ['a cell of 4,096 bytes in a short row', (message) => (message[0] === ROW ? shortRow : message), /cells of \d+ bytes in a row of 10/],
  ['a message of length -1', lengthOf(-1), /a message of length -1/],
  ['a message of length 0', lengthOf(0), /a message of length 0/],
  [
    'a row of a gigabyte',
    (message) => (message[0] === ROW ? lengthOf(2 ** 30)(message) : message),
    /a row of 1073741824 bytes; at most 2000000 are read/,
  ],
  ['an error without an end', () => endlessError, /an unterminated string/],
];

interface Witnessed {
  /** Responses to the other tenant. */
  readonly others: number;
  /** 90th percentile of `/healthz`, in milliseconds. */
  readonly usualMs: number;
  readonly longestMs: number;
}

/**
 * Sends ten requests to the invalid database while the other tenant reads and a probe calls
 * `/healthz`.
 */
async function witness(judge: (answer: Response) => void): Promise<Witnessed> {
  const probes: number[] = [];
  let others = 0;
  let over = false;
  const other = async (): Promise<void> => {
    while (!over) {
      const { status, text } = await read(honest, 'secrets?pg=0&ps=500');
      if (status !== 200 || !text.includes(CANARY)) throw new Error(`the other tenant got ${status}`);
      others++;
    }
  };
  const probe = async (): Promise<void> => {
    while (!over) {
      const began = performance.now();
      const { status } = await service.request('GET', '/healthz');
      if (status !== 200) throw new Error(`/healthz answered ${status}`);
      probes.push(performance.now() - began);
      await wait(5);
    }
  };
  const attack = async (): Promise<void> => {
    try {
      for (let i = 0; i < 10; i++) judge(await read(liar, 'lies?pg=0&ps=5'));
    } finally {
      over = true;
    }
  };
  await Promise.all([attack(), other(), other(), probe()]);
  probes.sort((a, b) => a - b);
  return { others, usualMs: probes[Math.floor(probes.length * 0.9)] ?? 0, longestMs: probes.at(-1) ?? 0 };
}

describe('a database that sends invalid messages', () => {
  test.each(LIES)('%s', async (_, lie, reason) => {
    liar.proxy.lie = undefined;
    // The same requests with valid messages: the machine may be busy with other work.
    const calm = await witness((answer) => expect(answer.status).toBe(200));
    liar.proxy.lie = lie;
    const witnessed = await witness((answer) => {
      expect([answer.status, answer.text]).toEqual([424, expect.stringMatching(reason)]);
      expect(answer.text).not.toContain('canary');
    });
    expect(witnessed.others).toBeGreaterThan(0);
    expect(witnessed.usualMs).toBeLessThan(Math.max(100, 3 * calm.usualMs));
    expect(witnessed.longestMs).toBeLessThan(Math.max(1000, 3 * calm.longestMs));
    // Log lines are written within a second.
    const logged = (): unknown[] => service.logs().filter((line) => reason.test(String(line['reason'])));
    await expect.poll(() => logged().length, PATIENCE).toBe(10);
    expect(service.output()).not.toContain('canary');
  });

  test('works again when its messages are valid', async () => {
    liar.proxy.lie = undefined;
    expect((await read(liar, 'lies?pg=0&ps=1&id=eq.1')).json()).toEqual([{ id: 1, lie: 'true' }]);
  });

  test('may not send a row that is larger than MILLRACE_MAX_ROW_BYTES', async () => {
    const fitting = await read(liar, 'large?pg=0&ps=5&id=le.1999900');
    expect([fitting.status, fitting.json<{ word: string }[]>().map(({ word }) => word.length)]).toEqual([200, [1_000_000, 1_999_900]]);
    const answer = await read(liar, 'large?pg=0&ps=5&id=eq.2000100');
    expect(answer.status).toBe(424);
    expect(answer.text).toMatch(/a row of \d+ bytes; at most 2000000 are read/);
  });
});

const SIZE = 64 * 1024 * 1024;
/** Views with one value, and its length in the response, where bytes are base64. */
const LARGE = {
  postgres: { view: `SELECT 1 AS id, decode(repeat('ab', ${SIZE}), 'hex') AS raw`, length: 4 * Math.ceil(SIZE / 3) },
  mysql: { view: `SELECT 1 AS id, CAST(repeat('a', ${SIZE}) AS BINARY) AS raw`, length: 4 * Math.ceil(SIZE / 3) },
  mariadb: { view: `SELECT 1 AS id, CAST(repeat('a', ${SIZE}) AS BINARY) AS raw`, length: 4 * Math.ceil(SIZE / 3) },
  clickhouse: { view: `SELECT 1 AS id, repeat(repeat('a', 65536), ${SIZE / 65_536}) AS raw`, length: SIZE },
} as const;

describe('a value of 64 MB is read by default', () => {
  let large: Service;
  beforeAll(async () => {
    large = await startService();
  });
  afterAll(() => large?.stop());

  test.each(Object.keys(LARGE) as (keyof typeof LARGE)[])('%s', async (engine) => {
    const database = await createDatabase(engine);
    try {
      const { view, length } = LARGE[engine];
      // These servers limit values to the size of a packet.
      if (engine === 'mysql' || engine === 'mariadb') await database.run('SET GLOBAL max_allowed_packet = 268435456');
      await database.run(`CREATE VIEW large AS ${view}`);
      const project = await setUpProject(large, [database.entry()]);
      const path = project.autoPath(database.dbType, database.name, 'large');
      const answer = await large.request('GET', `${path}?pg=0&ps=1`, { headers: project.headers });
      expect([answer.status, answer.body.length]).toEqual([200, '[{"id":1,"raw":""}]'.length + length]);
    } finally {
      await database.drop();
    }
  });
});
