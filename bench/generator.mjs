// A light load generator on raw sockets, for machines without wrk and for load at a fixed rate, which wrk cannot make. Reads a plan
// {port, request: {variants, inTurn?}, connections, seconds, rate?} as JSON from stdin and prints what it measured.
// At a fixed rate a request that finds no free connection waits, and the wait counts: a server that stalls cannot hide it. What is sent in the
// first second is not counted: this program has to be compiled and its connections opened, which is nobody's latency.
import { Connection, requestTexts } from './connection.mjs';

const WARM_MS = 1000;

const plan = JSON.parse(await readAll(process.stdin));
const nextText = requestTexts(plan.request);
const latencies = [];
/** When the request under way on a connection was due. */
const started = new Map();
let errors = 0;
let bytes = 0;
/** Requests that were due earlier do not count. */
let counted = 0;

async function readAll(stream) {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  return text;
}

function send(connection, due) {
  started.set(connection, due);
  connection.send(nextText());
}

/** `onFree` is told after each answer. */
function openConnections(onFree) {
  const answered = (connection, isRight, size) => {
    bytes += size;
    if (!isRight) errors++;
    const due = started.get(connection);
    if (due >= counted) latencies.push(performance.now() - due);
    onFree(connection);
  };
  return Array.from({ length: plan.connections }, () => new Connection(plan.port, answered, () => errors++));
}

/** As fast as the server answers. */
function flatOut(until) {
  const again = (connection) => {
    const now = performance.now();
    if (now < until) send(connection, now);
  };
  const connections = openConnections(again);
  for (const connection of connections) send(connection, performance.now());
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
    else send(connection, since);
  };
  const connections = openConnections(start);
  free.push(...connections);
  const timer = setInterval(() => {
    const now = performance.now();
    if (now >= until) {
      clearInterval(timer);
      return;
    }
    for (const target = ((now - begin) / 1000) * plan.rate; due < target; due++) {
      const connection = free.pop();
      if (connection) send(connection, now);
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
