/** A histogram of durations in Prometheus' format. The text is built on demand. */

/** Upper bounds in milliseconds. Longer durations count in the sum and the total only. */
const BOUNDS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10_000, 30_000];

export const BOUNDS_SECS: readonly number[] = BOUNDS.map((bound) => bound / 1000);

export class Durations {
  readonly #counts = new Float64Array(BOUNDS.length + 1);
  #sum = 0;

  note(ms: number): void {
    let bucket = 0;
    while (bucket < BOUNDS.length && ms > (BOUNDS[bucket] as number)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#sum += ms;
  }

  /** Number of durations up to each bound, and of all. */
  totals(): readonly number[] {
    let total = 0;
    return Array.from(this.#counts, (count) => {
      total += count;
      return total;
    });
  }

  /** Lines of one label set (`a="b",c="d"`), in seconds by convention. */
  lines(name: string, labels: string): string {
    let total = 0;
    let text = '';
    for (const [bucket, bound] of BOUNDS.entries()) {
      total += this.#counts[bucket] as number;
      text += `${name}_bucket{${labels},le="${bound / 1000}"} ${total}\n`;
    }
    total += this.#counts[BOUNDS.length] as number;
    return `${text}${name}_bucket{${labels},le="+Inf"} ${total}\n${name}_sum{${labels}} ${this.#sum / 1000}\n${name}_count{${labels}} ${total}\n`;
  }
}
