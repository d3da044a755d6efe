/**
 * What a request is about and what it took, noted as it goes along by those who know, for the log and the metrics. The texts of a subject are made
 * once for all requests that name it. Knows neither HTTP nor databases.
 */

export class WorkSubject {
  /** Fields of a log line, each behind a comma. */
  readonly log: string;
  /** Labels of a metric. */
  readonly labels: string;

  constructor(names: Readonly<Record<string, string>>) {
    const pairs = Object.entries(names).map(([name, value]) => [name, JSON.stringify(value)] as const);
    this.log = pairs.map(([name, value]) => `,"${name}":${value}`).join('');
    this.labels = pairs.map(([name, value]) => `${name}=${value}`).join(',');
  }
}

export interface WorkMeter {
  subject: WorkSubject | undefined;
  /** Is the subject there? Before that, it is whatever a caller has spelt, and told to nobody. */
  isKnown: boolean;
  /** Rows that were given or written; -1 while nobody has said. */
  rows: number;
  /** How long databases were at work, their rows taken along; 0 when none was. */
  databaseMs: number;
}

/** One more statement has ended. */
export function noteRows(meter: WorkMeter, rows: number): void {
  meter.rows = meter.rows < 0 ? rows : meter.rows + rows;
}

/** So many subjects have counters of their own; the rest is counted together. */
const MOST_SUBJECTS = 1000;

class Counts {
  readonly labels: string;
  readonly requests = { ok: 0, refused: 0, failed: 0 };
  seconds = 0;
  databaseSeconds = 0;
  rows = 0;
  bytes = 0;

  constructor(labels: string) {
    this.labels = labels;
  }
}

const METRICS: readonly (readonly [name: string, help: string, value: (counts: Counts) => number])[] = [
  ['millrace_subject_seconds_total', 'Time that requests took, by table or endpoint.', ({ seconds }) => seconds],
  [
    'millrace_subject_database_seconds_total',
    'Time that databases were at work, by table or endpoint.',
    (counts) => counts.databaseSeconds,
  ],
  ['millrace_subject_rows_total', 'Rows given or written, by table or endpoint.', ({ rows }) => rows],
  ['millrace_subject_bytes_total', 'Bytes of answers, by table or endpoint.', ({ bytes }) => bytes],
];
const REQUESTS = 'millrace_subject_requests_total';

/** What was asked of each table and endpoint of a project. */
export class SubjectCounters {
  readonly #projects = new Map<string, Map<string, Counts>>();
  readonly #other = new Counts('project="other"');
  #size = 0;

  note(project: string, work: WorkMeter, outcome: keyof Counts['requests'], ms: number, bytes: number): void {
    const { subject, rows, databaseMs } = work;
    if (subject === undefined || !work.isKnown) return;
    const counts = this.#projects.get(project)?.get(subject.labels) ?? this.#add(project, subject);
    counts.requests[outcome]++;
    counts.seconds += ms / 1000;
    counts.databaseSeconds += databaseMs / 1000;
    if (rows > 0) counts.rows += rows;
    counts.bytes += bytes;
  }

  #add(project: string, subject: WorkSubject): Counts {
    if (this.#size >= MOST_SUBJECTS) return this.#other;
    this.#size++;
    const counts = new Counts(`project=${JSON.stringify(project)},${subject.labels}`);
    const ofProject = this.#projects.get(project) ?? new Map<string, Counts>();
    this.#projects.set(project, ofProject.set(subject.labels, counts));
    return counts;
  }

  /** In Prometheus' notation. */
  text(): string {
    const all = [...this.#projects.values()].flatMap((ofProject) => [...ofProject.values()]);
    if (this.#size >= MOST_SUBJECTS) all.push(this.#other);
    let text = `# HELP ${REQUESTS} Requests by table or endpoint, and how they ended.\n# TYPE ${REQUESTS} counter\n`;
    for (const { labels, requests } of all)
      for (const [outcome, count] of Object.entries(requests)) text += `${REQUESTS}{${labels},outcome="${outcome}"} ${count}\n`;
    for (const [name, help, value] of METRICS) {
      text += `# HELP ${name} ${help}\n# TYPE ${name} counter\n`;
      for (const counts of all) text += `${name}{${counts.labels}} ${value(counts)}\n`;
    }
    return text;
  }
}
