/** The metrics of a process, and their text in Prometheus' format. No I/O. */
import type { Registry } from 'prom-client';
import { SubjectCounters } from '../util/concurrency/work-meter.ts';
import type { Family } from '../util/prometheus.ts';
import { Durations } from '../util/text/durations.ts';
import type { RequestEvent } from './events.ts';

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export interface PoolCount {
  readonly type: string;
  readonly purpose: string;
  /** Name of the database, such as `pg/shop`. */
  readonly ref: string;
  /** Absent for the database of a definition. */
  readonly projectId?: string | undefined;
  readonly max: number;
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
}

export interface ServiceLoad {
  readonly bodyBytes: number;
  readonly connections: number;
}

/** Requests with the same method, route and status. */
interface Outcome {
  readonly durations: Durations;
  /** Fields of a log line. */
  readonly fields: string;
  /** Labels of a metric. */
  readonly labels: string;
}

const DURATION = 'millrace_request_duration_seconds';
const DURATION_HEAD = `# HELP ${DURATION} Time from the request line to the end of the answer.\n# TYPE ${DURATION} histogram\n`;

/** A counter with at most one label. */
class LabelledCounter {
  readonly #counts = new Map<string, number>();

  add(value = ''): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
  }

  toFamily(name: string, help: string, label?: string): Family {
    const values = (): Iterable<readonly [Readonly<Record<string, string>>, number]> =>
      Array.from(this.#counts, ([value, count]) => [label === undefined ? {} : { [label]: value }, count]);
    return { kind: 'counter', name, help, labels: label === undefined ? [] : [label], values };
  }
}

export class Metrics {
  readonly rollbacks = new LabelledCounter();
  readonly cacheLookups = new LabelledCounter();
  readonly sharedReads = new LabelledCounter();
  readonly overloads = new LabelledCounter();
  readonly #families: Family[];
  #registry: Promise<Registry> | undefined;
  /**
   * Labels are route, method and status. Routes are templates, so the number of combinations is
   * small.
   */
  readonly #outcomes = new Map<string, Map<string, Map<number, Outcome>>>();
  readonly #subjects = new SubjectCounters();

  constructor(pools: () => readonly PoolCount[]) {
    this.#families = [
      this.rollbacks.toFamily('millrace_rollbacks_total', 'Calls that a rollback version answered.', 'uri'),
      this.cacheLookups.toFamily('millrace_cache_total', 'Look-ups in the response cache.', 'result'),
      this.sharedReads.toFamily('millrace_shared_reads_total', 'Auto reads that the statement of an identical request answered.'),
      this.overloads.toFamily('millrace_overloads_total', 'Clients that got 503 because a limit was reached, by limit.', 'reason'),
      poolFamily(pools),
    ];
  }

  addLoad(load: () => ServiceLoad): void {
    const gauge = (name: string, help: string, value: (now: ServiceLoad) => number): Family => ({
      kind: 'gauge',
      name,
      help,
      labels: [],
      values: () => [[{}, value(load())]],
    });
    this.#families.push(
      gauge('millrace_http_connections', 'Connections of clients.', ({ connections }) => connections),
      gauge('millrace_http_body_bytes', 'Bytes of request bodies in memory.', ({ bodyBytes }) => bodyBytes),
    );
  }

  /** Counts a request. Returns the fields of its log line for method, route and status. */
  addRequest(event: RequestEvent): string {
    const { route, method, status, ms, work, caller, bytes } = event;
    const outcome = this.#outcomes.get(route)?.get(method)?.get(status) ?? this.#addOutcome(route, method, status);
    outcome.durations.note(ms);
    this.#subjects.note(caller?.projectId ?? '', work, outcomeOf(event), ms, bytes);
    return outcome.fields;
  }

  async text(): Promise<string> {
    let durations = DURATION_HEAD;
    for (const ofRoute of this.#outcomes.values())
      for (const ofMethod of ofRoute.values())
        for (const outcome of ofMethod.values()) durations += outcome.durations.lines(DURATION, outcome.labels);
    this.#registry ??= import('../util/prometheus.ts').then(({ registryOf }) => registryOf(this.#families));
    const registry = await this.#registry;
    return `${await registry.metrics()}\n${durations}${this.#subjects.text()}`;
  }

  #addOutcome(route: string, method: string, status: number): Outcome {
    const ofRoute = this.#outcomes.get(route) ?? new Map<string, Map<number, Outcome>>();
    const ofMethod = ofRoute.get(method) ?? new Map<number, Outcome>();
    const outcome = {
      durations: new Durations(),
      fields: `"method":${JSON.stringify(method)},"route":${JSON.stringify(route)},"status":${status}`,
      labels: `route=${JSON.stringify(route)},method=${JSON.stringify(method)},status="${status}"`,
    };
    this.#outcomes.set(route, ofRoute.set(method, ofMethod.set(status, outcome)));
    return outcome;
  }
}

/** A failure of a database counts as failed, whatever the status is. */
function outcomeOf({ status, reason }: RequestEvent): 'ok' | 'refused' | 'failed' {
  if (status >= 500 || reason !== undefined) return 'failed';
  return status < 400 ? 'ok' : 'refused';
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
