// Stores in separate processes, driven by messages.
import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { StoreOptions } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';

const root = join(import.meta.dirname, '..', '..');

/** Compiles the sources to plain JavaScript below the project, so that packages resolve. */
export function compileSources(): string {
  const folder = join(root, '.cache', 'store-tests');
  mkdirSync(folder, { recursive: true });
  spawnSync(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.json', '--outDir', folder], {
    cwd: root,
  });
  return join(folder, 'store', 'open-store.js');
}

type Calls = { [K in keyof Store as Store[K] extends (...args: never[]) => unknown ? K : never]: Store[K] };

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

export class StoreProcess {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #next = 0;

  constructor(modulePath: string) {
    this.#child = fork(join(import.meta.dirname, 'child.mjs'), [modulePath], { serialization: 'advanced', execArgv: [] });
    this.#child.on('message', (answer: Answer) => {
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
  }

  async #ask(message: object): Promise<unknown> {
    const id = this.#next++;
    const answer = await new Promise<Answer>((resolve) => {
      this.#waiting.set(id, resolve);
      this.#child.send({ id, ...message }, (error) => error && resolve({ id, error: error.message }));
    });
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.value;
  }

  async open(options: StoreOptions): Promise<void> {
    await this.#ask({ open: options });
  }

  /** Result of the function, after a refresh as at the start of a request. */
  call<K extends keyof Calls>(name: K, ...args: Parameters<Calls[K]>): Promise<unknown> {
    return this.#ask({ call: name, args });
  }

  /** Kills the process with SIGKILL. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await gone;
  }

  /** Stops the process, as a debugger or a frozen machine does. */
  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }
}
