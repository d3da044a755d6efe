/**
 * Waiting jobs by tenant: round robin over tenants, FIFO within one. Bounded in total and per
 * tenant.
 */
export interface Owned {
  readonly owner: string;
}

export class FairLine<T extends Owned> {
  readonly #most: number;
  readonly #mostOfOne: number;
  /** In the order of service: the first tenant is next. */
  readonly #lines = new Map<string, T[]>();
  #length = 0;

  constructor({ most, mostOfOne }: { readonly most: number; readonly mostOfOne: number }) {
    this.#most = most;
    this.#mostOfOne = mostOfOne;
  }

  get length(): number {
    return this.#length;
  }

  /** Returns `false` if the queue is full. */
  add(job: T): boolean {
    const line = this.#lines.get(job.owner) ?? [];
    if (this.#length >= this.#most || line.length >= this.#mostOfOne) return false;
    line.push(job);
    this.#lines.set(job.owner, line);
    this.#length++;
    return true;
  }

  /** Takes the next job of the first tenant that may have one. That tenant moves to the end. */
  take(mayHave: (owner: string) => boolean): T | undefined {
    for (const [owner, line] of this.#lines) {
      if (!mayHave(owner)) continue;
      const job = line.shift();
      this.#lines.delete(owner);
      if (line.length > 0) this.#lines.set(owner, line);
      this.#length--;
      return job;
    }
    return undefined;
  }
}
