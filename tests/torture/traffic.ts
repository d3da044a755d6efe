// Repeated requests of a tenant's clients, from a seed: Auto API, Custom calls, streams in every
// format, slow readers, leaving clients, large bodies. Each checks its own response; the history
// checks writes.
import { setTimeout as delay } from 'node:timers/promises';
import { FORMATS, flawOfBig, foreignMarkers, jsonOf } from './answers.ts';
import type { Ending, Question } from './client.ts';
import type { Random } from './random.ts';
import type { Report } from './report.ts';
import type { Tenant } from './world.ts';

interface Scene {
  readonly tenant: Tenant;
  readonly random: Random;
  readonly report: Report;
  /** Unique in the run, and the same for the same seed. */
  readonly id: string;
}

/** Sends a request as the tenant, records its ending, and checks for data of other tenants. */
export async function ask({ tenant, report }: Scene, what: string, question: Omit<Question, 'headers'>, old = false): Promise<Ending> {
  const whole: Question = {
    ...question,
    headers: { ...tenant.project.headers, ...(question.body && { 'content-type': 'application/json' }) },
  };
  const ending = await (old ? tenant.client.askOld(whole) : tenant.client.ask(whole));
  report.note(`${what} ${tenant.name}`, ending);
  if (ending.kind === 'answer') {
    const foreign = foreignMarkers(ending.body, tenant.marker);
    if (foreign.length > 0) report.violate(`${what} ${tenant.name}: rows of ${foreign.join(', ')}`);
    if (ending.headers['content-type']?.startsWith('application/json') && jsonOf(ending.body) === undefined)
      report.violate(`${what} ${tenant.name}: ${ending.status} with broken JSON: ${ending.body.toString('utf8', 0, 200)}`);
  }
  return ending;
}

async function readRow(scene: Scene): Promise<void> {
  const { tenant, random, report } = scene;
  const id = random.whole(1, 3_000);
  const ending = await ask(scene, 'read', { method: 'GET', path: `${tenant.autoPath('big')}?pg=0&ps=5&id=eq.${id}` });
  if (ending.kind !== 'answer' || ending.status !== 200) return;
  const rows = jsonOf(ending.body) as { id: number; tenant: string }[];
  if (rows.length !== 1 || rows[0]?.id !== id || rows[0].tenant !== tenant.marker)
    report.violate(`read ${tenant.name}: asked for ${id}, got ${ending.body.toString('utf8', 0, 200)}`);
}

async function writeBatch(scene: Scene): Promise<void> {
  const { tenant, random, id } = scene;
  const batch = `auto-${tenant.name}-${id}`;
  const count = random.whole(1, 8);
  const body = Array.from({ length: count }, () => ({
    id: random.whole(1, 2 ** 30) * 2 ** 20 + random.whole(0, 2 ** 20 - 1),
    batch,
    tenant: tenant.marker,
    note: 'n'.repeat(random.whole(0, 100)),
  }));
  tenant.rows.begin(batch, count);
  const leaveAfterMs = random.next() < 0.1 ? random.whole(0, 30) : undefined;
  tenant.rows.end(
    batch,
    await ask(scene, 'write', { method: 'POST', path: tenant.autoPath('rows_'), body: JSON.stringify(body), leaveAfterMs }),
  );
}

async function changeRows(scene: Scene): Promise<void> {
  const { tenant, random } = scene;
  const path = `${tenant.autoPath('rows_')}?id=bw.${random.whole(1, 2 ** 40)}.${2 ** 41}&set=note.changed`;
  if (tenant.engine !== 'clickhouse') await ask(scene, 'change', { method: 'PUT', path });
}

async function callWrite(scene: Scene): Promise<void> {
  const { tenant, random, id } = scene;
  const batch = `custom-${tenant.name}-${id}`;
  const fail = tenant.engine !== 'clickhouse' && random.next() < 0.2 ? 'yes' : 'no';
  tenant.ledger.begin(batch, 2);
  const leaveAfterMs = random.next() < 0.1 ? random.whole(0, 30) : undefined;
  const body = JSON.stringify({ batch, fail });
  // If the second version fails as requested and its connection is lost as well, no other version
  // may respond: that is a 500.
  const what = fail === 'yes' ? 'provoked-call-write' : 'call-write';
  tenant.ledger.end(batch, await ask(scene, what, { method: 'POST', path: tenant.callPath('write'), body, leaveAfterMs }));
}

async function callEcho(scene: Scene): Promise<void> {
  const { tenant, report, id } = scene;
  const nonce = `nonce-${tenant.name}-${id}`;
  const ending = await ask(scene, 'call', { method: 'GET', path: `${tenant.callPath('echo')}?nonce=${nonce}` });
  if (ending.kind !== 'answer' || ending.status !== 200) return;
  const [row] = jsonOf(ending.body) as { tenant: string; nonce: string }[];
  if (row?.nonce !== nonce || row.tenant !== tenant.marker)
    report.violate(`call ${tenant.name}: asked with ${nonce}, got ${ending.body.toString('utf8', 0, 200)}`);
}

async function stream(scene: Scene): Promise<void> {
  const { tenant, random, report } = scene;
  const format = random.pick(FORMATS);
  const path = `${tenant.autoPath('big')}?pg=0&ps=3000&format=${format}`;
  const how = random.pick(['stream', 'stream', 'stream-slowly', 'stream-old'] as const);
  const ending = await ask(
    scene,
    how,
    { method: 'GET', path, restMs: how === 'stream-slowly' ? random.whole(20, 80) : undefined },
    how === 'stream-old',
  );
  if (ending.kind !== 'answer' || ending.status !== 200) return;
  const flaw = flawOfBig(format, ending.body, tenant.marker);
  if (flaw !== undefined) report.violate(`${how} ${tenant.name}: a short body that looks whole: ${flaw}`);
}

async function leave(scene: Scene): Promise<void> {
  const { tenant, random } = scene;
  const path = random.pick([`${tenant.autoPath('big')}?pg=0&ps=3000`, tenant.callPath('nap'), `${tenant.callPath('echo')}?nonce=gone`]);
  await ask(scene, 'leave', { method: 'GET', path, leaveAfterMs: random.whole(0, 60) });
}

async function swallow(scene: Scene): Promise<void> {
  const { tenant, random, report } = scene;
  const items = Array.from({ length: random.whole(100, 5_000) }, (_, i) => [i, { deep: [[[i]]] }, 'x'.repeat(random.whole(0, 40))]);
  const ending = await ask(scene, 'swallow', { method: 'POST', path: tenant.callPath('swallow'), body: JSON.stringify({ items }) });
  if (ending.kind !== 'answer' || ending.status !== 200) return;
  if ((jsonOf(ending.body) as { items: number }).items !== items.length) report.violate(`swallow ${tenant.name}: wrong count`);
}

async function readShape(scene: Scene): Promise<void> {
  const { tenant, report } = scene;
  const ending = await ask(scene, 'shape', { method: 'GET', path: `${tenant.autoPath('shape')}?pg=0&ps=10` });
  if (ending.kind !== 'answer' || ending.status !== 200) return;
  const rows = jsonOf(ending.body) as { id: number; v: unknown }[] | undefined;
  if (rows?.length !== 3 || rows.some(({ id, v }) => Number(v) !== id))
    report.violate(`shape ${tenant.name}: ${ending.body.toString('utf8')}`);
}

/** By weight. */
const ACTS: readonly (readonly [number, (scene: Scene) => Promise<void>])[] = [
  [30, readRow],
  [20, writeBatch],
  [20, callWrite],
  [15, callEcho],
  [6, stream],
  [5, leave],
  [4, changeRows],
  [3, readShape],
  [2, swallow],
];
const TOTAL = ACTS.reduce((sum, [weight]) => sum + weight, 0);

function choose(random: Random): (scene: Scene) => Promise<void> {
  let left = random.next() * TOTAL;
  for (const [weight, act] of ACTS) {
    left -= weight;
    if (left < 0) return act;
  }
  return readRow;
}

export interface ClientPlan {
  readonly tenant: Tenant;
  readonly random: Random;
  readonly report: Report;
  readonly number: number;
  /** Milliseconds between two requests, at most. */
  readonly restMs: number;
  readonly running: () => boolean;
}

/** One client: one request after the other, with rests between them. */
export async function actAsClient({ tenant, random, report, number, restMs, running }: ClientPlan): Promise<void> {
  for (let turn = 0; running(); turn++) {
    const act = choose(random);
    await act({ tenant, random: random.fork(`turn ${turn}`), report, id: `${number}-${turn}` });
    await delay(random.whole(restMs / 4, restMs));
  }
}
