// How long a small request takes while something else goes on, measured by a thread of its own, so that what the test itself does is not counted.
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

interface Processors {
  readonly MOST_STOLEN: number;
  processorTime(): object;
  stolenSince(before: object): number;
}

/** How the bench tells whether the host was busy with other machines. */
const { MOST_STOLEN, processorTime, stolenSince } = (await import(new URL('../../bench/measure.mjs', import.meta.url).href)) as Processors;

/** Asks for /healthz on one connection, again and again with a moment between, and notes how long each answer took. */
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
 * Milliseconds of the slowest answer, and of the slowest but one in a hundred, as they would be if the service had a processor whenever it wants one:
 * the time that its thread waited for the machine, which has others to serve, is the machine's.
 */
export interface Pulse {
  readonly worst: number;
  readonly p99: number;
  readonly count: number;
  /** How many times longer everything took than it would have with a processor of its own. */
  readonly slowness: number;
  /** Did the host give processors to other machines meanwhile? Then nobody can tell whose doing a late answer is. */
  readonly isDisturbed: boolean;
}

export interface Pulsed {
  readonly host: string;
  readonly port: number;
  readonly pid: number;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The pulse of a service while the work goes on. */
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

/** Nanoseconds that the first thread of a process has run, and has waited to run. Only Linux tells. */
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
