/**
 * Counters for live figures: of the instance, and of each project. They only grow; rates are the
 * work of the reader. No I/O.
 */
import { BOUNDS_SECS, Durations } from '../util/text/durations.ts';

/** Projects with counters of their own. Requests of all others count for the instance only. */
const MAX_PROJECTS = 10_000;

class Counts {
  readonly durations = new Durations();
  requests = 0;
  errors = 0;
  rollbacks = 0;
  hits = 0;
  misses = 0;
}

export interface PoolFigures {
  readonly ref: string;
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
  readonly max: number;
}

/** Figures of one process, or the sum of several. */
export interface LiveFigures {
  readonly startedAt: string;
  readonly requests: number;
  readonly errors: number;
  /** Number of requests that took at most the bound of the same index; the last counts all. */
  readonly latency: readonly number[];
  readonly inFlight: number;
  readonly pools: readonly PoolFigures[];
  readonly rollbacks: number;
  readonly hits: number;
  readonly misses: number;
}

/** Upper bounds in seconds; `null` for requests of any duration. */
export const LATENCY_BOUNDS: readonly (number | null)[] = [...BOUNDS_SECS, null];

export class LiveCounters {
  readonly startedAt = new Date().toISOString();
  readonly #instance = new Counts();
  /** Counters that a request of no project, or of one too many, adds to. */
  readonly #instanceOnly: readonly Counts[] = [this.#instance];
  /** Counters that a request of a project adds to: those of the project, and of the instance. */
  readonly #projects = new Map<string, readonly [Counts, Counts]>();

  request(projectId: string | undefined, status: number, ms: number): void {
    for (const counts of this.#of(projectId)) {
      counts.requests++;
      if (status >= 500) counts.errors++;
      counts.durations.note(ms);
    }
  }

  rollback(projectId: string | undefined): void {
    for (const counts of this.#of(projectId)) counts.rollbacks++;
  }

  cacheLookup(projectId: string | undefined, result: 'hit' | 'miss'): void {
    for (const counts of this.#of(projectId)) counts[result === 'hit' ? 'hits' : 'misses']++;
  }

  /** Figures of a project, or of the instance. */
  figures(projectId: string | undefined, inFlight: number, pools: readonly PoolFigures[]): LiveFigures {
    const counts = projectId === undefined ? this.#instance : (this.#projects.get(projectId)?.[0] ?? new Counts());
    const { requests, errors, rollbacks, hits, misses, durations } = counts;
    return { startedAt: this.startedAt, requests, errors, latency: durations.totals(), inFlight, pools, rollbacks, hits, misses };
  }

  #of(projectId: string | undefined): readonly Counts[] {
    if (projectId === undefined) return this.#instanceOnly;
    const known = this.#projects.get(projectId);
    if (known !== undefined) return known;
    if (this.#projects.size >= MAX_PROJECTS) return this.#instanceOnly;
    const added = [new Counts(), this.#instance] as const;
    this.#projects.set(projectId, added);
    return added;
  }
}

/** Adds the figures of several processes. */
export function addFigures(parts: readonly LiveFigures[]): LiveFigures {
  const sum = (of: (part: LiveFigures) => number): number => parts.reduce((total, part) => total + of(part), 0);
  return {
    startedAt: parts.map(({ startedAt }) => startedAt).sort()[0] ?? new Date().toISOString(),
    requests: sum(({ requests }) => requests),
    errors: sum(({ errors }) => errors),
    latency: LATENCY_BOUNDS.map((_, index) => sum(({ latency }) => latency[index] ?? 0)),
    inFlight: sum(({ inFlight }) => inFlight),
    pools: addPools(parts.flatMap(({ pools }) => pools)),
    rollbacks: sum(({ rollbacks }) => rollbacks),
    hits: sum(({ hits }) => hits),
    misses: sum(({ misses }) => misses),
  };
}

/** Adds the pools of each database: an entry has one per purpose and process. */
export function addPools(pools: readonly PoolFigures[]): readonly PoolFigures[] {
  const byRef = new Map<string, PoolFigures>();
  for (const pool of pools) {
    const known = byRef.get(pool.ref) ?? { ref: pool.ref, open: 0, idle: 0, waiting: 0, max: 0 };
    byRef.set(pool.ref, {
      ref: pool.ref,
      open: known.open + pool.open,
      idle: known.idle + pool.idle,
      waiting: known.waiting + pool.waiting,
      max: known.max + pool.max,
    });
  }
  return [...byRef.values()].sort((one, other) => (one.ref < other.ref ? -1 : 1));
}
