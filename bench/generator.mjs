// A small load generator on raw sockets, for machines without wrk and for load at a fixed rate.
// Each line of stdin is a plan {port, request: {variants, inTurn?}, connections, seconds, rate?} as
// JSON, and each result is printed as one line. At a fixed rate, the wait for a free connection
// counts, and so do late responses. The first requests of a plan do not count: they warm up this
// program and open the connections.
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection, requestTexts } from './connection.mjs';

const FIRST_WARM_MS = 1000;
const WARM_MS = 150;
/** Time to wait for the last responses of a plan without a rate. */
const REST_MS = 50;
const PATIENCE_MS = 5000;

/** One plan in progress. */
class Load {
  #plan;
  #nextText;
  #latencies = [];
  /** Due time of the request in flight on each connection. */
  #started = new Map();
  /** Due times of requests that wait for a free connection. */
  #waiting = [];
  #errors = 0;
  #bytes = 0;
  /** Requests due before this time do not count. */
  #counted = 0;

  constructor(plan) {
    this.#plan = plan;
    this.#nextText = requestTexts(plan.request);
  }

  async run(warmMs) {
    const { rate, seconds } = this.#plan;
    const began = performance.now();
    this.#counted = rate === undefined ? began : began + warmMs;
    const until = this.#counted + seconds * 1000;
    const connections = rate === undefined ? this.#flatOut(until) : this.#paced(until);
    await delay(until - began + REST_MS);
    if (rate !== undefined) await this.#answered(performance.now() + PATIENCE_MS);
    for (const connection of connections) connection.end();
    return this.#measured();
  }

  /** Waits for outstanding responses, and counts missing ones as failures. */
  async #answered(deadline) {
    while (this.#started.size + this.#waiting.length > 0 && performance.now() < deadline) await delay(5);
    const now = performance.now();
    for (const due of [...this.#started.values(), ...this.#waiting]) {
      if (due >= this.#counted) this.#latencies.push(now - due);
      this.#errors++;
    }
  }

  #send(connection, due) {
    this.#started.set(connection, due);
    connection.send(this.#nextText());
  }

  /** Calls `onFree` after each response. */
  #openConnections(onFree) {
    const answered = (connection, isRight, size) => {
      this.#bytes += size;
      if (!isRight) this.#errors++;
      const due = this.#started.get(connection);
      this.#started.delete(connection);
      if (due >= this.#counted) this.#latencies.push(performance.now() - due);
      onFree(connection);
    };
    return Array.from({ length: this.#plan.connections }, () => new Connection(this.#plan.port, answered, () => this.#errors++));
  }

  /** Sends as fast as the server responds. */
  #flatOut(until) {
    const again = (connection) => {
      const now = performance.now();
      if (now < until) this.#send(connection, now);
    };
    const connections = this.#openConnections(again);
    for (const connection of connections) this.#send(connection, performance.now());
    return connections;
  }

  /** Sends `rate` requests a second, evenly spaced, regardless of the responses. */
  #paced(until) {
    const free = [];
    const begin = performance.now();
    let due = 0;
    const start = (connection) => {
      const since = this.#waiting.shift();
      if (since === undefined) free.push(connection);
      else this.#send(connection, since);
    };
    const connections = this.#openConnections(start);
    free.push(...connections);
    const timer = setInterval(() => {
      const now = performance.now();
      if (now >= until) {
        clearInterval(timer);
        return;
      }
      for (const target = ((now - begin) / 1000) * this.#plan.rate; due < target; due++) {
        const connection = free.pop();
        if (connection) this.#send(connection, now);
        else this.#waiting.push(now);
      }
    }, 1);
    return connections;
  }

  #measured() {
    const latencies = this.#latencies.sort((a, b) => a - b);
    const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
    return {
      requests: latencies.length,
      seconds: this.#plan.seconds,
      bytes: this.#bytes,
      errors: this.#errors,
      p50: at(0.5),
      p99: at(0.99),
      p999: at(0.999),
      max: at(1),
    };
  }
}

let warmMs = FIRST_WARM_MS;
for await (const line of createInterface({ input: process.stdin })) {
  const measured = await new Load(JSON.parse(line)).run(warmMs);
  process.stdout.write(`${JSON.stringify(measured)}\n`);
  warmMs = WARM_MS;
}
