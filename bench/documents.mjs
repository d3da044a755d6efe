// The OpenAPI document of 1,000 tables: first request, from memory, by a plain handler, and the
// latency of single rows beside it.
import { get } from 'node:http';
import { USERS } from './fixtures.mjs';
import { anyOf, makeRequest, runLoad } from './load.mjs';
import { databaseEntry, Refused } from './tenants.mjs';

const PATH = '/svc/rest/openapi/v1';
const SECONDS = 2;
const TYPES = ['int', 'varchar(100)', 'decimal(10,2)', 'timestamp', 'bigint'];

/** Milliseconds until the last byte, and the size. */
function timed(port, path, headers) {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, headers }, (response) => {
      let bytes = 0;
      response.on('data', (chunk) => {
        bytes += chunk.length;
      });
      response.on('error', reject);
      response.on('end', () =>
        response.statusCode === 200
          ? resolve({ ms: performance.now() - started, bytes })
          : reject(new Refused(`the document gave ${response.statusCode}`)),
      );
    }).on('error', reject);
  });
}

export async function documents(engine, { quick }, say) {
  const { service, yardstick, project, fixture, administrator } = engine;
  const count = quick ? 100 : 1000;
  say(`  creating ${count} tables`);
  const columns = Array.from({ length: 19 }, (_, i) => `column_${i} ${TYPES[i % TYPES.length]}`).join(', ');
  for (let i = 0; i < count; i++) await fixture.run(`CREATE TABLE table_${i} (id int PRIMARY KEY, ${columns})`);
  const own = await administrator.createProject([databaseEntry(fixture.address, fixture.name)]);
  const row = makeRequest({
    path: `${project.auto(fixture.address.type, fixture.name, 'users')}?pg=0&ps=1&id=eq.${anyOf(USERS)}`,
    headers: project.headers,
  });
  const load = () => runLoad('own', { port: service.port, request: row, seconds: SECONDS, connections: 8, rate: 100 });
  const quiet = await load();
  const besides = load();
  const first = await timed(service.port, PATH, own.headers);
  const beside = await besides;
  const again = await timed(service.port, PATH, own.headers);
  const theirs = await timed(yardstick.port, '/openapi', {});
  const sizeOf = ({ bytes }) => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
  const met = first.ms < 1000 ? 'met' : 'missed';
  return {
    findings: [
      {
        what: `${count} tables of 20 columns, the first time`,
        value: `${sizeOf(first)} in ${first.ms.toFixed(0)} ms`,
        verdict: `under a second: ${met}`,
      },
      { what: 'the same from memory', value: `${again.ms.toFixed(0)} ms` },
      { what: 'yardstick, a plain document', value: `${sizeOf(theirs)} in ${theirs.ms.toFixed(0)} ms` },
      {
        what: 'single rows beside it, 100 requests/s',
        value: `p99 ${beside.p99.toFixed(1)} ms, most ${beside.max?.toFixed(1) ?? '?'} ms (without: ${quiet.p99.toFixed(1)} ms)`,
      },
    ],
  };
}
