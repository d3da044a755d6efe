/**
 * Everything that the service tells an operator: a closed union of events, each a log line and perhaps a metric. The only file that prints
 * while serving. No event has room for a token, a key, a password or the value of a query parameter, and errors are written without
 * the values that they quote.
 */
import pino from 'pino';
import type { Registry } from 'prom-client';
import { SubjectCounters, type WorkMeter } from './util/concurrency/work-meter.ts';
import type { Family } from './util/prometheus.ts';
import { Durations } from './util/text/durations.ts';
import { lineForLog, redactError } from './util/text/redact-error.ts';

/** Who asked. The same object for all requests of one caller, as far as possible: its part of the line is made once. */
interface LoggedCaller {
  readonly orgId?: string | undefined;
  readonly projectId?: string | undefined;
  readonly userId: string;
}

export type Event =
  | {
      readonly kind: 'request';
      readonly requestId: string;
      readonly method: string;
      /** The route's template, never the URL. */
      readonly route: string;
      readonly status: number;
      readonly ms: number;
      readonly caller: LoggedCaller | undefined;
      readonly error?: string | undefined;
      /** Words for the log, as a database's failure gives them. */
      readonly reason?: string | undefined;
      readonly work: WorkMeter;
      /** Of the answer's body. */
      readonly bytes: number;
    }
  | { readonly kind: 'failure'; readonly requestId: string; readonly error: unknown }
  | {
      readonly kind: 'rolled_back';
      readonly requestId: string;
      readonly uri: string;
      readonly from: string;
      readonly to: string;
      readonly reason: unknown;
    }
  | {
      readonly kind: 'audit';
      readonly requestId: string;
      readonly action: string;
      readonly object: string;
      /** Names of the fields that are different now. */
      readonly changed?: readonly string[] | undefined;
      readonly userId: string;
      readonly orgId?: string | undefined;
      readonly projectId?: string | undefined;
      readonly spaceId?: string | undefined;
      readonly tokenId?: string | undefined;
      readonly status: number;
    }
  | { readonly kind: 'notice'; readonly message: string }
  | { readonly kind: 'trouble'; readonly message: string; readonly error?: unknown };

export interface PoolCount {
  readonly type: string;
  readonly purpose: string;
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
}

/** What there was no room for, and how the log says it. */
export type Overload = 'connections' | 'descriptors' | 'bodies';

const OVERLOADS: Readonly<Record<Overload, string>> = {
  connections: 'MILLRACE_MAX_CONNECTIONS is reached; further clients are told to come again',
  descriptors: 'the limit of open files is reached; clients are told to come again until some are closed',
  bodies: 'MILLRACE_MAX_BODIES_BYTES is reached; further bodies are told to come again',
};
/** An overload is one line in the log for so long, however many clients it meets. */
const OVERLOAD_LINE_MS = 10_000;

export interface ServiceLoad {
  readonly bodyBytes: number;
  readonly connections: number;
}

const GATHER_CHARACTERS = 32_768;
const GATHER_MS = 1000;

/** What requests of one method, route and status share. */
interface Outcome {
  readonly durations: Durations;
  /** As they stand in a log line, and in a metric. */
  readonly text: string;
  readonly labels: string;
}

const DURATION = 'millrace_request_duration_seconds';
const DURATION_HEAD = `# HELP ${DURATION} Time from the request line to the end of the answer.\n# TYPE ${DURATION} histogram\n`;

function field(name: string, value: string | undefined): string {
  return value === undefined ? '' : `,"${name}":"${value}"`;
}

function auditFields(event: Extract<Event, { kind: 'audit' }>): object {
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

const callerTexts = new WeakMap<LoggedCaller, string>();

/** Ids of identity providers may hold what a JSON text must escape. */
function callerFields(caller: LoggedCaller): string {
  let text = callerTexts.get(caller);
  if (text === undefined) {
    text = `${field('org_id', caller.orgId)}${field('project_id', caller.projectId)},"user_id":${JSON.stringify(caller.userId)}`;
    callerTexts.set(caller, text);
  }
  return text;
}

/** The numbers below a thousand with three digits. */
const THREE_DIGITS: readonly string[] = Array.from({ length: 1000 }, (_, i) => String(i).padStart(3, '0'));

/** Milliseconds with three digits behind the point. A number's own text would take several times as long. */
function micros(ms: number): string {
  const all = Math.round(ms * 1000);
  const whole = Math.floor(all / 1000);
  return `${whole}.${THREE_DIGITS[all - whole * 1000]}`;
}

/** What a database did is a failure, whatever the status says. */
function outcomeOf({ status, reason }: Extract<Event, { kind: 'request' }>): 'ok' | 'refused' | 'failed' {
  if (status >= 500 || reason !== undefined) return 'failed';
  return status < 400 ? 'ok' : 'refused';
}

function workFields({ subject, isKnown, rows, databaseMs }: WorkMeter): string {
  const counted = rows < 0 ? '' : `,"rows":${rows}`;
  const spent = databaseMs === 0 ? '' : `,"database_ms":${micros(databaseMs)}`;
  return subject === undefined || !isKnown ? counted + spent : subject.log + counted + spent;
}

/** How often something was seen, by what it was. */
class Tally {
  readonly #counts = new Map<string, number>();

  add(what = ''): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }

  as(name: string, help: string, label?: string): Family {
    const values = (): Iterable<readonly [Readonly<Record<string, string>>, number]> =>
      Array.from(this.#counts, ([what, count]) => [label === undefined ? {} : { [label]: what }, count]);
    return { kind: 'counter', name, help, labels: label === undefined ? [] : [label], values };
  }
}

/** The time as text; written once a millisecond, however many lines bear it. */
class IsoClock {
  #at = 0;
  #text = '';

  now(): string {
    const at = Date.now();
    if (at !== this.#at) {
      this.#at = at;
      this.#text = new Date(at).toISOString();
    }
    return this.#text;
  }
}

function poolFamily(pools: () => readonly PoolCount[]): Family {
  return {
    kind: 'gauge',
    name: 'millrace_pool_connections',
    help: 'Connections to databases, and requests that wait for one.',
    labels: ['type', 'purpose', 'state'],
    values: () =>
      pools().flatMap(({ type, purpose, ...counts }) =>
        (['open', 'idle', 'waiting'] as const).map((state) => [{ type, purpose, state }, counts[state]] as const),
      ),
  };
}

/** Of the text of metrics. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export class Observer {
  readonly #log: pino.Logger;
  readonly #destination: ReturnType<typeof pino.destination>;
  readonly #rollbacks = new Tally();
  readonly #cache = new Tally();
  readonly #sharedReads = new Tally();
  readonly #overloads = new Tally();
  readonly #families: Family[];
  #registry: Promise<Registry> | undefined;
  readonly #overloadLines = new Map<Overload, number>();
  /** By route, method and status: few combinations occur, since routes are templates. */
  readonly #outcomes = new Map<string, Map<string, Map<number, Outcome>>>();
  readonly #subjects = new SubjectCounters();
  readonly #clock = new IsoClock();
  #gathered = '';
  #writer: NodeJS.Timeout | undefined;
  readonly #logRequests: boolean;

  constructor(level: string, pools: () => readonly PoolCount[]) {
    this.#destination = pino.destination({ dest: 1, sync: false });
    this.#log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, this.#destination);
    this.#logRequests = this.#log.isLevelEnabled('info');
    this.#families = [
      this.#rollbacks.as('millrace_rollbacks_total', 'Calls that a rollback version answered.', 'uri'),
      this.#cache.as('millrace_cache_total', 'Look-ups in the response cache.', 'result'),
      this.#sharedReads.as('millrace_shared_reads_total', 'Auto reads that the statement of an identical request answered.'),
      this.#overloads.as(
        'millrace_overloads_total',
        'Clients that were told to come again because there was no room, by what there was no room for.',
        'reason',
      ),
      poolFamily(pools),
    ];
  }

  /** What the server of HTTP holds. */
  watchLoad(load: () => ServiceLoad): void {
    const gauge = (name: string, help: string, value: (now: ServiceLoad) => number): Family => ({
      kind: 'gauge',
      name,
      help,
      labels: [],
      values: () => [[{}, value(load())]],
    });
    this.#families.push(
      gauge('millrace_http_connections', 'Connections of clients.', (now) => now.connections),
      gauge('millrace_http_body_bytes', 'Bytes of bodies that are held.', (now) => now.bodyBytes),
    );
  }

  overloaded(reason: Overload): void {
    this.#overloads.add(reason);
    const now = performance.now();
    if (now - (this.#overloadLines.get(reason) ?? Number.NEGATIVE_INFINITY) < OVERLOAD_LINE_MS) return;
    this.#overloadLines.set(reason, now);
    this.emit({ kind: 'trouble', message: OVERLOADS[reason] });
  }

  emit(event: Event): void {
    if (event.kind === 'request') {
      this.#request(event);
      return;
    }
    // Before any other line, so that the log stays in the order of events.
    this.#writeGathered();
    switch (event.kind) {
      case 'failure':
        this.#log.error({ request_id: event.requestId, error: redactError(event.error) }, 'failure');
        return;
      case 'rolled_back':
        this.#rollbacks.add(event.uri);
        this.#log.warn(
          { request_id: event.requestId, uri: event.uri, from: event.from, to: event.to, reason: lineForLog(event.reason) },
          'rolled back',
        );
        return;
      case 'audit':
        this.#log.info(auditFields(event), 'audit');
        return;
      case 'notice':
        this.#log.info(event.message);
        return;
      case 'trouble':
        this.#log.warn(event.error === undefined ? {} : { error: redactError(event.error) }, event.message);
        return;
    }
  }

  cacheLookup(result: 'hit' | 'miss' | 'shared'): void {
    this.#cache.add(result);
  }

  readShared(): void {
    this.#sharedReads.add();
  }

  /** The line of a request is put together here: nothing but a reason needs escapes, since ids, keys and routes have none. */
  #request(event: Extract<Event, { kind: 'request' }>): void {
    const { route, method, status } = event;
    const outcome = this.#outcomes.get(route)?.get(method)?.get(status) ?? this.#addOutcome(route, method, status);
    outcome.durations.note(event.ms);
    const { work, bytes } = event;
    const { caller } = event;
    this.#subjects.note(caller?.projectId ?? '', work, outcomeOf(event), event.ms, bytes);
    if (!this.#logRequests) return;
    this.#gather(
      `{"level":30,"time":"${this.#clock.now()}","request_id":"${event.requestId}",${outcome.text},"ms":${micros(event.ms)}${workFields(work)},"bytes":${bytes}${caller === undefined ? '' : callerFields(caller)}${event.error === undefined ? '' : `,"error":"${event.error}"`}${event.reason === undefined ? '' : `,"reason":${JSON.stringify(event.reason)}`}}\n`,
    );
  }

  /** Lines of requests are written many at a time; a line waits a second at most. */
  #gather(line: string): void {
    this.#gathered += line;
    if (this.#gathered.length >= GATHER_CHARACTERS) this.#writeGathered();
    else this.#writer ??= setTimeout(() => this.#writeGathered(), GATHER_MS).unref();
  }

  #writeGathered(): void {
    clearTimeout(this.#writer);
    this.#writer = undefined;
    if (this.#gathered === '') return;
    const lines = this.#gathered;
    this.#gathered = '';
    this.#destination.write(lines);
  }

  #addOutcome(route: string, method: string, status: number): Outcome {
    const ofRoute = this.#outcomes.get(route) ?? new Map<string, Map<number, Outcome>>();
    const ofMethod = ofRoute.get(method) ?? new Map<number, Outcome>();
    const outcome = {
      durations: new Durations(),
      text: `"method":${JSON.stringify(method)},"route":${JSON.stringify(route)},"status":${status}`,
      labels: `route=${JSON.stringify(route)},method=${JSON.stringify(method)},status="${status}"`,
    };
    this.#outcomes.set(route, ofRoute.set(method, ofMethod.set(status, outcome)));
    return outcome;
  }

  /** Where there are several processes: how to come by the metrics of all. */
  gatherMetrics: (() => Promise<string>) | undefined;

  /** Of this process, or of all. */
  metrics(): Promise<string> {
    return this.gatherMetrics?.() ?? this.ownMetrics();
  }

  async ownMetrics(): Promise<string> {
    let text = DURATION_HEAD;
    for (const ofRoute of this.#outcomes.values())
      for (const ofMethod of ofRoute.values())
        for (const { durations, labels } of ofMethod.values()) text += durations.lines(DURATION, labels);
    this.#registry ??= import('./util/prometheus.ts').then(({ registryOf }) => registryOf(this.#families));
    const registry = await this.#registry;
    return `${await registry.metrics()}\n${text}${this.#subjects.text()}`;
  }

  flush(): void {
    this.#writeGathered();
    try {
      this.#destination.flushSync();
    } catch {
      // Nothing was opened yet, or the reader has gone: there is nobody to tell.
    }
  }
}
