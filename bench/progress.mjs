// Progress of a run and its remaining time, from estimates that are corrected by the time passed so
// far.
const toMinutes = (seconds) => Math.ceil(seconds / 60);

export class Progress {
  #estimates;
  #started = performance.now();
  #done = 0;

  /** `estimates`: seconds of each step. */
  constructor(estimates) {
    this.#estimates = estimates;
  }

  get minutes() {
    return toMinutes(sum(this.#estimates));
  }

  get minutesPassed() {
    return toMinutes(this.#passed);
  }

  get #passed() {
    return (performance.now() - this.#started) / 1000;
  }

  /** Starts the next step. Returns its number and the remaining time. */
  next() {
    const before = sum(this.#estimates.slice(0, this.#done));
    const pace = before === 0 ? 1 : this.#passed / before;
    const left = sum(this.#estimates.slice(this.#done)) * pace;
    this.#done++;
    return `${this.#done}/${this.#estimates.length}, ${toMinutes(left)} min left`;
  }
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
