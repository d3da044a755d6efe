// A pool whose connections open and break when a test says so.
import { type Connection, DbFailure } from '../../src/engines/contract/engine.ts';
import { Pool, type PoolLimits } from '../../src/engines/pool/pool.ts';
import { ServerLoad } from '../../src/engines/pool/server-load.ts';

export class Stub implements Connection {
  usable = true;
  readonly statementsAtOnce?: number;
  closed = false;
  readonly #listeners: (() => void)[] = [];
  constructor(statementsAtOnce?: number) {
    if (statementsAtOnce !== undefined) this.statementsAtOnce = statementsAtOnce;
  }
  run = async () => ({ rows: 0, selected: false });
  begin = async () => undefined;
  commit = async () => undefined;
  rollback = async () => 'all' as const;
  reset = async () => true;
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

export const LIMITS: PoolLimits = { maxOpen: 1, maxIdle: 1, idleMs: 1000, waitMs: 200, bulkyMost: 8, bulkyWaitMs: 200 };

/** A pool whose connections open when the test says so. */
export function pool(limits: Partial<PoolLimits> = {}, statementsAtOnce?: number, load = new ServerLoad()) {
  const opening: { give(): Stub; fail(): void }[] = [];
  const made = new Pool(
    { ...LIMITS, ...limits },
    () =>
      new Promise((resolve, reject) => {
        opening.push({
          give() {
            const connection = new Stub(statementsAtOnce);
            resolve(connection);
            return connection;
          },
          fail: () => reject(new DbFailure('unreachable', 'refused')),
        });
      }),
    load,
  );
  return { made, opening };
}
