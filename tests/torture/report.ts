// Counts requests by kind and ending, collects times and violations, and prints progress and a
// final table. Judges nothing.
import type { Ending } from './client.ts';

const MOST_VIOLATIONS = 50;

export class Report {
  readonly violations: string[] = [];
  readonly #counts = new Map<string, Map<string, number>>();
  readonly #faults = new Map<string, number>();
  readonly #facts: string[] = [];
  readonly #say: (line: string) => void;
  readonly #began = performance.now();
  #requests = 0;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  get requests(): number {
    return this.#requests;
  }

  say(line: string): void {
    const seconds = (performance.now() - this.#began) / 1000;
    this.#say(`${seconds.toFixed(1).padStart(7)} s  ${line}`);
  }

  note(what: string, ending: Ending): void {
    this.#requests += 1;
    const how = ending.kind === 'answer' ? String(ending.status) : ending.kind;
    const counts = this.#counts.get(what) ?? new Map<string, number>();
    counts.set(how, (counts.get(how) ?? 0) + 1);
    this.#counts.set(what, counts);
    if (ending.kind === 'unanswered') this.violate(`${what}: no answer for 30 s`);
    if (ending.kind === 'answer' && ending.status === 500 && !what.startsWith('provoked'))
      this.violate(`${what}: 500 ${ending.body.toString('utf8', 0, 300)}`);
  }

  fault(name: string): void {
    this.#faults.set(name, (this.#faults.get(name) ?? 0) + 1);
  }

  fact(line: string): void {
    this.#facts.push(line);
  }

  violate(what: string): void {
    if (this.violations.length < MOST_VIOLATIONS) this.violations.push(what);
    this.say(`VIOLATION ${what}`);
  }

  /** The share of requests that were answered with success. */
  table(): string {
    const rows = [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1));
    const width = Math.max(...rows.map(([what]) => what.length), 10);
    const lines = rows.map(([what, counts]) => {
      const endings = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([how, count]) => `${how} × ${count}`);
      return `  ${what.padEnd(width)}  ${endings.join(', ')}`;
    });
    const faults = [...this.#faults].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, count]) => `  ${name} × ${count}`);
    const verdict = this.violations.length === 0 ? 'nothing that must not be' : `${this.violations.length} things that must not be:`;
    return [
      'requests',
      ...lines,
      'faults',
      ...faults,
      'figures',
      ...this.#facts.map((fact) => `  ${fact}`),
      verdict,
      ...this.violations.map((violation) => `  ${violation}`),
    ].join('\n');
  }
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;
}
