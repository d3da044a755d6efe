// Injects one fault at a time, in the order of the seed: networks that are cut, silent, slow or
// closed, servers that die or stop, a lost store, leaving clients, endless programs, exhausted
// pools, changing tables. Each fault is repaired again.
import { setTimeout as delay } from 'node:timers/promises';
import type { EngineName } from '../support/engines.ts';
import type { FaultProxy } from '../support/proxy.ts';
import type { Random } from './random.ts';
import type { Report } from './report.ts';
import { ask } from './traffic.ts';
import type { Tenant, World } from './world.ts';

interface Stage {
  readonly world: World;
  readonly random: Random;
  readonly report: Report;
}

export interface Fault {
  readonly name: string;
  /** Breaks something, waits, and mends it. */
  readonly strike: (stage: Stage) => Promise<void>;
  /** Tenant whose requests must succeed again soon after the repair. */
  readonly tenant?: Tenant;
}

const HOLD_MS: readonly [number, number] = [1_500, 3_500];
/** How long a tenant may be without success once its fault is over. */
const RECOVERY_MS = 5_000;

async function hold(random: Random): Promise<void> {
  await delay(random.whole(...HOLD_MS));
}

function networkFaults(tenant: Tenant, proxy: FaultProxy): readonly Fault[] {
  const named = (name: string, strike: Fault['strike']): Fault => ({ name: `${tenant.name}: ${name}`, strike, tenant });
  const mend = (): Promise<void> => proxy.set({ kind: 'pass' });
  return [
    named('silent', async ({ random }) => {
      await proxy.set({ kind: 'blackhole' });
      await hold(random);
      await mend();
    }),
    named('refused', async ({ random }) => {
      await proxy.set({ kind: 'refuse' });
      proxy.resetAll();
      await hold(random);
      await mend();
    }),
    named('slow', async ({ random }) => {
      await proxy.set({ kind: 'latency', ms: random.whole(50, 200) });
      await hold(random);
      await mend();
    }),
    named('cut after some bytes', async ({ random }) => {
      const end = performance.now() + random.whole(...HOLD_MS);
      while (performance.now() < end) {
        await proxy.set({
          kind: 'cut',
          afterBytes: random.pick([1, random.whole(2, 200), random.whole(200, 20_000), random.whole(20_000, 300_000)]),
        });
        await delay(random.whole(50, 300));
      }
      await mend();
    }),
    named('reset', async ({ random }) => {
      const end = performance.now() + random.whole(...HOLD_MS);
      while (performance.now() < end) {
        proxy.resetAll();
        await delay(random.whole(20, 300));
      }
    }),
  ];
}

/** Ends the sessions of the service, as an administrator does. */
const TERMINATIONS: Readonly<Partial<Record<EngineName, (tenant: Tenant) => Promise<void>>>> = {
  postgres: async ({ database }) => {
    await database.run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'millrace'",
    );
  },
  mysql: killSessions,
  mariadb: killSessions,
};

async function killSessions({ database }: Tenant): Promise<void> {
  const own = await database.run('SELECT connection_id() AS id');
  const all = await database.run('SELECT id FROM information_schema.processlist WHERE db = ?', [database.name]);
  // Sessions of the test itself go too, but for the one that kills; its pool opens others.
  for (const { id } of all) if (String(id) !== String(own[0]?.['id'])) await database.run(`KILL ${String(id)}`).catch(() => undefined);
}

function serverFaults(tenant: Tenant): readonly Fault[] {
  const terminate = TERMINATIONS[tenant.engine];
  if (terminate === undefined) return [];
  return [
    {
      name: `${tenant.name}: sessions ended`,
      tenant,
      strike: async ({ random }) => {
        for (let i = random.whole(2, 6); i > 0; i--) {
          await terminate(tenant).catch(() => undefined);
          await delay(random.whole(50, 400));
        }
      },
    },
  ];
}

/** Column types change back and forth under the readers. */
const ALTERS: Readonly<Partial<Record<EngineName, readonly string[]>>> = {
  postgres: ['ALTER TABLE shape ALTER v TYPE varchar(20)', 'ALTER TABLE shape ALTER v TYPE int USING v::int'],
  mysql: ['ALTER TABLE shape MODIFY v varchar(20)', 'ALTER TABLE shape MODIFY v int'],
  mariadb: ['ALTER TABLE shape MODIFY v varchar(20)', 'ALTER TABLE shape MODIFY v int'],
};

function ownFaults(tenant: Tenant): readonly Fault[] {
  const many = (count: number, uri: string, what: string): Fault['strike'] => {
    return async ({ random, report }) => {
      const scene = { tenant, random, report, id: '' };
      await Promise.all(Array.from({ length: count }, () => ask(scene, what, { method: 'GET', path: tenant.callPath(uri) })));
    };
  };
  const alters = ALTERS[tenant.engine];
  return [
    { name: `${tenant.name}: pool used up`, tenant, strike: many(40, 'nap', 'nap') },
    { name: `${tenant.name}: programs without end`, tenant, strike: many(6, 'loop', 'loop') },
    { name: `${tenant.name}: programs that hoard`, tenant, strike: many(4, 'hoard', 'hoard') },
    {
      name: `${tenant.name}: clients leave`,
      tenant,
      strike: async ({ random }) => {
        for (let i = 0; i < 10; i++) {
          tenant.client.leaveAll();
          await delay(random.whole(10, 200));
        }
      },
    },
    ...(alters === undefined
      ? []
      : [
          {
            name: `${tenant.name}: tables change`,
            tenant,
            strike: async ({ random }: Stage) => {
              for (let i = 0; i < 3; i++)
                for (const alter of alters) {
                  await tenant.database.run(alter).catch(() => undefined);
                  await delay(random.whole(50, 400));
                }
            },
          },
        ]),
  ];
}

function storeFaults({ storeProxy }: World): readonly Fault[] {
  return [
    {
      name: 'store: silent',
      strike: async ({ random }) => {
        await storeProxy.set({ kind: 'blackhole' });
        await delay(random.whole(3_000, 6_000));
        storeProxy.resetAll();
        await storeProxy.set({ kind: 'pass' });
      },
    },
    {
      name: 'store: refused',
      strike: async ({ random }) => {
        await storeProxy.set({ kind: 'refuse' });
        storeProxy.resetAll();
        await delay(random.whole(2_000, 6_000));
        await storeProxy.set({ kind: 'pass' });
      },
    },
    {
      name: 'store: slow',
      strike: async ({ random }) => {
        await storeProxy.set({ kind: 'latency', ms: random.whole(200, 1_000) });
        await hold(random);
        await storeProxy.set({ kind: 'pass' });
      },
    },
  ];
}

function crashFaults({ crash: { tenant, server } }: World): readonly Fault[] {
  return [
    {
      name: 'crash: server killed and started again',
      tenant,
      strike: async ({ random }) => {
        await server.kill();
        await delay(random.whole(200, 1_500));
        await server.restart();
      },
    },
    {
      name: 'crash: server stands still',
      tenant,
      strike: async ({ random }) => {
        const rows = await tenant.database.run("SELECT pid FROM pg_stat_activity WHERE application_name = 'millrace'");
        const pids = rows.map(({ pid }) => Number(pid));
        for (const pid of pids) process.kill(pid, 'SIGSTOP');
        await hold(random);
        for (const pid of pids)
          try {
            process.kill(pid, 'SIGCONT');
          } catch {
            // The session may have ended.
          }
      },
    },
  ];
}

/** Everything that can go wrong in this world, in the order of a round. */
function allFaults(world: World): readonly Fault[] {
  const tenants = [...world.noisy, world.crash.tenant];
  return [
    ...tenants.flatMap((tenant) => tenant.proxies.flatMap((proxy) => networkFaults(tenant, proxy))),
    ...tenants.flatMap(serverFaults),
    ...tenants.flatMap(ownFaults),
    ...storeFaults(world),
    // A round has these more than once: they are the rare and the rough ones.
    ...crashFaults(world),
    ...crashFaults(world),
  ];
}

/** Kind of a fault, regardless of its target. */
const kindOf = ({ name }: Fault): string => name.replace(/^(?!store|crash: server)[a-z]+: /, '');

/**
 * Orders the faults by the seed so that each kind occurs once before one occurs again: a short run
 * has seen all of them.
 */
function inOrder(faults: readonly Fault[], random: Random): readonly Fault[] {
  const seen = new Map<string, number>();
  return random
    .shuffled(faults)
    .map((fault) => {
      const turn = seen.get(kindOf(fault)) ?? 0;
      seen.set(kindOf(fault), turn + 1);
      return { fault, turn };
    })
    .sort((a, b) => a.turn - b.turn)
    .map(({ fault }) => fault);
}

/**
 * Injects all faults of a round, then of the next one, until the time is over. Calls `struck` for
 * each.
 */
export async function torment(stage: Stage, running: () => boolean, struck: (name: string) => void): Promise<void> {
  const { world, random, report } = stage;
  for (let round = 0; running(); round++) {
    for (const fault of inOrder(allFaults(world), random.fork(`round ${round}`))) {
      if (!running()) return;
      report.say(fault.name);
      report.fault(kindOf(fault));
      struck(fault.name);
      await fault.strike({ ...stage, random: random.fork(`${round} ${fault.name}`) });
      if (fault.tenant !== undefined) await recovered(stage, fault.tenant, fault.name);
      await delay(random.whole(100, 500));
    }
  }
}

async function recovered({ random, report }: Stage, tenant: Tenant, after: string): Promise<void> {
  const began = performance.now();
  const scene = { tenant, random, report, id: '' };
  for (;;) {
    const ending = await ask(scene, 'recover', { method: 'GET', path: `${tenant.autoPath('big')}?pg=0&ps=1&id=eq.1` });
    if (ending.kind === 'answer' && ending.status === 200) break;
    if (performance.now() - began > 4 * RECOVERY_MS) break;
    await delay(50);
  }
  const ms = performance.now() - began;
  if (ms > RECOVERY_MS) report.violate(`${after}: no success for ${Math.round(ms)} ms after it was over`);
}
