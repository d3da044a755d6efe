// Latency of small requests during other work, measured by a separate thread.
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

interface Processors {
  readonly MOST_STOLEN: number;
  processorTime(): object;
  stolenSince(before: object): number;
}

/** The benchmark's measure of CPU time that the host gave to other machines. */
const { MOST_STOLEN, processorTime, stolenSince } = (await import(new URL('../../bench/measure.mjs', import.meta.url).href)) as Processors;

/** Requests `path` on one connection every 2 ms and records the latencies. */
const PROBE = `
const { parentPort, workerData } = require('node:worker_threads');
const { Agent, request } = require('node:http');
const { host, port, path, headers } = workerData;
const agent = new Agent({ keepAlive: true });
const took = [];
let over = false;
parentPort.on('message', () => { over = true; });
function ask() {
  if (over) return parentPort.postMessage(took);
  const began = performance.now();
  const next = () => { took.push(performance.now() - began); setTimeout(ask, 2); };
  const sent = request({ host, port, path, headers, agent }, (response) => { response.resume(); response.on('end', next); });
  sent.on('error', () => { took.push(Infinity); setTimeout(ask, 50); });
  sent.end();
}
ask();
`;

/**
 * Latencies in ms, divided by `slowness`: the time that the service's thread waited for a CPU is
 * not counted.
 */
export interface Pulse {
  readonly worst: number;
  readonly p99: number;
  readonly count: number;
  /** Factor by which waiting for a CPU slowed the service down. */
  readonly slowness: number;
  /** `true` if the host gave CPU time to other machines, which makes the latencies unusable. */
  readonly isDisturbed: boolean;
}

export interface Pulsed {
  readonly host: string;
  readonly port: number;
  readonly pid: number;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Runs the work and returns the service's latencies during it. */
export async function pulseDuring<T>(service: Pulsed, work: () => Promise<T>): Promise<readonly [T, Pulse]> {
  const { host, port, pid, path = '/healthz', headers = {} } = service;
  const worker = new Worker(PROBE, { eval: true, workerData: { host, port, path, headers } });
  const before = threadTimes(pid);
  const machine = processorTime();
  try {
    const result = await work();
    const took = await new Promise<number[]>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.postMessage('over');
    });
    const sorted = took.toSorted((a, b) => a - b);
    const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
    const slowness = slownessBetween(before, threadTimes(pid));
    return [
      result,
      {
        worst: at(1) / slowness,
        p99: at(0.99) / slowness,
        count: sorted.length,
        slowness,
        isDisturbed: stolenSince(machine) > MOST_STOLEN,
      },
    ];
  } finally {
    await worker.terminate();
  }
}

/** Nanoseconds that the main thread of a process ran and waited for a CPU. Linux only. */
function threadTimes(pid: number): readonly [ran: number, waited: number] {
  try {
    const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ').map(Number);
    return [ran, waited];
  } catch {
    return [0, 0];
  }
}

function slownessBetween(before: ReturnType<typeof threadTimes>, after: ReturnType<typeof threadTimes>): number {
  const ran = after[0] - before[0];
  return ran <= 0 ? 1 : (ran + after[1] - before[1]) / ran;
}
