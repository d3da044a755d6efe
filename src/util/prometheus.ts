/**
 * The metrics of a process in Prometheus' format. Loaded on the first scrape: garbage collection
 * pauses and event-loop delays are measured from then on.
 */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

type Labels = Readonly<Record<string, string>>;

/** A metric whose values are kept elsewhere. */
export interface Family {
  readonly kind: 'counter' | 'gauge';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  values(): Iterable<readonly [labels: Labels, value: number]>;
}

const KINDS = { counter: Counter, gauge: Gauge } as const;

export function registryOf(families: readonly Family[]): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'millrace_' });
  for (const { kind, name, help, labels, values } of families) {
    new KINDS[kind]({
      name,
      help,
      labelNames: [...labels],
      registers: [registry],
      collect() {
        this.reset();
        for (const [labelled, value] of values()) this.inc(labelled, value);
      },
    });
  }
  return registry;
}
