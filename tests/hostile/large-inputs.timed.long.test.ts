// Bodies within the size limit whose values exceed other limits: they are rejected before they fill
// the memory, and other requests are not delayed.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Bench } from '../custom/definitions.ts';
import { residentBytes } from '../spec/big-table.ts';
import { createDatabase, type TestDatabase } from '../support/engines.ts';
import { pulseDuring } from '../support/pulse.ts';
import { type Response, type Service, setUpProject, startService } from '../support/service.ts';

const MEBIBYTE = 1024 * 1024;
const SIZE = 16 * MEBIBYTE;
const AT_A_TIME = 6;
/**
 * Maximum latency of /healthz during the requests, in ms. The best attempt counts, because the
 * machine may be busy.
 */
const AT_ONCE = 100;
const TRIES = 4;
/** Number of further tries if the host was busy. */
const DISTURBED_TRIES = 20;
/**
 * Allowed growth: the bodies in pieces and joined, a project's share of memory, and uncollected
 * memory.
 */
const GROWTH = (2 * AT_A_TIME * 16 + 2 * 128) * MEBIBYTE;

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const BOUNDARY = `----${'-'.repeat(60)}x`;

/** Repeats a unit as often as it fits between two ends. */
function filled(before: string, unit: string, after: string): Buffer {
  const count = Math.floor((SIZE - before.length - after.length) / unit.length);
  return Buffer.concat([Buffer.from(before, 'latin1'), Buffer.alloc(count * unit.length, unit, 'latin1'), Buffer.from(after, 'latin1')]);
}

interface Attack {
  readonly name: string;
  readonly uri: 'json' | 'form' | 'multipart';
  readonly type: string;
  readonly body: () => Buffer;
  readonly statuses: readonly number[];
}

const multipart = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n`;

const ATTACKS: readonly Attack[] = [
  ['arrays 60 deep', () => filled('{"a":[', `${'['.repeat(60)}${']'.repeat(60)},`, '0]}'), [413, 503]],
  ['empty objects', () => filled('{"a":[', '{},', '0]}'), [413, 503]],
  ['short texts', () => filled('{"a":[', '"x",', '0]}'), [413, 503]],
  ['escapes', () => filled('{"a":"', '\\n', '"}'), [200, 503]],
  ['digits', () => filled('{"a":0.', '1', '}'), [400, 503]],
  ['line feeds and no end', () => filled('{', '\n', 'x'), [400, 503]],
  ['a key without end', () => filled('{"', '\\n', '":1}'), [400, 503]],
].map(([name, body, statuses]) => ({ name, uri: 'json', type: JSON_TYPE, body, statuses }) as Attack);

const FORMS: readonly Attack[] = [
  { name: 'a form of separators', uri: 'form', type: FORM_TYPE, body: () => filled('', '&', ''), statuses: [200, 503] },
  { name: 'a form of escapes', uri: 'form', type: FORM_TYPE, body: () => filled('a=', '%41', ''), statuses: [200, 503] },
  { name: 'a form of 8-bit bytes', uri: 'form', type: FORM_TYPE, body: () => filled('a=', '\xff', ''), statuses: [400, 503] },
  {
    name: 'a file of what looks like its end',
    uri: 'multipart',
    type: `multipart/form-data; boundary=${BOUNDARY}`,
    body: () => filled(multipart, `\r\n--${BOUNDARY.slice(0, -1)}`, `\r\n--${BOUNDARY}--\r\n`),
    statuses: [200, 503],
  },
];

interface AutoAttack {
  readonly name: string;
  /** PATCH changes the rows with one id. */
  readonly method?: 'PATCH';
  readonly body: () => Buffer;
  readonly statuses: readonly number[];
}

/** For the Auto API, whose bodies are parsed in place. Two bulk writes run at a time. */
const BATCHES: readonly AutoAttack[] = [
  { name: 'rows without a key', body: () => filled('[', '{},', '7]'), statuses: [400] },
  { name: 'rows of two shapes in turn', body: () => filled('[', '{"id":1},{"doc":[]},', '7]'), statuses: [400] },
  {
    name: 'a document 60 deep',
    body: () => filled('[{"id":1,"doc":[', `${'['.repeat(60)}${']'.repeat(60)},`, '0]}x'),
    statuses: [400],
  },
  { name: 'one large document', body: () => filled('[{"id":1,"doc":[', '[1,{"a":"two"}],', '0]}]'), statuses: [201] },
  { name: 'a number that is a text of escapes', body: () => filled('[{"id":"', '\\n', '"}]'), statuses: [422] },
  { name: 'a change of one large document', method: 'PATCH', body: () => filled('{"doc":[', '[1,{"a":"two"}],', '0]}'), statuses: [200] },
  { name: 'a change to a text of escapes', method: 'PATCH', body: () => filled('{"id":"', '\\n', '"}'), statuses: [422] },
];

let service: Service;
let database: TestDatabase;
let bench: Bench;

beforeAll(async () => {
  database = await createDatabase('postgres');
  await database.run('CREATE TABLE loose (id int, doc jsonb)');
  service = await startService({ env: { MILLRACE_REQUEST_MEMORY_MB: '256' } });
  bench = new Bench(service, await setUpProject(service, [database.entry({ timeout_secs: 60 })]), database);
  for (const input_type of ['json', 'form', 'multipart']) {
    const logic = [{ sql: 'SELECT pg_sleep(0.5)::text' }, { expr: 'done', code: '1' }];
    await bench.deploy({ uri: input_type, method: 'post', input_type, logic });
  }
});
afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

/**
 * Repeats the work until the pulse is good, up to a limit. Returns the pulse and the last
 * responses.
 */
async function calmly(
  work: () => Promise<readonly Response[]>,
): Promise<{ readonly worst: number; readonly answers: readonly Response[] }> {
  let worst = Number.POSITIVE_INFINITY;
  let left = TRIES;
  for (let disturbed = 0; ; ) {
    const [answers, pulse] = await pulseDuring(service, work);
    worst = Math.min(worst, pulse.worst);
    if (!pulse.isDisturbed || ++disturbed > DISTURBED_TRIES) left--;
    if (worst < AT_ONCE || left === 0) return { worst, answers };
  }
}

describe(`${AT_A_TIME} bodies of 16 MiB at a time`, () => {
  test.each([...ATTACKS, ...FORMS])('$name', async ({ uri, type, body, statuses }) => {
    const bytes = body();
    const before = residentBytes(service.pid);
    let peak = 0;
    const sampler = setInterval(() => (peak = Math.max(peak, residentBytes(service.pid))), 20);
    const send = () => bench.call('POST', uri, { headers: { 'content-type': type }, body: bytes });
    const { worst, answers } = await calmly(() => Promise.all(Array.from({ length: AT_A_TIME }, send)));
    clearInterval(sampler);
    const seen = [...new Set(answers.map(({ status }) => status))].sort();
    expect(statuses).toEqual(expect.arrayContaining(seen));
    expect(worst).toBeLessThan(AT_ONCE);
    expect(peak - before).toBeLessThan(GROWTH);
  });
});

describe('batches of 16 MiB', () => {
  test.each(BATCHES)('$name', async ({ method, body, statuses }) => {
    const bytes = body();
    const path = `${bench.project.autoPath(database.dbType, database.name, 'loose')}${method === undefined ? '' : '?id=eq.7'}`;
    const headers = { ...bench.project.headers, 'content-type': JSON_TYPE };
    const send = () => service.request(method ?? 'POST', path, { headers, body: bytes });
    const { worst, answers } = await calmly(() => Promise.all([send(), send()]));
    expect(statuses).toEqual(expect.arrayContaining([...new Set(answers.map(({ status }) => status))]));
    expect(worst).toBeLessThan(AT_ONCE);
  });
});

test('a PATCH reports its errors in the same order, however large its body is', async () => {
  const headers = { ...bench.project.headers, 'content-type': JSON_TYPE };
  const cases = [
    ['{', 'loose', [406, 400]],
    ['{}', 'loose', [406, 400]],
    ['{"nothing":1}', 'loose', [406, 400]],
    ['[]', 'loose', [400, 400]],
    ['{"id":1},{"id":2}', 'loose', [406, 400]],
    ['{', 'tight', [406, 404]],
  ] as const;
  for (const [text, table, wanted] of cases)
    for (const padding of [0, MEBIBYTE]) {
      const path = bench.project.autoPath(database.dbType, database.name, table);
      const body = Buffer.from(`${' '.repeat(padding)}${text}`);
      const send = async (query: string) => (await service.request('PATCH', `${path}${query}`, { headers, body })).status;
      expect([text, padding, await send(''), await send('?id=eq.7')]).toEqual([text, padding, ...wanted]);
    }
});
