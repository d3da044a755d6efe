/**
 * Turns the events of a service into log lines and metrics. Errors are logged without the values
 * that they quote.
 */
import { lineForLog, redactError } from '../util/text/redact-error.ts';
import type { AuditEvent, Event, Overload, RequestEvent } from './events.ts';
import { addFigures, addPools, LiveCounters, type LiveFigures } from './live.ts';
import { Log } from './log.ts';
import { Metrics, type PoolCount, type ServiceLoad } from './metrics.ts';
import { requestLine } from './request-line.ts';

const OVERLOAD_MESSAGES: Readonly<Record<Overload, string>> = {
  connections: 'MILLRACE_MAX_CONNECTIONS is reached; further clients get 503',
  descriptors: 'the limit of open files is reached; further clients get 503 until some connections are closed',
  bodies: 'MILLRACE_MAX_BODIES_BYTES is reached; further bodies get 503',
};
/** An overload is logged at most once in this time, however many clients meet it. */
const OVERLOAD_INTERVAL_MS = 10_000;

export type ReportTopic = 'metrics' | 'live';

/** The other processes of the instance. `undefined` if they do not answer. */
export interface Peers {
  metrics(): Promise<string | undefined>;
  live(projectId: string | undefined): Promise<readonly LiveFigures[] | undefined>;
}

export class Observer {
  readonly #log: Log;
  readonly #metrics: Metrics;
  readonly #clock = new IsoClock();
  readonly #overloadsLoggedAt = new Map<Overload, number>();
  readonly #live = new LiveCounters();
  readonly #pools: () => readonly PoolCount[];
  #inFlight: (projectId: string | undefined) => number = () => 0;
  /** Collects the reports of all processes, if there are several. */
  peers: Peers | undefined;

  constructor(level: string, pools: () => readonly PoolCount[]) {
    this.#log = new Log(level);
    this.#metrics = new Metrics(pools);
    this.#pools = pools;
  }

  /** Counts the running requests of a project, or of all. */
  watchRequests(count: (projectId: string | undefined) => number): void {
    this.#inFlight = count;
  }

  /** Adds the load of the HTTP server to the metrics. */
  watchLoad(load: () => ServiceLoad): void {
    this.#metrics.addLoad(load);
  }

  overloaded(limit: Overload): void {
    this.#metrics.overloads.add(limit);
    const now = performance.now();
    if (now - (this.#overloadsLoggedAt.get(limit) ?? Number.NEGATIVE_INFINITY) < OVERLOAD_INTERVAL_MS) return;
    this.#overloadsLoggedAt.set(limit, now);
    this.emit({ kind: 'trouble', message: OVERLOAD_MESSAGES[limit] });
  }

  cacheLookup(result: 'hit' | 'miss' | 'shared', projectId: string): void {
    this.#metrics.cacheLookups.add(result);
    if (result !== 'shared') this.#live.cacheLookup(projectId, result);
  }

  readShared(): void {
    this.#metrics.sharedReads.add();
  }

  emit(event: Event): void {
    switch (event.kind) {
      case 'request':
        this.#request(event);
        return;
      case 'failure':
        this.#log.write('error', { request_id: event.requestId, error: redactError(event.error) }, 'failure');
        return;
      case 'rolled_back': {
        this.#metrics.rollbacks.add(event.uri);
        this.#live.rollback(event.projectId);
        const { requestId, uri, from, to, reason } = event;
        this.#log.write('warn', { request_id: requestId, uri, from, to, reason: lineForLog(reason) }, 'rolled back');
        return;
      }
      case 'audit':
        this.#log.write('info', auditFields(event), 'audit');
        return;
      case 'notice':
        this.#log.write('info', {}, event.message);
        return;
      case 'trouble':
        this.#log.write('warn', event.error === undefined ? {} : { error: redactError(event.error) }, event.message);
        return;
    }
  }

  /** The metrics of all processes. */
  async metrics(): Promise<string> {
    return (await this.peers?.metrics()) ?? this.#metrics.text();
  }

  /** Live figures of all processes, for a project or the instance. */
  async live(projectId: string | undefined): Promise<LiveFigures> {
    const parts = await this.peers?.live(projectId);
    return addFigures(parts ?? [this.#ownLive(projectId)]);
  }

  /** Answers another process: the metrics or the live figures of this one. */
  async report(topic: ReportTopic, projectId?: string): Promise<string> {
    return topic === 'metrics' ? this.#metrics.text() : JSON.stringify(this.#ownLive(projectId));
  }

  #ownLive(projectId: string | undefined): LiveFigures {
    const pools = this.#pools().filter((pool) => projectId === undefined || pool.projectId === projectId);
    return this.#live.figures(projectId, this.#inFlight(projectId), addPools(pools));
  }

  flush(): void {
    this.#log.flush();
  }

  #request(event: RequestEvent): void {
    const outcome = this.#metrics.addRequest(event);
    this.#live.request(event.caller?.projectId, event.status, event.ms);
    if (this.#log.hasRequests) this.#log.writeRequest(requestLine(event, this.#clock.now(), outcome));
  }
}

function auditFields(event: AuditEvent): object {
  return {
    request_id: event.requestId,
    action: event.action,
    object: event.object,
    changed: event.changed,
    status: event.status,
    user_id: event.userId,
    org_id: event.orgId,
    project_id: event.projectId,
    space_id: event.spaceId,
    token_id: event.tokenId,
  };
}

/** The time in ISO format, formatted at most once a millisecond. */
class IsoClock {
  #ms = 0;
  #text = '';

  now(): string {
    const ms = Date.now();
    if (ms !== this.#ms) {
      this.#ms = ms;
      this.#text = new Date(ms).toISOString();
    }
    return this.#text;
  }
}
