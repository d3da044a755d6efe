// Vitest reporter of `npm test`: prints what runs and the estimated time left, then failures and
// the summary. One line that is rewritten on a terminal, otherwise a line every 15 seconds.
import { relative } from 'node:path';
import { DefaultReporter } from 'vitest/node';
import { durationOf, recordDurations } from './durations.mjs';

const LINE_INTERVAL_MS = 15_000;
const TERMINAL_INTERVAL_MS = 1000;
/** Workers of the projects in vitest.config.ts. */
const WORKERS = { fast: 2, long: 2, timed: 1 };

export class ProgressReporter extends DefaultReporter {
  #running = new Map();
  #seconds = new Map();
  #secondsTotal = 0;
  #secondsDone = 0;
  #filesTotal = 0;
  #failed = 0;
  #timer;

  constructor() {
    super({ summary: false });
  }

  onTestRunStart(files) {
    super.onTestRunStart(files);
    this.#filesTotal = files.length;
    for (const { moduleId, project } of files) {
      const seconds = durationOf(relative(this.ctx.config.root, moduleId)) / (WORKERS[project.name] ?? 1);
      this.#seconds.set(moduleId, seconds);
      this.#secondsTotal += seconds;
    }
    this.#timer = setInterval(() => this.#print(), this.isTTY ? TERMINAL_INTERVAL_MS : LINE_INTERVAL_MS).unref();
  }

  onTestModuleQueued({ moduleId }) {
    this.#running.set(moduleId, performance.now());
  }

  onTestModuleEnd(module) {
    this.#running.delete(module.moduleId);
    this.#secondsDone += this.#seconds.get(module.moduleId) ?? 0;
    this.#seconds.delete(module.moduleId);
    super.onTestModuleEnd(module);
  }

  onTestRunEnd(modules, errors, reason) {
    clearInterval(this.#timer);
    super.onTestRunEnd(modules, errors, reason);
    if (process.env.MILLRACE_TEST_RECORD === '1') recordDurations(this.ctx.config.root, modules);
  }

  /** Files that pass are counted in the progress line only. */
  printTestModule(module) {
    if (module.ok()) return;
    this.#failed++;
    super.printTestModule(module);
  }

  log(...messages) {
    if (this.isTTY) process.stdout.write('\r\x1b[2K');
    super.log(...messages);
  }

  #print() {
    const line = this.#line();
    if (this.isTTY) process.stdout.write(`\r\x1b[2K${line.slice(0, (process.stdout.columns ?? 80) - 1)}`);
    else process.stdout.write(`${line}\n`);
  }

  #line() {
    const elapsed = (performance.now() - this.start) / 1000;
    const failed = this.#failed > 0 ? `, ${this.#failed} failed` : '';
    const running = Array.from(this.#running.keys(), (file) => relative(this.ctx.config.root, file)).join(', ');
    const finished = this.#filesTotal - this.#seconds.size;
    return `${clock(elapsed)}  ${finished} of ${this.#filesTotal} files${failed}, about ${clock(this.#secondsLeft(elapsed))} left  ${running}`;
  }

  /** The recorded durations, scaled by how fast this machine has been so far. */
  #secondsLeft(elapsed) {
    const speed = this.#secondsDone > this.#secondsTotal / 10 ? elapsed / this.#secondsDone : 1;
    return (this.#secondsTotal - this.#secondsDone) * speed;
  }
}

function clock(seconds) {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
