/**
 * `millrace serve`: one process, or several that share the port. Prints the ready line once
 * requests are accepted, and shuts down on SIGTERM and SIGINT.
 */
import cluster, { type Worker } from 'node:cluster';
import { startService, urlOf } from '../../app.ts';
import { type Config, ConfigError } from '../../config.ts';
import { joinWorkers, relayReports } from './worker-reports.ts';

/**
 * Signals within this time count as one: a terminal's Ctrl-C reaches a process directly and through
 * its parent.
 */
const SAME_SIGNAL_MS = 1000;
const RESTART_DELAY_MS = 500;
/** Time after a second signal within which the process exits. */
const BREAK_OFF_MS = 900;

export interface Running {
  readonly url: string;
  close(): Promise<void>;
  /** Aborts running requests, so that `close` ends soon. */
  breakOff(): void;
}

export async function serve(config: Config): Promise<undefined> {
  if (config.serverKeys.length === 0) throw new ConfigError('MILLRACE_SERVER_KEY is not set; give the key that System APIs demand.');
  if (config.encryptionKeys.length === 0) throw new ConfigError('MILLRACE_ENCRYPTION_KEY is not set; give 32 bytes in base64 or hex.');
  const running = config.workers > 1 && cluster.isPrimary ? await startWorkers(config) : await startOne(config).catch(letGo);
  if (cluster.isPrimary) announce(running.url, config);
  endOnSignal(running);
  return undefined;
}

/** Disconnects a worker that cannot start, so that its channel does not keep it alive. */
function letGo(error: unknown): never {
  process.channel?.unref();
  throw error;
}

/** Prints the ready line: plain text, or a log line for collectors. */
export function announce(url: string, { readyLine }: Pick<Config, 'readyLine'>): void {
  const msg = `millrace ready on ${url}`;
  const line = readyLine === 'text' ? msg : JSON.stringify({ level: 30, time: new Date(), url, msg });
  process.stdout.write(`${line}\n`);
}

/** Handles signals: the first one shuts down gracefully, a later one aborts running requests. */
export function endOnSignal({ close, breakOff }: Pick<Running, 'close' | 'breakOff'>): void {
  let first: number | undefined;
  let code = 0;
  const end = (): void => {
    if (first !== undefined) {
      if (performance.now() - first < SAME_SIGNAL_MS) return;
      code = 1;
      breakOff();
      setTimeout(() => process.exit(code), BREAK_OFF_MS);
      return;
    }
    first = performance.now();
    close().then(
      () => process.exit(code),
      (error: unknown) => {
        process.stderr.write(`millrace: shutting down failed: ${(error as Error).message}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
}

export async function startOne(config: Config): Promise<Running> {
  const service = await startService(config);
  const { observer } = service;
  if (cluster.isWorker) observer.peers = joinWorkers((topic, projectId) => observer.report(topic, projectId));
  return { url: service.url, close: () => service.close(config.shutdownSecs), breakOff: () => service.breakOff() };
}

/** The primary only supervises: each worker is a whole service on the shared port. */
function startWorkers(config: Config): Promise<Running> {
  let state: 'starting' | 'serving' | 'closing' = 'starting';
  const workers = (): Worker[] => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
  const signalAll = (): void => {
    for (const worker of workers()) worker.process.kill('SIGTERM');
  };
  relayReports(workers);
  return new Promise((resolve, reject) => {
    cluster.on('exit', (worker) => {
      if (state === 'closing' || worker.exitedAfterDisconnect) return;
      if (state === 'starting') {
        // The worker has reported the reason, and the others would fail in the same way.
        state = 'closing';
        signalAll();
        reject(new Error('a worker ended before it was ready'));
        return;
      }
      process.stderr.write(`millrace: worker ${worker.process.pid} ended; starting another\n`);
      setTimeout(() => cluster.fork(), RESTART_DELAY_MS);
    });
    let listening = 0;
    cluster.on('listening', (_, address) => {
      listening++;
      if (listening !== config.workers) return;
      state = 'serving';
      resolve({
        url: urlOf(config.host, address.port),
        async close() {
          state = 'closing';
          const ends = workers().map((worker) => new Promise((done) => worker.on('exit', done)));
          signalAll();
          await Promise.all(ends);
        },
        breakOff: signalAll,
      });
    });
    for (let i = 0; i < config.workers; i++) cluster.fork();
  });
}
