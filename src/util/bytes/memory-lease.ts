/**
 * A budget of memory for requests in progress. A request that needs more than is left, or more than
 * its tenant's share, is rejected at once: waiting would only keep the memory that it already
 * holds.
 */

/** Thrown when there is not enough memory for a request. */
export class MemoryBusy extends Error {
  constructor() {
    super('too much memory is held by requests that are being worked on');
  }
}

interface Owner {
  readonly name: string;
  held: number;
}

/** Fraction of the budget that one tenant may hold, so that others always find some left. */
const OWNERS_PART = 1 / 2;

export class MemoryBudget {
  readonly #max: number;
  readonly #owners = new Map<string, Owner>();
  #held = 0;

  constructor(mostBytes: number) {
    this.#max = mostBytes;
  }

  /** Bytes held by all tenants. */
  get held(): number {
    return this.#held;
  }

  /** Maximum number of bytes that one tenant may hold. */
  get share(): number {
    return this.#max * OWNERS_PART;
  }

  lease(owner: string): MemoryLease {
    return new MemoryLease(this, owner);
  }

  /** Takes memory for a tenant or, with a negative number, returns it. */
  take(name: string, bytes: number): void {
    const owner = this.#owners.get(name) ?? { name, held: 0 };
    if (bytes > 0 && (this.#held + bytes > this.#max || owner.held + bytes > this.share)) throw new MemoryBusy();
    this.#held += bytes;
    owner.held += bytes;
    if (owner.held > 0) this.#owners.set(name, owner);
    else this.#owners.delete(name);
  }
}

/** The memory of one request, until its release. */
export class MemoryLease {
  readonly owner: string;
  held = 0;
  #released = false;
  readonly #budget: MemoryBudget;

  constructor(budget: MemoryBudget, owner: string) {
    this.#budget = budget;
    this.owner = owner;
  }

  /** Maximum number of bytes that this request can ever hold. */
  get max(): number {
    return this.#budget.share;
  }

  /** Throws MemoryBusy and leaves the lease unchanged if the budget does not suffice. */
  grow(bytes: number): void {
    // Work that continues for others after its caller has left is not counted.
    if (this.#released) return;
    this.#budget.take(this.owner, bytes);
    this.held += bytes;
  }

  release(): void {
    if (this.held > 0) this.#budget.take(this.owner, -this.held);
    this.held = 0;
    this.#released = true;
  }
}
