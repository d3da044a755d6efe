/**
 * Records the last failure of each version: at once the first time, then at most once a second per
 * definition. No I/O.
 */
interface Note {
  readonly at: string;
  readonly message: string;
}

type Write = (note: Note) => Promise<void>;

const PAUSE_MS = 1_000;
const LONGEST_MESSAGE = 2_000;

interface Pending {
  /** The latest failure since the last write. */
  next: { readonly note: Note; readonly write: Write } | undefined;
  readonly timer: NodeJS.Timeout;
}

export class FailureNotes {
  readonly #onProblem: (what: string, cause: unknown) => void;
  readonly #pending = new Map<string, Pending>();
  #written: Promise<void> = Promise.resolve();

  constructor(onProblem: (what: string, cause: unknown) => void) {
    this.#onProblem = onProblem;
  }

  add(key: string, message: string, write: Write): void {
    const note = { at: new Date().toISOString(), message: message.slice(0, LONGEST_MESSAGE).replaceAll('\0', '\ufffd') };
    const pending = this.#pending.get(key);
    if (pending === undefined) this.#begin(key, note, write);
    else pending.next = { note, write };
  }

  /** Resolves when every failure so far is stored, or could not be stored. */
  flush(): Promise<void> {
    for (const pending of this.#pending.values()) this.#writeNext(pending);
    return this.#written;
  }

  close(): Promise<void> {
    const written = this.flush();
    for (const { timer } of this.#pending.values()) clearTimeout(timer);
    this.#pending.clear();
    return written;
  }

  #begin(key: string, note: Note, write: Write): void {
    const timer = setTimeout(() => this.#end(key), PAUSE_MS).unref();
    this.#pending.set(key, { next: undefined, timer });
    this.#write(note, write);
  }

  #end(key: string): void {
    const next = this.#pending.get(key)?.next;
    this.#pending.delete(key);
    if (next !== undefined) this.#begin(key, next.note, next.write);
  }

  #writeNext(pending: Pending): void {
    const { next } = pending;
    pending.next = undefined;
    if (next !== undefined) this.#write(next.note, next.write);
  }

  #write(note: Note, write: Write): void {
    this.#written = this.#written
      .then(() => write(note))
      .catch((cause: unknown) => this.#onProblem('the reason of a failed call could not be noted', cause));
  }
}
