// A project that uses everything it can beside one with small requests: the small requests stay
// about as fast as without it.
import { setMaxListeners } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { Bench } from '../custom/definitions.ts';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { pulseDuring } from '../support/pulse.ts';
import { type Service, setUpProject, startService } from '../support/service.ts';

/**
 * Milliseconds that a small request may take on a machine with a free core. The best of several
 * tries counts.
 */
const AT_ONCE = 100;
const TRIES = 3;
const CALLERS = 16;

let service: Service;
let database: TestDatabase;
/** The project under load, and the one with small requests. */
let greedy: Bench;
let modest: Bench;

beforeAll(async () => {
  database = await createDatabase('postgres');
  await database.run(`CREATE TABLE many AS SELECT n AS id, concat('row ', n) AS name, n * 1.5 AS price FROM generate_series(1, 100000) n;
    ALTER TABLE many ADD PRIMARY KEY (id);
    CREATE VIEW million AS SELECT n AS id, concat('row ', n) AS name, n * 1.5 AS price FROM generate_series(1, 1000000) n`);
  service = await startService({ env: { MILLRACE_MAX_PAGE_SIZE: '10000000', MILLRACE_LOG_LEVEL: 'warn' } });
  greedy = new Bench(service, await setUpProject(service, [database.entry()]), database);
  modest = new Bench(service, await setUpProject(service, [database.entry()]), database);
  await greedy.deploy({ uri: 'loop', config, logic: [{ lark: 'loop', code: 'for i in range(1000000000):\n    pass\nresult = 1' }] });
  const count = 'n = 0\nfor row in step_0:\n    n += 1\nresult = n';
  await greedy.deploy({ uri: 'rows', config, logic: [{ sql: 'SELECT id, name, price FROM many' }, { lark: 'count', code: count }] });
  await modest.deploy({ uri: 'short', logic: [{ lark: 'short', code: 'for i in range(100000):\n    pass\nresult = 7' }] });
});
afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

const config = { limits: { time_ms: 20_000, steps: 10_000_000_000, memory_mb: 256 } };

/** Runs an activity until it is aborted. */
async function beside<T>(start: (signal: AbortSignal) => Promise<unknown>, count: number, work: () => Promise<T>): Promise<T> {
  const over = new AbortController();
  setMaxListeners(0, over.signal);
  const running = Array.from({ length: count }, async () => {
    while (!over.signal.aborted) await start(over.signal).catch(() => undefined);
  });
  try {
    return await work();
  } finally {
    over.abort();
    await Promise.all(running);
  }
}

async function bestOf(measure: () => Promise<number>, enough = AT_ONCE): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES && best >= enough; tries++) best = Math.min(best, await measure());
  return best;
}

/** Compiling takes turns of some milliseconds, or happens elsewhere. */
const COMPILING = 60;

/** Definitions of nearly the size that is allowed, each as costly as can be in its own way. */
const LARGEST = 250_000;
const DOCUMENTS: readonly (readonly [name: string, valid: boolean, text: () => string])[] = [
  ['a hundred steps of much code', true, () => stringify(greedy.document({ uri: 'l', logic: steps(100, 24) }))],
  ['one step of very much code', true, () => stringify(greedy.document({ uri: 'l', logic: steps(1, 2400) }))],
  ['one statement of very much SQL', true, () => stringify(greedy.document({ uri: 'l', logic: [{ sql: LONG_SQL }] }))],
  ['one expression as long as can be', true, () => stringify(greedy.document({ uri: 'l', logic: [{ expr: 'e', code: LONG_EXPR }] }))],
  ['thousands of steps', false, () => stringify(greedy.document({ uri: 'l', logic: steps(4000, 0) }))],
  ['one long list', false, () => filled('logic: [a', ',a', ']')],
  ['thousands of keys', false, () => Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`).join('\n')],
  ['thousands of open brackets', false, () => filled('logic: ', '[', '')],
];

const LONG_SQL = `SELECT ARRAY[${Array.from({ length: 5500 }, (_, i) => `${i} + length('it''s') + ?:x::int`).join(', ')}] AS a`;
const LONG_EXPR = `[${Array.from({ length: 1600 }, (_, i) => `len(input.a)${' '.repeat(8)}+ ${i}`).join(', ')}]`;

function filled(before: string, unit: string, after: string): string {
  return before + unit.repeat((LARGEST - before.length - after.length) / unit.length) + after;
}

function steps(count: number, lines: number): readonly object[] {
  const code = `${'x = [len("some text"), {"a": 1 + 2}, [i for i in range(3)]]\ny = x[0] if x else None\n'.repeat(lines)}result = 1`;
  return Array.from({ length: count }, (_, i) => ({ lark: `s${i}`, code }));
}

describe('beside a project that takes all it can', () => {
  test(`a short step does not wait for ${CALLERS} programs of twenty seconds`, async () => {
    expect(await modest.rows('GET', 'short')).toBe(7);
    const loop = (signal: AbortSignal) => greedy.get('loop', { signal });
    const worst = await beside(loop, CALLERS, () =>
      bestOf(async () => {
        const [, { worst: pulse }] = await pulseDuring(
          { ...service, path: modest.path('short'), headers: modest.project.headers },
          async () => {
            for (let i = 0; i < 10; i++) expect(await modest.rows('GET', 'short')).toBe(7);
          },
        );
        return pulse;
      }),
    );
    expect(worst).toBeLessThan(AT_ONCE);
  });

  test('nobody is held up by 100,000 rows on their way into a program', async () => {
    const worst = await bestOf(async () => {
      const [, pulse] = await pulseDuring(service, async () => {
        const answers = await Promise.all([greedy.rows('GET', 'rows'), greedy.rows('GET', 'rows')]);
        expect(answers).toEqual([100_000, 100_000]);
      });
      return pulse.worst;
    });
    expect(worst).toBeLessThan(AT_ONCE);
  });

  test('nobody is held up by four readers of a million rows each', async () => {
    const path = `${greedy.project.autoPath(database.dbType, database.name, 'million')}?pg=0&ps=1000000`;
    const read = (signal: AbortSignal) => service.request('GET', path, { headers: greedy.project.headers, signal });
    const other = `${modest.project.autoPath(database.dbType, database.name, 'many')}?id=eq.7`;
    const worst = await beside(read, 4, () =>
      bestOf(async () => {
        const watched = { ...service, path: other, headers: modest.project.headers };
        const [, pulse] = await pulseDuring(watched, () => new Promise((resolve) => setTimeout(resolve, 2000)));
        return pulse.worst;
      }),
    );
    expect(worst).toBeLessThan(AT_ONCE);
  });

  test.each(DOCUMENTS)('nobody is held up by the check of %s', async (_, valid, text) => {
    const document = text();
    expect(document.length).toBeLessThan(256 * 1024);
    const worst = await bestOf(async () => {
      const [, pulse] = await pulseDuring(service, async () => {
        for (let i = 0; i < 3; i++) {
          const answer = await greedy.send('POST', '/check', document);
          expect([answer.status, answer.json<{ valid: boolean }>().valid]).toEqual([200, valid]);
        }
      });
      return pulse.worst;
    }, COMPILING);
    expect(worst).toBeLessThan(COMPILING);
  });

  test('nobody is held up by long modules and definitions when they are first called', async () => {
    let round = 0;
    const worst = await bestOf(async () => {
      round++;
      await putModule(`long_${round}`, `${LONG_LARK}\ndef seven():\n    return 7\n`);
      const load = `load("long_${round}", "seven")\nresult = seven()`;
      await greedy.deploy({ uri: `loads/${round}`, config, logic: [{ lark: 'short', code: load }] });
      await greedy.deploy({ uri: `long/${round}`, config, logic: [{ lark: 'long', code: `${LONG_LARK}\nresult = y` }] });
      const [answers, pulse] = await pulseDuring(service, () =>
        Promise.all([greedy.rows('GET', `loads/${round}`), greedy.rows('GET', `long/${round}`)]),
      );
      expect(answers).toEqual([7, 9]);
      return pulse.worst;
    }, COMPILING);
    expect(worst).toBeLessThan(COMPILING);
  });
});

const LONG_LARK = 'x = [len("some text"), {"a": 1 + 2}, [i for i in range(3)]]\ny = x[0] if x else None\n'.repeat(2400);

async function putModule(module: string, code: string): Promise<void> {
  const { orgId, projectId, userId, headers } = greedy.project;
  const body = stringify({ org_id: orgId, project_id: projectId, space_id: headers['x-space-id'], user_id: userId, module, code });
  const put = { headers: { ...headers, 'content-type': 'application/x-yaml' }, body };
  expect((await service.request('POST', '/svc/code/v1/lark/', put)).status).toBe(201);
}

describe('code that is compiled elsewhere', () => {
  const COMMENTS = '# a line that makes the text long\n'.repeat(1200);

  test('answers as short code does, with its verdicts and its places', async () => {
    const code = `${COMMENTS}if input.n == "2":\n    refuse(404, "none")\nif input.n == "3":\n    fail("three")\nif input.n == "4":\n    x = 1 // 0\nprint("here")\nresult = [input.n, step_0]`;
    await greedy.deploy({
      uri: 'far',
      logic: [
        { expr: 'e', code: `${' '.repeat(40_000)}5001` },
        { lark: 'l', code },
      ],
    });
    expect(await greedy.rows('GET', 'far?n=1')).toEqual(['1', 5001]);
    expect((await greedy.get('far?n=2')).json()).toEqual({ code: 404, status: 'Not Found', message: 'none' });
    expect((await greedy.get('far?n=3')).json()).toMatchObject({ code: 422, message: 'three' });
    expect((await greedy.get('far?n=4')).json()).toMatchObject({ code: 500, message: expect.stringContaining('line 1206, column ') });
    expect((await greedy.get('far')).json()).toMatchObject({ code: 400, message: expect.stringContaining('"n"') });
  });

  test('is refused with its places', async () => {
    const logic = [
      { lark: 'l', code: `${COMMENTS}result = nowhere` },
      { expr: 'e', code: `${' '.repeat(40_000)}nothing` },
      { sql: `SELECT 1 ${' '.repeat(40_000)}; SELECT 2` },
    ];
    const answer = await greedy.send('POST', '/check?prepare=false', stringify(greedy.document({ uri: 'wrong', logic })));
    const { valid, problems } = answer.json<{ valid: boolean; problems: { message: string; step: string }[] }>();
    expect(valid).toBe(false);
    expect(problems.map(({ step, message }) => [step, message])).toEqual([
      ['step_0', expect.stringContaining('line 1201, column 10: undefined: nowhere')],
      ['step_1', expect.stringContaining('line 1, column 40001')],
      ['step_2', expect.stringContaining('one statement')],
    ]);
  });
});
