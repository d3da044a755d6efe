/**
 * Metrics of all workers, from any of them: the worker asks the primary, the primary asks all
 * workers, and each sample is labelled (`worker="2"`).
 */
import cluster, { type Worker } from 'node:cluster';

/** A worker that does not answer within this time is left out of the scrape. */
const ANSWER_MS = 2000;

/**
 * Messages: `gather`/`gathered` between a worker and the primary, `tell`/`told` between the primary
 * and all workers.
 */
type Message =
  | { readonly millrace: 'gather'; readonly id: number }
  | { readonly millrace: 'tell'; readonly id: number }
  | { readonly millrace: 'told'; readonly id: number; readonly text: string }
  | { readonly millrace: 'gathered'; readonly id: number; readonly parts: readonly MetricsPart[] };

export interface MetricsPart {
  readonly worker: number;
  /** Metrics in Prometheus' format. */
  readonly text: string;
}

/** Pending answers by the number of their question. */
class Awaited<T> {
  readonly #waiting = new Map<number, (value: T) => void>();
  #last = 0;

  /** Sends a numbered question. Resolves with `undefined` if the answer does not arrive in time. */
  ask(send: (id: number) => void, withinMs: number): Promise<T | undefined> {
    const id = ++this.#last;
    return new Promise((resolve) => {
      const end = (value: T | undefined): void => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        resolve(value);
      };
      const timer = setTimeout(() => end(undefined), withinMs);
      this.#waiting.set(id, end);
      send(id);
    });
  }

  answer(id: number, value: T): void {
    this.#waiting.get(id)?.(value);
  }
}

/** Runs in the primary. */
export function relayMetrics(workers: () => readonly Worker[]): void {
  const awaited = new Awaited<string>();
  const gather = async (): Promise<readonly MetricsPart[]> => {
    const parts = workers().map(async (worker) => {
      const text = await awaited.ask((id) => send(worker, { millrace: 'tell', id }), ANSWER_MS);
      return text === undefined ? [] : [{ worker: worker.id, text }];
    });
    return (await Promise.all(parts)).flat();
  };
  cluster.on('message', (worker: Worker, message: Message) => {
    if (message.millrace === 'told') awaited.answer(message.id, message.text);
    else if (message.millrace === 'gather') {
      void gather().then((parts) => send(worker, { millrace: 'gathered', id: message.id, parts }));
    }
  });
}

function send(worker: Worker, message: Message): void {
  // A worker that has ended does not wait for the answer.
  if (worker.isConnected()) worker.send(message, () => undefined);
}

/**
 * Runs in a worker: answers the primary, and returns a function that collects all metrics, or its
 * own if the primary is silent.
 */
export function shareMetrics(own: () => Promise<string>): () => Promise<string> {
  const awaited = new Awaited<readonly MetricsPart[]>();
  const tell = (message: Message): void => {
    if (process.connected) process.send?.(message);
  };
  process.on('message', (message: Message) => {
    if (message.millrace === 'gathered') awaited.answer(message.id, message.parts);
    else if (message.millrace === 'tell') void own().then((text) => tell({ millrace: 'told', id: message.id, text }));
  });
  return async () => {
    const parts = await awaited.ask((id) => tell({ millrace: 'gather', id }), ANSWER_MS * 2);
    return parts === undefined || parts.length === 0 ? own() : mergeMetrics(parts);
  };
}

const DESCRIPTION = /^# (?:HELP|TYPE) (\S+)/;
const SAMPLE = /^([^\s{]+)(?:\{(.*)\})?(\s.*)$/;

/** Merges several texts: each metric is described once, in front of its samples. */
export function mergeMetrics(parts: readonly MetricsPart[]): string {
  const families = new Map<string, { readonly head: Set<string>; readonly samples: string[] }>();
  for (const { worker, text } of parts) {
    let samples: string[] = [];
    for (const line of text.split('\n')) {
      const name = DESCRIPTION.exec(line)?.[1];
      if (name !== undefined) {
        const family = families.get(name) ?? { head: new Set(), samples: [] };
        families.set(name, family);
        family.head.add(line);
        samples = family.samples;
        continue;
      }
      const [, sample, labels = '', rest = ''] = SAMPLE.exec(line) ?? [];
      if (sample !== undefined) samples.push(`${sample}{${labels === '' ? '' : `${labels},`}worker="${worker}"}${rest}`);
    }
  }
  return [...families.values()].map(({ head, samples }) => `${[...head, ...samples].join('\n')}\n`).join('\n');
}
