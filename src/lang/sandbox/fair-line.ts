/**
 * Waiting jobs by owner. Owners are served in turn, each in the order of its own jobs, so that nobody waits behind everything that another has
 * sent. Bounded in total and per owner. Knows nothing of the jobs.
 */
export interface Owned {
  readonly owner: string;
}

export class FairLine<T extends Owned> {
  readonly #most: number;
  readonly #mostOfOne: number;
  /** The first owner is the next. */
  readonly #lines = new Map<string, T[]>();
  #length = 0;

  constructor({ most, mostOfOne }: { readonly most: number; readonly mostOfOne: number }) {
    this.#most = most;
    this.#mostOfOne = mostOfOne;
  }

  get length(): number {
    return this.#length;
  }

  /** Returns false when there is no room. */
  add(job: T): boolean {
    const line = this.#lines.get(job.owner) ?? [];
    if (this.#length >= this.#most || line.length >= this.#mostOfOne) return false;
    line.push(job);
    this.#lines.set(job.owner, line);
    this.#length++;
    return true;
  }

  /** Takes the next job of the first owner who may have one. That owner moves to the end. */
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
