// The first ten seconds of a fresh service and of a fresh yardstick, second by second, beside the
// warm figures of the other contests.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { USERS } from './fixtures.mjs';
import { anyOf, makeRequest, runLoad } from './load.mjs';
import { startService, startYardstick } from './servers.mjs';
import { Administrator, databaseEntry } from './tenants.mjs';

const SECONDS = 10;

/** Requests a second in each of the first seconds. */
async function rates(port, request, { generator, connections }) {
  const measured = [];
  for (let second = 0; second < SECONDS; second++) {
    const { requests, seconds } = await runLoad(generator, { port, request, connections, seconds: 1 });
    measured.push(requests / seconds);
  }
  return measured;
}

export async function fresh(engine, settings) {
  const { address, name } = engine.fixture;
  const folder = join(engine.folder, 'fresh');
  mkdirSync(folder, { recursive: true });
  const service = await startService({ folder, workers: settings.workers });
  const yardstick = await startYardstick(address.type, address, name, folder);
  try {
    const project = await new Administrator(service).createProject([databaseEntry(address, name)]);
    const path = `${project.auto(address.type, name, 'users')}?pg=0&ps=1&id=eq.${anyOf(USERS)}`;
    const theirs = await rates(yardstick.port, makeRequest({ path: `/one?id=${anyOf(USERS)}` }), settings);
    const ours = await rates(service.port, makeRequest({ path, headers: project.headers }), settings);
    const line = (numbers, digits) => numbers.map((number) => number.toFixed(digits)).join(', ');
    const steady = (numbers) => Math.max(...numbers.slice(SECONDS / 2));
    const atTwo = Math.max(...ours.slice(1, 3)) / steady(ours);
    return {
      findings: [
        { what: `millrace, requests/s in seconds 1 to ${SECONDS}`, value: line(ours, 0) },
        { what: 'yardstick', value: line(theirs, 0) },
        {
          what: 'ratio',
          value: line(
            ours.map((rate, i) => rate / theirs[i]),
            2,
          ),
        },
        {
          what: 'rate after two seconds, of the best second from the sixth on',
          value: `${(atTwo * 100).toFixed(0)} %`,
          verdict: atTwo >= 0.9 ? 'at least 90 %: met' : 'at least 90 %: missed',
        },
      ],
    };
  } finally {
    await service.stop();
    await yardstick.stop();
  }
}
