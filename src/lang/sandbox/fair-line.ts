/**
 * Jobs that wait, by owner: the owners are served in turn, each in the order of its own jobs, so that nobody waits behind all that another has
 * sent. Bounded in all, and for each owner. Knows nothing of what the jobs are.
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

  /** False when there is no room. */
  add(job: T): boolean {
    const line = this.#lines.get(job.owner) ?? [];
    if (this.#length >= this.#most || line.length >= this.#mostOfOne) return false;
    line.push(job);
    this.#lines.set(job.owner, line);
    this.#length++;
    return true;
  }

  /** The next job of the first owner who may have one; that owner is the last then. */
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
