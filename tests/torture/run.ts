// The torture run: traffic of all tenants from a seed, first without and then with faults, and the
// final comparison with the tables.
import { setTimeout as delay } from 'node:timers/promises';
import type { EngineName } from '../support/engines.ts';
import { torment } from './faults.ts';
import type { Found } from './history.ts';
import { Management } from './management.ts';
import { Random } from './random.ts';
import { Report } from './report.ts';
import { actAsClient } from './traffic.ts';
import { Watch } from './watch.ts';
import { makeWorld, type Tenant, type World } from './world.ts';

export interface Plan {
  readonly seed: number;
  readonly minutes: number;
  readonly engines: readonly EngineName[];
  readonly say: (line: string) => void;
}

/** Fraction of the time without faults: a part to warm up, the rest for the baseline. */
const QUIET_PART = 0.25;
const PROGRESS_MS = 10_000;

/** Clients of a tenant, and how long they rest: ClickHouse makes a part of each insert. */
const CLIENTS: Readonly<Record<EngineName, readonly [number, number]>> = {
  postgres: [5, 160],
  mysql: [5, 160],
  mariadb: [5, 160],
  clickhouse: [3, 600],
};

export async function torture({ seed, minutes, engines, say }: Plan): Promise<readonly string[]> {
  const report = new Report(say);
  report.say(`seed ${seed}, ${minutes} minutes, ${engines.join(', ')}`);
  const random = new Random(seed);
  const world = await makeWorld(engines);
  try {
    await goThrough(world, random, report, minutes);
  } finally {
    await world.close();
    await checkOutput(world, report);
    for (const line of causes(world, report.violations)) report.fact(line);
    say(report.table());
  }
  return report.violations;
}

const secretsOf = new WeakMap<World, readonly string[]>();

async function goThrough(world: World, random: Random, report: Report, minutes: number): Promise<void> {
  let isOver = false;
  const running = (): boolean => !isOver;
  const died = world.main.exited.then(({ code, signal }) => {
    if (running()) report.violate(`the process ended with ${signal ?? code}:\n${world.main.output().slice(-2_000)}`);
    isOver = true;
  });
  const watch = new Watch(world, report);
  const [home] = world.noisy;
  const management = new Management(world, home ?? world.calm, report);
  const tenants = [...world.noisy, world.crash.tenant];
  const work = tenants.flatMap((tenant) => clientsOf(tenant, random, report, running));
  work.push(
    watch.times(random.fork('calm'), running),
    watch.memory(running),
    management.run(random.fork('management'), running),
    progress(report, watch, running),
  );
  const quietMs = minutes * 60_000 * QUIET_PART;
  await Promise.race([delay(quietMs / 3), died]);
  watch.phase = 'quiet';
  await Promise.race([delay((2 * quietMs) / 3), died]);
  watch.phase = 'faults';
  report.say('faults begin');
  let isTormenting = true;
  setTimeout(
    () => {
      isTormenting = false;
    },
    minutes * 60_000 - quietMs,
  ).unref();
  const struck = (name: string): void => {
    watch.phase = name.startsWith('store') ? 'store' : 'faults';
  };
  await torment({ world, random: random.fork('faults'), report }, () => isTormenting && running(), struck);
  report.say('faults are over');
  isOver = true;
  await Promise.all(work);
  await checkBooks(tenants, report);
  await management.check();
  watch.judge(minutes);
  secretsOf.set(world, management.secrets);
  const { code } = await world.main.stop();
  if (code !== 0) report.violate(`the process ended with ${code} after SIGTERM`);
}

function clientsOf(tenant: Tenant, random: Random, report: Report, running: () => boolean): Promise<void>[] {
  const [count, restMs] = CLIENTS[tenant.engine];
  return Array.from({ length: count }, (_, number) =>
    actAsClient({ tenant, random: random.fork(`${tenant.name} ${number}`), report, number, restMs, running }),
  );
}

async function progress(report: Report, watch: Watch, running: () => boolean): Promise<void> {
  for (let next = performance.now() + PROGRESS_MS; running(); next += PROGRESS_MS) {
    while (running() && performance.now() < next) await delay(100);
    report.say(`${report.requests} requests, ${watch.megabytes} MB, ${report.violations.length} violations`);
  }
}

/** Reads the tables directly. */
async function checkBooks(tenants: readonly Tenant[], report: Report): Promise<void> {
  for (const tenant of tenants)
    for (const [table, history] of [
      ['rows_', tenant.rows],
      ['ledger', tenant.ledger],
    ] as const) {
      const rows = await tenant.database.run(`SELECT batch, count(*) AS n FROM ${table} GROUP BY batch`);
      const found: Found[] = rows.map(({ batch, n }) => ({ batch: String(batch), rows: Number(n) }));
      for (const wrong of history.check(found)) report.violate(`${tenant.name} ${table}: ${wrong}`);
      const [there, absent, unknown] = [history.count('there'), history.count('absent'), history.count('unknown')];
      report.fact(`${tenant.name} ${table}: ${there} batches acknowledged, ${absent} refused, ${unknown} with an unknown outcome`);
      if (there === 0) report.violate(`${tenant.name} ${table}: nothing was written`);
    }
}

/** Log lines of the requests in violations. */
function causes(world: World, violations: readonly string[]): readonly string[] {
  const ids = violations.flatMap((violation) => /under request (\w{26})/.exec(violation)?.[1] ?? []);
  const lines = `${world.main.output()}\n${world.other.output()}`.split('\n');
  return ids.flatMap((id) => lines.filter((line) => line.includes(id))).map((line) => `log: ${line.slice(0, 1_000)}`);
}

/** The log after the end: nothing unforeseen, nothing secret, nothing of a caller's data. */
async function checkOutput(world: World, report: Report): Promise<void> {
  for (const service of [world.main, world.other]) {
    const output = service.output();
    const hidden = [service.serverKey, service.encryptionKey, ...(secretsOf.get(world) ?? [])];
    for (const secret of hidden)
      if (output.includes(secret)) report.violate(`the log holds a secret that begins with ${secret.slice(0, 6)}`);
    for (const pattern of [/unhandled/i, /tenant-[a-z]+-[0-9a-f]{8}/, /nonce-[a-z]/, /\b(?:auto|custom)-[a-z]+-\d+-\d+/])
      if (pattern.test(output))
        report.violate(
          `the log has ${pattern}: ${output
            .split('\n')
            .find((line) => pattern.test(line))
            ?.slice(0, 300)}`,
        );
  }
}
