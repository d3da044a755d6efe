// Watches the event loop from another thread, because a blocked loop cannot report itself. Names
// the conversation and ends the process.
import { Worker } from 'node:worker_threads';

const BLOCKED_MS = 10_000;
const PERIOD_MS = 20;

const CODE = `
const { workerData } = require('node:worker_threads');
const { writeSync } = require('node:fs');
const cells = new Int32Array(workerData.shared);
let last = -1, missed = 0;
setInterval(() => {
  const beat = Atomics.load(cells, 0);
  if (beat !== last) { last = beat; missed = 0; return; }
  if (++missed * 100 < workerData.most) return;
  writeSync(2, 'HOSTILE: the event loop stands still in conversation ' + Atomics.load(cells, 1) + ' of ' + workerData.story + '\\n');
  process.kill(process.pid, 'SIGKILL');
}, 100);
`;

export class Watchman {
  readonly #cells: Int32Array;
  readonly #worker: Worker;
  readonly #timer: NodeJS.Timeout;
  /** Longest tick of the event loop in ms. */
  longest = 0;
  /** Ms that the loop was running, without the time in which other processes had the CPU. */
  clock = 0;

  constructor(story: string) {
    const shared = new SharedArrayBuffer(8);
    this.#cells = new Int32Array(shared);
    this.#worker = new Worker(CODE, { eval: true, workerData: { shared, story, most: BLOCKED_MS } });
    let before = performance.now();
    let used = process.cpuUsage();
    this.#timer = setInterval(() => {
      Atomics.add(this.#cells, 0, 1);
      const now = performance.now();
      const { user, system } = process.cpuUsage(used);
      const worked = (user + system) / 1000;
      this.longest = Math.max(this.longest, Math.min(now - before, worked));
      this.clock += Math.min(now - before, PERIOD_MS + worked);
      before = now;
      used = process.cpuUsage();
    }, PERIOD_MS);
  }

  /** Names the conversation that is running now. */
  now(conversation: number): void {
    Atomics.store(this.#cells, 1, conversation);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#worker.terminate();
  }
}
