// Random numbers with a seed. Every conversation has its own seed, so that it can be replayed
// alone.

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Derives a generator by number. */
  static of(seed: number, index: number): Random {
    return new Random(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35));
  }

  /** Returns any 32 bits (mulberry32). */
  bits(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  }

  /** Returns an integer from 0 to n - 1; 0 if n is 0. */
  below(n: number): number {
    return n <= 0 ? 0 : this.bits() % n;
  }

  chance(ofHundred: number): boolean {
    return this.below(100) < ofHundred;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('there is nothing to pick from');
    return item;
  }

  bytes(n: number): Buffer {
    const bytes = Buffer.alloc(n);
    for (let i = 0; i < n; i++) bytes[i] = this.bits();
    return bytes;
  }

  /** Returns a boundary value, or any 32 bits. */
  oddNumber(): number {
    return this.chance(75) ? this.pick(ODD_NUMBERS) : this.bits();
  }
}

const ODD_NUMBERS = [
  0, 1, 2, 3, 4, 5, 7, 8, 100, 127, 128, 250, 251, 252, 253, 254, 255, 256, 4096, 32_767, 32_768, 65_535, 65_536, 70_000, 0xff_ffff,
  0x100_0000, 0x1000_0000, 0x3fff_ffff, 0x7fff_fffb, 0x7fff_fffe, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_fff0, 0xffff_fffb,
  0xffff_fffc, 0xffff_fffd, 0xffff_fffe, 0xffff_ffff,
];
