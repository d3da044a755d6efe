/**
 * Collects the subject and the cost of a request for the log and the metrics. Must not import HTTP
 * or engines.
 */

export class WorkSubject {
  /** Fields of a log line, each preceded by a comma. */
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
  /**
   * `true` once the subject is known to exist. Until then its name is client input and is not
   * reported.
   */
  isKnown: boolean;
  /** Rows that were returned or written; -1 if no statement has ended. */
  rows: number;
  /** Total database time in ms, including row transfer. 0 if no statement ran. */
  databaseMs: number;
}

/** Adds the rows of a statement that has ended. */
export function noteRows(meter: WorkMeter, rows: number): void {
  meter.rows = meter.rows < 0 ? rows : meter.rows + rows;
}

/** Subjects with counters of their own. All others are counted together. */
const MAX_SUBJECTS = 1000;

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

/** Request counters of each table and endpoint of a project. */
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
    if (this.#size >= MAX_SUBJECTS) return this.#other;
    this.#size++;
    const counts = new Counts(`project=${JSON.stringify(project)},${subject.labels}`);
    const ofProject = this.#projects.get(project) ?? new Map<string, Counts>();
    this.#projects.set(project, ofProject.set(subject.labels, counts));
    return counts;
  }

  /** The counters in Prometheus' format. */
  text(): string {
    const all = [...this.#projects.values()].flatMap((ofProject) => [...ofProject.values()]);
    if (this.#size >= MAX_SUBJECTS) all.push(this.#other);
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
