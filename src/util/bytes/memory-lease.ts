/**
 * Counts the memory that requests hold while they are processed. A request that needs more than there is, or more than one owner may have, is
 * refused at once: waiting would only keep what it already holds. Knows nothing of what the memory is for.
 */

/** There is not enough memory for this request now. */
export class MemoryBusy extends Error {
  constructor() {
    super('too much memory is held by requests that are being worked on');
  }
}

interface Owner {
  readonly name: string;
  held: number;
}

/** The share of a single owner, so that there is always some left for the others. */
const OWNERS_PART = 1 / 2;

export class MemoryBudget {
  readonly #most: number;
  readonly #owners = new Map<string, Owner>();
  #held = 0;

  constructor(mostBytes: number) {
    this.#most = mostBytes;
  }

  /** What everybody holds. */
  get held(): number {
    return this.#held;
  }

  /** The most that a single owner can get. */
  get share(): number {
    return this.#most * OWNERS_PART;
  }

  lease(owner: string): MemoryLease {
    return new MemoryLease(this, owner);
  }

  /** Takes memory for an owner or, with a negative number, returns it. */
  take(name: string, bytes: number): void {
    const owner = this.#owners.get(name) ?? { name, held: 0 };
    if (bytes > 0 && (this.#held + bytes > this.#most || owner.held + bytes > this.share)) throw new MemoryBusy();
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

  /** The most that this request can ever hold. */
  get most(): number {
    return this.#budget.share;
  }

  /** Throws MemoryBusy and leaves the lease unchanged. */
  grow(bytes: number): void {
    // Work that continues for others after its caller has left is no longer counted.
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
