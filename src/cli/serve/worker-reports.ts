/**
 * Reports of all workers (metrics, live figures), from any of them: the worker asks the primary,
 * and the primary asks all workers.
 */
import cluster, { type Worker } from 'node:cluster';
import type { LiveFigures } from '../../observe/live.ts';
import type { Peers, ReportTopic } from '../../observe/observer.ts';

/** A worker that does not answer within this time is left out of the report. */
const ANSWER_MS = 2000;

interface Question {
  readonly id: number;
  readonly topic: ReportTopic;
  readonly projectId?: string | undefined;
}

/**
 * Messages: `gather`/`gathered` between a worker and the primary, `tell`/`told` between the primary
 * and all workers.
 */
type Message =
  | ({ readonly millrace: 'gather' } & Question)
  | ({ readonly millrace: 'tell' } & Question)
  | { readonly millrace: 'told'; readonly id: number; readonly text: string }
  | { readonly millrace: 'gathered'; readonly id: number; readonly parts: readonly ReportPart[] };

export interface ReportPart {
  readonly worker: number;
  /** Metrics in Prometheus' format, or figures as JSON. */
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
export function relayReports(workers: () => readonly Worker[]): void {
  const awaited = new Awaited<string>();
  const gather = async ({ topic, projectId }: Question): Promise<readonly ReportPart[]> => {
    const parts = workers().map(async (worker) => {
      const text = await awaited.ask((id) => send(worker, { millrace: 'tell', id, topic, projectId }), ANSWER_MS);
      return text === undefined ? [] : [{ worker: worker.id, text }];
    });
    return (await Promise.all(parts)).flat();
  };
  cluster.on('message', (worker: Worker, message: Message) => {
    if (message.millrace === 'told') awaited.answer(message.id, message.text);
    else if (message.millrace === 'gather') {
      void gather(message).then((parts) => send(worker, { millrace: 'gathered', id: message.id, parts }));
    }
  });
}

function send(worker: Worker, message: Message): void {
  // A worker that has ended does not wait for the answer.
  if (worker.isConnected()) worker.send(message, () => undefined);
}

/** Runs in a worker: answers the primary, and returns the way to the reports of all workers. */
export function joinWorkers(own: (topic: ReportTopic, projectId?: string) => Promise<string>): Peers {
  const awaited = new Awaited<readonly ReportPart[]>();
  const tell = (message: Message): void => {
    if (process.connected) process.send?.(message);
  };
  process.on('message', (message: Message) => {
    if (message.millrace === 'gathered') awaited.answer(message.id, message.parts);
    else if (message.millrace === 'tell')
      void own(message.topic, message.projectId).then((text) => tell({ millrace: 'told', id: message.id, text }));
  });
  /** `undefined` if the primary is silent. */
  const gather = async (topic: ReportTopic, projectId?: string): Promise<readonly ReportPart[] | undefined> => {
    const parts = await awaited.ask((id) => tell({ millrace: 'gather', id, topic, projectId }), ANSWER_MS * 2);
    return parts === undefined || parts.length === 0 ? undefined : parts;
  };
  return {
    metrics: async () => {
      const parts = await gather('metrics');
      return parts && mergeMetrics(parts);
    },
    live: async (projectId) => (await gather('live', projectId))?.map(({ text }) => JSON.parse(text) as LiveFigures),
  };
}

const DESCRIPTION = /^# (?:HELP|TYPE) (\S+)/;
const SAMPLE = /^([^\s{]+)(?:\{(.*)\})?(\s.*)$/;

/** Merges several texts: each metric is described once, in front of its samples. */
export function mergeMetrics(parts: readonly ReportPart[]): string {
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
