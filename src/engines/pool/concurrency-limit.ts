/**
 * How many statements of one database run at a time, found by trying: few, as long as more of them get no more done. On a server whose processors are
 * busy, a statement more only takes its share of them from the others, and whoever is last waits for all; on one that is far away, or has many
 * processors, twice as many are done in the same time. So while others wait, twice as many, or half, are tried for a moment now and then, and the
 * number of statements that were done decides. Knows nothing of connections.
 */

/** The fewest, and where it begins. */
export const LEAST_AT_ONCE = 8;
/** A rate is taken over so long, and longer where less was done, up to so long. */
const WINDOW_MS = 100;
const WINDOW_MOST_MS = 250;
const ENOUGH_DONE = 100;
/** Nothing was done for so long: a timer that asks every hundred milliseconds may come a little early. */
const STILL_MS = 90;
/** After a change nothing counts for so long, and longer until there are as many, up to so long: connections have to be opened. */
const SETTLE_MS = 50;
const SETTLE_MOST_MS = 500;
/**
 * What is done has to grow by a third as much as the number, and may shrink by two fifths as much: twice as many have to do 1.33 times what was done
 * before, and half of them 0.8 times.
 */
const GAIN = 0.33;
const LOSS = 0.4;
/** Between two trials: at first, and at most, twice as long after each that was in vain. */
const PAUSE_MS = 250;
const PAUSE_MOST_MS = 32_000;

export class ConcurrencyLimit {
  readonly #least: number;
  readonly #most: number;
  #limit: number;
  /** On trial, else undefined. */
  #tried: number | undefined;
  /** Just before the trial: how many there were, and what they did in a millisecond. */
  #before = 0;
  #rate = 0;
  #triesFewer = false;
  #pauseMs = PAUSE_MS;
  #pausedUntil = 0;
  /** The window: since when, when something was done last, how much, how often others waited for it, and how many there were at most. */
  #since = 0;
  #last = 0;
  #done = 0;
  #wanted = 0;
  #peak = 0;
  #isSettling = false;

  constructor(most: number) {
    this.#most = most;
    this.#least = Math.min(LEAST_AT_ONCE, most);
    this.#limit = this.#least;
  }

  get now(): number {
    return this.#tried ?? this.#limit;
  }

  /** A statement is done. `isWanted`: others waited for its place; `running`: so many there were with it. */
  done(isWanted: boolean, running: number, now: number): void {
    // After a rest a window says nothing, and what was measured before a trial is no measure for it.
    if (now - this.#last > WINDOW_MS) this.#begin(undefined, now);
    this.#last = now;
    if (this.#isSettling) {
      const ms = now - this.#since;
      if (ms >= SETTLE_MOST_MS || (ms >= SETTLE_MS && running >= this.now)) this.#begin(this.#tried, now);
      return;
    }
    this.#done++;
    if (isWanted) this.#wanted++;
    if (running > this.#peak) this.#peak = running;
    const ms = now - this.#since;
    if (ms >= WINDOW_MS && (this.#done >= ENOUGH_DONE || ms >= WINDOW_MOST_MS)) this.#end(this.#done / ms, now);
  }

  /** Others wait. When nothing was done of late, those that are under way say nothing of how many could be. */
  stillWanted(now: number): void {
    if (now - this.#last < STILL_MS) return;
    this.#limit = Math.min(this.#limit * 2, this.#most);
    this.#pauseMs = PAUSE_MS;
    this.#pausedUntil = 0;
    this.#begin(undefined, now);
  }

  /** A new window begins. */
  #begin(tried: number | undefined, now: number): void {
    this.#tried = tried;
    this.#since = now;
    this.#last = now;
    this.#done = 0;
    this.#wanted = 0;
    this.#peak = 0;
    this.#isSettling = false;
  }

  #change(tried: number | undefined, now: number): void {
    this.#begin(tried, now);
    this.#isSettling = true;
  }

  #end(rate: number, now: number): void {
    if (this.#tried !== undefined) this.#judge(this.#tried, rate, now);
    else if (now < this.#pausedUntil || !this.#try(rate, now)) this.#begin(undefined, now);
  }

  /** More are tried while others wait, fewer also when nobody does: there may be room for more than do well. */
  #try(rate: number, now: number): boolean {
    const isWanted = this.#wanted * 2 > this.#done;
    const before = isWanted ? this.#limit : Math.min(this.#peak, this.#limit);
    const more = isWanted ? Math.min(before * 2, this.#most) : before;
    const fewer = Math.min(Math.max(Math.ceil(before / 2), this.#least), before);
    if ((this.#triesFewer ? fewer : more) === before) this.#triesFewer = !this.#triesFewer;
    const tried = this.#triesFewer ? fewer : more;
    if (tried === before) return false;
    this.#before = before;
    this.#rate = rate;
    this.#change(tried, now);
    return true;
  }

  /** The same way once more when it was better, else the other way later. */
  #judge(tried: number, rate: number, now: number): void {
    const isBetter = rate >= this.#rate * (1 + (tried / this.#before - 1) * (this.#triesFewer ? LOSS : GAIN));
    this.#pauseMs = isBetter ? PAUSE_MS : Math.min(this.#pauseMs * 2, PAUSE_MOST_MS);
    this.#pausedUntil = isBetter ? now : now + this.#pauseMs;
    if (isBetter) this.#limit = tried;
    else this.#triesFewer = !this.#triesFewer;
    this.#change(undefined, now);
  }
}
