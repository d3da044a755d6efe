// Trials other than contests of requests a second: memory while a million rows stream, the event
// loop beside a runaway program, many databases, many definitions, large documents, micro-
// benchmarks. Each returns contestants (as scenarios.mjs) or findings: lines of {what, value,
// verdict}.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { costs } from './costs.mjs';
import { documents } from './documents.mjs';
import { EVENTS, USERS } from './fixtures.mjs';
import { fresh } from './fresh.mjs';
import { anyOf, makeRequest, runLoad, sendOnce } from './load.mjs';
import { manyDatabases, prepareMany } from './many-databases.mjs';
import { watchMemory } from './measure.mjs';
import { restAndWeigh } from './memory.mjs';
import { judge } from './report.mjs';
import { inParallel, Refused } from './tenants.mjs';

const ALL = ['pg', 'ms', 'ma', 'ch'];
const MEBIBYTE = 1024 * 1024;
const STREAM_LIMIT = 64 * MEBIBYTE;

/** Reads a response to its end and returns its size. */
function drain(port, path, headers) {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, headers }, (response) => {
      let bytes = 0;
      response.on('data', (chunk) => {
        bytes += chunk.length;
      });
      response.on('error', reject);
      response.on('end', () =>
        response.statusCode === 200 ? resolve(bytes) : reject(new Refused(`a page of ${EVENTS} rows gave ${response.statusCode}`)),
      );
    }).on('error', reject);
  });
}

async function stream(engine, settings, say) {
  const { service, project, fixture } = engine;
  await fixture.events();
  const path = project.auto(fixture.address.type, fixture.name, 'events');
  const findings = [];
  for (const format of settings.quick ? ['json', 'bson'] : ['json', 'csv', 'xml', 'yaml', 'bson']) {
    await drain(service.port, `${path}?pg=0&ps=50000&format=${format}`, project.headers);
    await delay(200);
    const before = watchMemory(service.pid).stop();
    const memory = watchMemory(service.pid);
    const started = performance.now();
    const bytes = await drain(service.port, `${path}?pg=0&ps=${EVENTS}&format=${format}`, project.headers);
    const seconds = (performance.now() - started) / 1000;
    const growth = memory.stop() - before;
    say(`  ${format}: ${seconds.toFixed(1)} s`);
    const value = `${(bytes / MEBIBYTE).toFixed(0)} MiB in ${seconds.toFixed(1)} s, memory grew by ${(growth / MEBIBYTE).toFixed(0)} MiB`;
    findings.push({ what: format, value, verdict: judge(growth < STREAM_LIMIT, 'under 64 MiB') });
  }
  return { findings };
}

const BOMB = 'def spin():\n  n = 0\n  for i in range(1000000000):\n    n += i\n  return n\nresult = spin()\n';
const LAG = /^millrace_nodejs_eventloop_lag_p99_seconds (\S+)$/m;

async function bomb(engine, { seconds }) {
  const { service, project, fixture, administrator } = engine;
  await administrator.deploy(project, 'bench-bomb', [{ lark: 'bomb', code: BOMB }], `${fixture.address.type}/${fixture.name}`);
  const bombRequest = makeRequest({ path: project.custom('bench-bomb'), headers: project.headers });
  const { status } = await sendOnce(service.port, bombRequest);
  if (status !== 422) throw new Refused(`the runaway step gave ${status} instead of 422`);
  const row = makeRequest({
    path: `${project.auto(fixture.address.type, fixture.name, 'users')}?pg=0&ps=1&id=eq.${anyOf(USERS)}`,
    headers: project.headers,
  });
  const metrics = makeRequest({ path: '/metrics' });
  const lag = async () => Number(LAG.exec((await sendOnce(service.port, metrics)).body.toString())?.[1] ?? Number.NaN) * 1000;
  // Reading the metrics resets the measurement of the lag.
  await lag();
  let going = true;
  const runaway = async () => {
    while (going) await sendOnce(service.port, bombRequest);
  };
  const over = runaway();
  const beside = await runLoad('own', { port: service.port, request: row, seconds: seconds * 2, connections: 16, rate: 200 });
  const measured = await lag();
  going = false;
  await over;
  return {
    findings: [
      {
        what: 'delay of the event loop, p99 (an idle loop shows 10 ms, the interval of the measurement)',
        value: `${measured.toFixed(1)} ms`,
        verdict: judge(measured < 20, 'under 20 ms'),
      },
      { what: 'single rows beside it, 200 requests/s', value: `p50 ${beside.p50.toFixed(2)} ms, p99 ${beside.p99.toFixed(2)} ms` },
    ],
  };
}

/**
 * Number of different statements among the definitions, so that equal code is not shared by all.
 */
const STATEMENTS = 50;

/** The same endpoint alone, and among many others. */
async function definitions(engine, { quick }, say) {
  const { service, project, fixture, administrator } = engine;
  const count = quick ? 1000 : 10_000;
  const ref = `${fixture.address.type}/${fixture.name}`;
  const logic = (limit) => [{ sql: `SELECT id, name, email, created_at FROM users WHERE id = ?:id ORDER BY id LIMIT ${limit}` }];
  const crowded = await administrator.createProject([
    {
      host_details: [{ host: fixture.address.host, port: String(fixture.address.entryPort) }],
      username: fixture.address.user,
      password: fixture.address.password,
      db_name: fixture.name,
      db_type: fixture.address.type,
      tls: 'disable',
    },
  ]);
  await administrator.deploy(project, 'bench-alone', logic(1), ref);
  const numbers = Array.from({ length: count }, (_, i) => i + 1);
  say(`  deploying ${count} definitions`);
  await inParallel(numbers, 16, (i) => administrator.deploy(crowded, `bench/row-${i}`, logic(1 + (i % STATEMENTS)), ref));
  // The first call compiles a definition, which is not measured.
  await inParallel(numbers, 16, (i) => administrator.send('GET', `${crowded.custom(`bench/row-${i}`)}?id=1`, crowded.headers));
  const id = anyOf(USERS);
  const one = { server: service, database: fixture.address, rows: 1 };
  return [
    {
      ...one,
      label: '1 definition',
      request: makeRequest({ path: `${project.custom('bench-alone')}?id=${id}`, headers: project.headers }),
    },
    {
      ...one,
      label: `${count} definitions`,
      request: makeRequest({ path: `${crowded.custom(`bench/row-${anyOf(count)}`)}?id=${id}`, headers: crowded.headers }),
    },
  ];
}

/** Micro-benchmarks that run in one process, without HTTP. */
const ALONE = ['formats.mjs', 'lark.mjs', 'expr.mjs'].map((name) => `micro/${name}`);

async function alone() {
  const outputs = [];
  for (const name of ALONE) {
    const file = fileURLToPath(new URL(name, import.meta.url));
    outputs.push(`$ node bench/${name}\n${existsSync(file) ? await printed(file) : 'not there\n'}`);
  }
  return { output: outputs.join('\n') };
}

function printed(file) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const output of [child.stdout, child.stderr])
      output.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
    child.on('exit', (code) => resolve(code === 0 ? text : `${text}\nended with ${code}\n`));
  });
}

/** Target for growth: at least 90 % of the base's rate. */
const WITHIN_A_TENTH = { ratio: 0.9 };

/**
 * At least the rate of a handler with as many pools. Short rounds would contain too many refreshes
 * of cached tables.
 */
const MANY = { engines: ALL, targets: { millrace: { ratio: 1 } }, seconds: 4, mostRounds: 3 };

export const TRIALS = {
  fresh: { title: 'single rows in the first ten seconds', engines: ALL, trial: fresh, takes: 25 },
  memory: {
    title: 'memory at the start, and a minute after all of the above',
    engines: ALL,
    trial: (engine, settings, say) =>
      restAndWeigh(engine, settings, settings.isWhole ? () => prepareMany(engine, settings, say) : undefined),
    takes: 60,
  },
  'databases-10': { ...MANY, seconds: 2, title: 'single rows from 10 databases', contestants: manyDatabases(10), takes: 5 },
  'databases-100': { ...MANY, title: 'single rows from 100 databases', contestants: manyDatabases(100), takes: 15 },
  // Memory left by these trials is theirs, so they follow the memory trial.
  definitions: {
    title: 'one Custom endpoint, and one of 10,000',
    engines: ['pg'],
    targets: { '10000 definitions': WITHIN_A_TENTH, '1000 definitions': WITHIN_A_TENTH },
    contestants: definitions,
    leastRounds: 6,
    takes: 60,
  },
  documents: { title: 'the OpenAPI document of 1,000 tables', engines: ['pg', 'ms'], trial: documents, takes: 20 },
  stream: { title: 'a page of 1,000,000 rows', engines: ALL, trial: stream, takes: 25 },
  costs: { title: 'what a request costs beside another', engines: ['pg', 'ms'], trial: costs, takes: 40 },
  bomb: { title: 'event loop beside a lark program that never ends, called again and again', engines: ['pg'], trial: bomb, takes: 10 },
  alone: { title: 'formats and languages alone', engines: ['pg'], trial: alone, takes: 40 },
  'databases-1000': {
    ...MANY,
    title: 'single rows from 1,000 databases',
    contestants: manyDatabases(1000),
    takes: 25,
    isOptional: true,
    note: '200 databases of one server (20 in a quick run), each registered in five projects: 1,000 entries, 1,000 pools of one connection.',
  },
};
