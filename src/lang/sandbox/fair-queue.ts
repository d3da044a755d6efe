/**
 * Waiting jobs by tenant: round robin over tenants, FIFO within one. Bounded in total and per
 * tenant.
 */
export interface HasTenant {
  readonly tenant: string;
}

export class FairQueue<T extends HasTenant> {
  readonly #max: number;
  readonly #maxPerTenant: number;
  /** In the order of service: the first tenant is next. */
  readonly #queues = new Map<string, T[]>();
  #length = 0;

  constructor({ max, maxPerTenant }: { readonly max: number; readonly maxPerTenant: number }) {
    this.#max = max;
    this.#maxPerTenant = maxPerTenant;
  }

  get length(): number {
    return this.#length;
  }

  /** Returns `false` if the queue is full. */
  add(job: T): boolean {
    const queue = this.#queues.get(job.tenant) ?? [];
    if (this.#length >= this.#max || queue.length >= this.#maxPerTenant) return false;
    queue.push(job);
    this.#queues.set(job.tenant, queue);
    this.#length++;
    return true;
  }

  /** Takes the next job of the first tenant that may have one. That tenant moves to the end. */
  take(mayHave: (tenant: string) => boolean): T | undefined {
    for (const [tenant, queue] of this.#queues) {
      if (!mayHave(tenant)) continue;
      const job = queue.shift();
      this.#queues.delete(tenant);
      if (queue.length > 0) this.#queues.set(tenant, queue);
      this.#length--;
      return job;
    }
    return undefined;
  }
}
