// A pool whose connections are opened and broken by the test.
import { type Connection, DbFailure } from '../../../src/engines/contract/engine.ts';
import { Pool, type PoolLimits } from '../../../src/engines/pool/pool.ts';
import { ServerBudget } from '../../../src/engines/pool/server-budget.ts';

export class Stub implements Connection {
  usable = true;
  isSilent = false;
  answersPings = true;
  corked = 0;
  uncorked = 0;
  readonly maxConcurrentStatements?: number;
  closed = false;
  readonly #listeners: (() => void)[] = [];
  constructor(maxConcurrentStatements?: number) {
    if (maxConcurrentStatements !== undefined) this.maxConcurrentStatements = maxConcurrentStatements;
  }
  run = async () => ({ rows: 0, selected: false });
  begin = async () => undefined;
  commit = async () => undefined;
  rollback = async () => 'all' as const;
  reset = async () => true;
  ping = async () => this.answersPings;
  cork(): void {
    this.corked++;
  }
  uncork(): void {
    this.uncorked++;
  }
  onClosed(listener: () => void): void {
    this.#listeners.push(listener);
  }
  close(): void {
    this.usable = false;
    this.closed = true;
  }
  /** As when the server goes away. */
  die(): void {
    this.usable = false;
    for (const listener of this.#listeners) listener();
  }
}

export const LIMITS: PoolLimits = { maxOpen: 1, maxIdle: 1, idleMs: 1000, waitMs: 200, maxBulk: 8, bulkWaitMs: 200 };

/** Creates a pool whose connections are opened by the test. */
export function pool(limits: Partial<PoolLimits> = {}, maxConcurrentStatements?: number, server = new ServerBudget(), username = 'u') {
  const opening: { give(): Stub; fail(): void }[] = [];
  const made = new Pool(
    { ...LIMITS, ...limits },
    () =>
      new Promise<Connection>((resolve, reject) => {
        opening.push({
          give() {
            const connection = new Stub(maxConcurrentStatements);
            resolve(connection);
            return connection;
          },
          fail: () => reject(new DbFailure('unreachable', 'refused')),
        });
      }),
    { username, servers: [server] },
  );
  return { made, opening };
}
