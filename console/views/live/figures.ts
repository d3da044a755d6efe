/** Rates and percentiles from counters that only grow. Pure. */

export interface LiveAnswer {
  readonly at: string;
  readonly started_at: string;
  readonly version: string;
  readonly requests: number;
  readonly errors: number;
  /** Requests at most this slow, in seconds; the last one counts all. */
  readonly latency: readonly { readonly le: number | null; readonly count: number }[];
  readonly in_flight: number;
  readonly pools: readonly Pool[];
  readonly rollbacks: number;
  readonly cache: { readonly hits: number; readonly misses: number };
}

export interface Pool {
  readonly ref: string;
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
  readonly max: number;
}

/** Figures of the time between two answers. */
export interface Interval {
  /** Seconds since 1970, at its end. */
  readonly at: number;
  readonly rate: number;
  readonly errors: number;
  /** In milliseconds; `null` without requests. */
  readonly p50: number | null;
  readonly p99: number | null;
}

/** `undefined` if the service was restarted between the answers. */
export function intervalOf(before: LiveAnswer, after: LiveAnswer): Interval | undefined {
  const end = Date.parse(after.at) / 1000;
  const seconds = end - Date.parse(before.at) / 1000;
  if (seconds <= 0 || before.started_at !== after.started_at || after.requests < before.requests) return undefined;
  const counts = after.latency.map(({ le, count }, at) => ({ le, count: count - (before.latency[at]?.count ?? 0) }));
  return {
    at: end,
    rate: (after.requests - before.requests) / seconds,
    errors: (after.errors - before.errors) / seconds,
    p50: percentile(counts, 0.5),
    p99: percentile(counts, 0.99),
  };
}

/** Interpolates within the bucket that contains the share, as Prometheus does. */
export function percentile(buckets: LiveAnswer['latency'], share: number): number | null {
  const total = buckets.at(-1)?.count ?? 0;
  if (total === 0) return null;
  const wanted = total * share;
  let low = 0;
  let below = 0;
  for (const { le, count } of buckets) {
    if (count >= wanted) {
      const high = le ?? low;
      const inside = count === below ? 1 : (wanted - below) / (count - below);
      return (low + (high - low) * inside) * 1000;
    }
    low = le ?? low;
    below = count;
  }
  return low * 1000;
}
