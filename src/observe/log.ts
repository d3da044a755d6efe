/** The log of a process: JSON lines on stdout. The only file that prints while serving. */
import pino from 'pino';

/** Lines of requests are written together: at this size, or after this time. */
const BUFFER_CHARACTERS = 32_768;
const BUFFER_MS = 1000;

export class Log {
  readonly #log: pino.Logger;
  readonly #destination: ReturnType<typeof pino.destination>;
  readonly hasRequests: boolean;
  #buffered = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(level: string) {
    this.#destination = pino.destination({ dest: 1, sync: false });
    this.#log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, this.#destination);
    this.hasRequests = this.#log.isLevelEnabled('info');
  }

  write(level: 'info' | 'warn' | 'error', fields: object, message: string): void {
    // Keeps the log in the order of events.
    this.#writeBuffered();
    this.#log[level](fields, message);
  }

  writeRequest(line: string): void {
    this.#buffered += line;
    if (this.#buffered.length >= BUFFER_CHARACTERS) this.#writeBuffered();
    else this.#timer ??= setTimeout(() => this.#writeBuffered(), BUFFER_MS).unref();
  }

  flush(): void {
    this.#writeBuffered();
    try {
      this.#destination.flushSync();
    } catch {
      // The destination is not open yet, or its reader has gone.
    }
  }

  #writeBuffered(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#buffered === '') return;
    const lines = this.#buffered;
    this.#buffered = '';
    this.#destination.write(lines);
  }
}
