/**
 * Pipelining. Short statements issued in the same event-loop tick share one connection and leave in
 * a single write. Later ones are appended to it while it is in flight. Independent of what the
 * statements do.
 */
import type { Connection } from '../contract/engine.ts';

/**
 * Statements in flight on one connection. With more, the last one waits for longer, and little is
 * saved.
 */
export const MAX_IN_FLIGHT = 16;
/** Connections per batch key that are opened to pipelining before others are appended to them. */
export const MAX_LANES = 2;
/**
 * Nothing is appended to a connection that has been in use for longer, so that it becomes free
 * again.
 */
const LANE_OPEN_MS = 10;

/** A connection with pipelined statements. */
interface Lane {
  readonly connection: Connection;
  readonly batchKey: string;
  readonly since: number;
  inFlight: number;
  isCorked: boolean;
}

export class Pipeline {
  readonly #lanes = new Map<Connection, Lane>();
  readonly #byKey = new Map<string, Lane[]>();
  readonly #corked = new Set<Lane>();

  /**
   * Appends a statement to a connection in flight. `undefined` if the caller should use another
   * connection.
   */
  join(batchKey: string, hasIdle: boolean): Connection | undefined {
    const lanes = this.#byKey.get(batchKey);
    if (lanes === undefined) return undefined;
    const lane = this.#leastLoaded(lanes);
    if (lane === undefined || (!lane.isCorked && hasIdle && lanes.length < MAX_LANES)) return undefined;
    lane.inFlight++;
    this.#cork(lane);
    return lane.connection;
  }

  /** Opens a connection, which the caller has acquired, to other statements with the same key. */
  begin(connection: Connection, batchKey: string): Connection {
    if (connection.cork === undefined) return connection;
    const lane = { connection, batchKey, since: performance.now(), inFlight: 1, isCorked: false };
    this.#lanes.set(connection, lane);
    const lanes = this.#byKey.get(batchKey);
    if (lanes === undefined) this.#byKey.set(batchKey, [lane]);
    else lanes.push(lane);
    this.#cork(lane);
    return connection;
  }

  /** A statement has released the connection. Returns whether no other one uses it. */
  leave(connection: Connection): boolean {
    const lane = this.#lanes.get(connection);
    if (lane === undefined) return true;
    if (--lane.inFlight > 0) return false;
    this.#lanes.delete(connection);
    if (this.#corked.delete(lane)) uncork(lane);
    const others = this.#byKey.get(lane.batchKey)?.filter((other) => other !== lane) ?? [];
    if (others.length === 0) this.#byKey.delete(lane.batchKey);
    else this.#byKey.set(lane.batchKey, others);
    return true;
  }

  /** A corked connection, which saves a write; else the one with the fewest statements. */
  #leastLoaded(lanes: readonly Lane[]): Lane | undefined {
    const opened = performance.now() - LANE_OPEN_MS;
    let best: Lane | undefined;
    for (const lane of lanes) {
      if (lane.inFlight >= MAX_IN_FLIGHT || !lane.connection.usable || lane.since < opened) continue;
      if (lane.isCorked) return lane;
      if (best === undefined || lane.inFlight < best.inFlight) best = lane;
    }
    return best;
  }

  /** Holds back what is written to the connection until the end of the tick. */
  #cork(lane: Lane): void {
    if (lane.isCorked) return;
    lane.isCorked = true;
    lane.connection.cork?.();
    if (this.#corked.size === 0) setImmediate(this.#uncorkAll);
    this.#corked.add(lane);
  }

  readonly #uncorkAll = (): void => {
    for (const lane of this.#corked) uncork(lane);
    this.#corked.clear();
  };
}

function uncork(lane: Lane): void {
  lane.isCorked = false;
  lane.connection.uncork?.();
}
