// A light load generator on raw sockets, for machines without wrk and for load at a fixed rate, which wrk cannot make. Reads a plan
// {port, request: {variants, inTurn?}, connections, seconds, rate?} as JSON from stdin and prints what it measured.
// At a fixed rate a request that finds no free connection waits, and the wait counts: a server that stalls cannot hide it. What is sent in the
// first second is not counted: this program has to be compiled and its connections opened, which is nobody's latency.
import { connect } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');
const WARM_MS = 1000;

const plan = JSON.parse(await readAll(process.stdin));
const latencies = [];
let errors = 0;
let bytes = 0;
let counter = 0;
let turn = 0;
/** Requests that began earlier do not count. */
let counted = 0;

async function readAll(stream) {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  return text;
}

const numbers = { any: ({ most }) => 1 + Math.floor(Math.random() * most), next: () => ++counter };

function nextRequest() {
  const { variants, inTurn } = plan.request;
  const { pieces, numbers: wanted } = variants[inTurn ? turn++ % variants.length : Math.floor(Math.random() * variants.length)];
  let text = pieces[0];
  for (let i = 0; i < wanted.length; i++) text += numbers[wanted[i].kind](wanted[i]) + pieces[i + 1];
  return text;
}

/** One connection that has one request under way at most. `onFree` is told after each answer. */
class Connection {
  #socket;
  #started = 0;
  #head = Buffer.alloc(0);
  /** Bytes of the body still to come; -1 while the head is read, -2 for chunks until the last one. */
  #left = -1;
  #tail = Buffer.alloc(0);
  #onFree;

  constructor(onFree) {
    this.#onFree = onFree;
    this.#open();
  }

  #open() {
    this.#socket = connect({ host: '127.0.0.1', port: plan.port, noDelay: true });
    this.#socket.on('data', (chunk) => this.#read(chunk));
    this.#socket.on('error', () => errors++);
  }

  send(started) {
    this.#started = started;
    this.#socket.write(nextRequest());
  }

  end() {
    this.#socket.destroy();
  }

  #read(chunk) {
    bytes += chunk.length;
    let body = chunk;
    if (this.#left === -1) {
      const all = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
      const end = all.indexOf(HEAD_END);
      if (end < 0) {
        this.#head = all;
        return;
      }
      const head = all.toString('latin1', 0, end);
      if (head.charCodeAt(9) !== 0x32) errors++;
      const length = /\r\ncontent-length: *(\d+)/i.exec(head);
      this.#left = length ? Number(length[1]) : -2;
      this.#head = Buffer.alloc(0);
      body = all.subarray(end + 4);
    }
    if (this.#left >= 0) {
      this.#left -= body.length;
      if (this.#left <= 0) this.#done();
      return;
    }
    this.#tail = Buffer.concat([this.#tail, body]).subarray(-LAST_CHUNK.length);
    if (this.#tail.equals(LAST_CHUNK)) this.#done();
  }

  #done() {
    this.#left = -1;
    this.#tail = Buffer.alloc(0);
    if (this.#started >= counted) latencies.push(performance.now() - this.#started);
    this.#onFree(this);
  }
}

/** As fast as the server answers. */
function flatOut(until) {
  const again = (connection) => {
    const now = performance.now();
    if (now < until) connection.send(now);
  };
  const connections = Array.from({ length: plan.connections }, () => new Connection(again));
  for (const connection of connections) connection.send(performance.now());
  return connections;
}

/** `rate` requests a second, spread evenly, whatever the server does. */
function paced(until) {
  const free = [];
  const waiting = [];
  const begin = performance.now();
  let due = 0;
  const start = (connection) => {
    const since = waiting.shift();
    if (since === undefined) free.push(connection);
    else connection.send(since);
  };
  const connections = Array.from({ length: plan.connections }, () => new Connection(start));
  free.push(...connections);
  const timer = setInterval(() => {
    const now = performance.now();
    if (now >= until) {
      clearInterval(timer);
      return;
    }
    for (const target = ((now - begin) / 1000) * plan.rate; due < target; due++) {
      const connection = free.pop();
      if (connection) connection.send(now);
      else waiting.push(now);
    }
  }, 1);
  return connections;
}

const warming = plan.rate === undefined ? 0 : WARM_MS;
const began = performance.now();
const until = began + warming + plan.seconds * 1000;
counted = began + warming;
const connections = (plan.rate === undefined ? flatOut : paced)(until);
await new Promise((resolve) => setTimeout(resolve, until - began + 50));
for (const connection of connections) connection.end();

latencies.sort((a, b) => a - b);
const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
const measured = {
  requests: latencies.length,
  seconds: plan.seconds,
  bytes,
  errors,
  p50: at(0.5),
  p99: at(0.99),
  p999: at(0.999),
  max: at(1),
};
process.stdout.write(JSON.stringify(measured), () => process.exit(0));
