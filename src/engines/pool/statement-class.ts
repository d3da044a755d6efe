/**
 * Statements that take about as long as each other, as far as is known, so that several may share a connection. A kind that is not known to be brief has
 * to show it first; and one that has become slow, by a lock, by large rows or by a disk, has to show it again. Knows nothing of what they do.
 */
import type { Backpressure } from '../../model/cells.ts';
import type { Brief, InOne } from '../contract/engine.ts';

/** Milliseconds in which a brief statement is over, waiting included. */
const QUICK_MS = 10;
/** Of those that share a connection, until the last of them is over. */
const SHARED_QUICK_MS = 80;
/** So many in a row have to be quick. */
const PROOF = 8;
/**
 * A kind of which one held up others, which may be of other kinds, is not shared for so many milliseconds; for twice as many when it does so again before
 * ten times as many have passed.
 */
const REST_MS = 1000;
const REST_MOST_MS = 60_000;
const REST_AGAIN = 10;
/**
 * Writes that wait for a disk, each for itself, are sooner over side by side: the server then writes them to the disk together. They do wait when of
 * so many shares even the quickest took so many milliseconds for each of its writes. After so many writes it is tried again.
 */
const DISK_SHARES = 16;
const DISK_MS = 0.6;
const DISK_REST = 2000;

export interface KindTraits {
  readonly isProven: boolean;
  /** As `Need` has it. */
  readonly party?: unknown;
  /** How many times as long as a plain read it may take. */
  readonly slowness?: number;
  readonly writes?: boolean;
  /** As `Brief` has it. Writes do. */
  readonly yields?: boolean;
  readonly inOne?: InOne;
}

export class BriefKind implements Brief {
  readonly yields: boolean;
  readonly inOne: InOne | undefined;
  readonly party: unknown;
  readonly #writes: boolean;
  readonly #slowness: number;
  #quick: number;
  #restMs = 0;
  #restsTill = 0;
  #isHeavy = false;
  /** The last shares: how many, and the quickest of them. */
  #shares = 0;
  #quickestMs = Number.POSITIVE_INFINITY;
  /** How many writes are not shared because of the disk. */
  #resting = 0;

  constructor({ isProven, slowness = 1, writes = false, yields = writes, inOne, party }: KindTraits) {
    this.#quick = isProven ? PROOF : 0;
    this.#slowness = slowness;
    this.#writes = writes;
    this.yields = yields;
    this.inOne = inOne;
    this.party = party;
  }

  get isPipelined(): boolean {
    return this.#quick >= PROOF && this.#resting === 0 && !this.#isHeavy && !this.#rests;
  }

  /** One that had its connection for itself. */
  took(ms: number): void {
    if (this.#resting > 0) this.#resting--;
    if (ms > QUICK_MS * this.#slowness) this.#quick = 0;
    else if (this.#quick < PROOF) this.#quick++;
  }

  wentTogether(count: number, ms: number): void {
    if (ms > SHARED_QUICK_MS * this.#slowness) this.#quick = 0;
    if (!this.#writes || this.inOne !== undefined || count === 1) return;
    this.#quickestMs = Math.min(this.#quickestMs, ms / count);
    if (++this.#shares < DISK_SHARES) return;
    if (this.#quickestMs > DISK_MS * this.#slowness) this.#resting = DISK_REST;
    this.#shares = 0;
    this.#quickestMs = Number.POSITIVE_INFINITY;
  }

  /** One of them could not share its connection. Those that never yield are all alike; of others it depends on what is asked. */
  needsOwn(): void {
    if (this.yields) this.#quick = 0;
    else this.neverShare();
  }

  /** One of them was stopped for those behind it. Where they are one statement, those were of its own kind. */
  heldUpOthers(): void {
    this.#quick = 0;
    if (this.inOne !== undefined || this.#rests) return;
    const now = performance.now();
    const isAgain = now - this.#restsTill < this.#restMs * REST_AGAIN;
    this.#restMs = isAgain ? Math.min(this.#restMs * 2, REST_MOST_MS) : REST_MS;
    this.#restsTill = now + this.#restMs;
  }

  get #rests(): boolean {
    return this.#restsTill > 0 && performance.now() < this.#restsTill;
  }

  /** The answer of one was more than its reader took at once: who shares a connection with such a one has to wait. */
  neverShare(): void {
    this.#isHeavy = true;
  }

  /** The flow of the rows of one, whose reader shows whether they are too many. */
  watched(flow: Backpressure, isPipelined: boolean): Backpressure {
    return new WatchedFlow(flow, this, isPipelined);
  }
}

/** The kind of what stands for it (a table, a database), made when it is first asked for. */
export function kindIn<K extends object>(kinds: WeakMap<K, BriefKind>, of: K, traits: KindTraits): BriefKind {
  let kind = kinds.get(of);
  if (kind === undefined) {
    kind = new BriefKind(traits);
    kinds.set(of, kind);
  }
  return kind;
}

class WatchedFlow implements Backpressure {
  readonly isPipelined: boolean;
  readonly #inner: Backpressure;
  readonly #kind: BriefKind;

  constructor(inner: Backpressure, kind: BriefKind, isPipelined: boolean) {
    this.#inner = inner;
    this.#kind = kind;
    this.isPipelined = isPipelined;
  }

  pause(): void {
    this.#kind.neverShare();
    this.#inner.pause();
  }

  resume(): void {
    this.#inner.resume();
  }
}
