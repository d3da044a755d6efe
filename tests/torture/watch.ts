// Observes the run from outside: latency of the tenant without faults beside a yardstick for the
// machine itself, memory of the process, and liveness. Judges at the end.
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from './random.ts';
import { quantile, type Report } from './report.ts';
import { ask } from './traffic.ts';
import type { World } from './world.ts';

/** Phases of the run. The warm-up does not count, and faults of the store affect every tenant. */
export type Phase = 'warm-up' | 'quiet' | 'faults' | 'store';

const EVERY_MS = 40;
/** Permitted increase over the baseline: this much, or a factor of two, whichever is more. */
const SLACK_MS = 20;
/** While the store is silent, a request waits up to 300 ms before it is served from memory. */
const STORE_MS = 300;
const MEMORY_EVERY_MS = 500;
const SETTLED_MINUTES = 10;
const SHORT_RUN_MB = 1024;
/**
 * Permitted growth between the second fifth of the run and the last one, and per minute in long
 * runs.
 */
const GROWTH_MB = 64;
const GROWTH_MB_A_MINUTE = 2;

export class Watch {
  readonly #world: World;
  readonly #report: Report;
  readonly #calm: Record<Phase, number[]> = { 'warm-up': [], quiet: [], faults: [], store: [] };
  readonly #yardstick: Record<Phase, number[]> = { 'warm-up': [], quiet: [], faults: [], store: [] };
  readonly #memory: number[] = [];
  phase: Phase = 'warm-up';

  constructor(world: World, report: Report) {
    this.#world = world;
    this.#report = report;
  }

  /** Sends requests of the calm tenant at a steady pace, whatever the previous one took. */
  async times(random: Random, running: () => boolean): Promise<void> {
    const { calm } = this.#world;
    const scene = { tenant: calm, random, report: this.#report, id: '' };
    const pending = new Set<Promise<void>>();
    const one = async (): Promise<void> => {
      const { phase } = this;
      const id = random.whole(1, 3_000);
      const began = performance.now();
      // The same row by a way that does not lead through the service.
      const direct = calm.database
        .run('SELECT * FROM big WHERE id = $1', [id])
        .then(() => this.#yardstick[phase].push(performance.now() - began));
      const ending = await ask(scene, 'calm-read', { method: 'GET', path: `${calm.autoPath('big')}?pg=0&ps=5&id=eq.${id}` });
      this.#calm[phase].push(ending.ms);
      if (ending.kind !== 'answer' || ending.status !== 200)
        this.#report.violate(
          `the tenant without faults got ${ending.kind === 'answer' ? `${ending.status} ${ending.body.toString()}` : ending.kind}`,
        );
      await direct;
    };
    while (running()) {
      const work: Promise<void> = one().finally(() => pending.delete(work));
      pending.add(work);
      await delay(EVERY_MS);
    }
    await Promise.all(pending);
  }

  async memory(running: () => boolean): Promise<void> {
    while (running()) {
      const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readStatus(this.#world.main.pid)) ?? [];
      this.#memory.push(Number(kilobytes) / 1024);
      await delay(MEMORY_EVERY_MS);
    }
  }

  get megabytes(): number {
    return Math.round(this.#memory.at(-1) ?? 0);
  }

  judge(minutes: number): void {
    this.#judgeTimes();
    this.#judgeMemory(minutes);
  }

  #judgeTimes(): void {
    const p99 = (values: readonly number[]): number => quantile(values, 0.99);
    const quiet = p99(this.#calm.quiet);
    const faults = p99(this.#calm.faults);
    // Slow-down of the machine itself.
    const machine = Math.max(0, p99(this.#yardstick.faults) - p99(this.#yardstick.quiet));
    const limit = Math.max(2 * quiet, quiet + SLACK_MS) + machine;
    this.#report.fact(
      `tenant without faults: p99 ${quiet.toFixed(1)} ms quiet (${this.#calm.quiet.length} reads), ${faults.toFixed(1)} ms under faults (${this.#calm.faults.length}), limit ${limit.toFixed(1)} ms; p50 ${quantile(this.#calm.quiet, 0.5).toFixed(1)} and ${quantile(this.#calm.faults, 0.5).toFixed(1)} ms`,
    );
    this.#report.fact(
      `the same read past the service: p99 ${p99(this.#yardstick.quiet).toFixed(1)} and ${p99(this.#yardstick.faults).toFixed(1)} ms`,
    );
    if (faults > limit) this.#report.violate(`the tenant without faults waited: p99 ${faults.toFixed(1)} ms, limit ${limit.toFixed(1)} ms`);
    if (this.#calm.store.length === 0) return;
    const store = p99(this.#calm.store);
    this.#report.fact(`the same under faults of the store: p99 ${store.toFixed(1)} ms (${this.#calm.store.length} reads)`);
    if (store > limit + STORE_MS) this.#report.violate(`a tenant waited for the store: p99 ${store.toFixed(1)} ms`);
  }

  #judgeMemory(minutes: number): void {
    const fifth = Math.floor(this.#memory.length / 5);
    const early = quantile(this.#memory.slice(fifth, 2 * fifth), 0.5);
    const late = quantile(this.#memory.slice(-fifth), 0.5);
    const most = Math.max(...this.#memory);
    const limit = GROWTH_MB + GROWTH_MB_A_MINUTE * minutes;
    this.#report.fact(
      `memory: ${early.toFixed(0)} MB early, ${late.toFixed(0)} MB late, ${most.toFixed(0)} MB at most; may grow by ${limit.toFixed(0)} MB`,
    );
    // The heap has not settled in a few minutes: short runs have a total bound, long runs one for
    // growth.
    if (minutes < SETTLED_MINUTES) {
      if (most > SHORT_RUN_MB) this.#report.violate(`memory was at ${most.toFixed(0)} MB in a short run`);
    } else if (late - early > limit) this.#report.violate(`memory grew from ${early.toFixed(0)} MB to ${late.toFixed(0)} MB`);
  }
}

function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}
