/**
 * Turns the events of a service into log lines and metrics. Errors are logged without the values
 * that they quote.
 */
import { lineForLog, redactError } from '../util/text/redact-error.ts';
import type { AuditEvent, Event, Overload, RequestEvent } from './events.ts';
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

export class Observer {
  readonly #log: Log;
  readonly #metrics: Metrics;
  readonly #clock = new IsoClock();
  readonly #overloadsLoggedAt = new Map<Overload, number>();
  /** Collects the metrics of all processes, if there are several. */
  gatherMetrics: (() => Promise<string>) | undefined;

  constructor(level: string, pools: () => readonly PoolCount[]) {
    this.#log = new Log(level);
    this.#metrics = new Metrics(pools);
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

  cacheLookup(result: 'hit' | 'miss' | 'shared'): void {
    this.#metrics.cacheLookups.add(result);
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
  metrics(): Promise<string> {
    return this.gatherMetrics?.() ?? this.ownMetrics();
  }

  /** The metrics of this process. */
  ownMetrics(): Promise<string> {
    return this.#metrics.text();
  }

  flush(): void {
    this.#log.flush();
  }

  #request(event: RequestEvent): void {
    const outcome = this.#metrics.addRequest(event);
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
