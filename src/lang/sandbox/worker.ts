/** The entry of a worker thread: runs one task at a time, within its budgets, and answers. Has no network, files or timers to offer. */
import { getPriority, setPriority } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import type { PlainValue } from '../../util/decimal.ts';
import type { Ran } from '../task-kind.ts';
import { KINDS } from '../tasks.ts';
import { type FromWorker, PART, type ToWorker } from './messages.ts';
import { type Cloned, revive, wireError } from './wire.ts';

const port = parentPort;
if (port === null) throw new Error('this file is the entry of a worker thread');

/** Where cores are few, what answers requests goes first. Only Linux has priorities of threads; elsewhere this would be the whole process. */
const LOWER = 10;
const LOWEST = 19;
if (process.platform === 'linux') stepBack();

function stepBack(): void {
  try {
    setPriority(0, Math.min(LOWEST, getPriority(0) + LOWER));
  } catch {
    // Where even that is forbidden, threads stay equal.
  }
}

/** Lists that come in parts, by the name they belong to. */
const incoming = new Map<string, PlainValue[]>();
/** The rest of a result that is fetched in parts. */
let outgoing: { readonly rest: readonly Cloned[]; from: number; readonly ran: Ran } | undefined;

const send = (message: FromWorker): void => port.postMessage(message);
const heapBytes = (): number => getHeapStatistics().total_heap_size;

port.on('message', (message: ToWorker) => {
  if (message.type === 'part') {
    const list = incoming.get(message.name) ?? [];
    for (const item of message.items) list.push(revive(item));
    incoming.set(message.name, list);
  } else if (message.type === 'more') {
    sendRest();
  } else {
    run(message);
  }
});

function run(message: Extract<ToWorker, { type: 'run' }>): void {
  send({ type: 'started' });
  const values = new Map<string, PlainValue>([...message.values].map(([name, value]) => [name, revive(value)]));
  for (const [name, list] of incoming) values.set(name, list);
  incoming.clear();
  try {
    const ran = KINDS[message.kind].runPacked(message.program, values, message.limits);
    outgoing = { rest: Array.isArray(ran.value) && ran.value.length > PART ? ran.value : [], from: 0, ran };
    sendRest();
  } catch (error) {
    send({ type: 'failed', error: wireError(error), heapBytes: heapBytes() });
  }
}

function sendRest(): void {
  if (outgoing === undefined) return;
  const { rest, ran } = outgoing;
  if (rest.length > 0 && outgoing.from < rest.length) {
    const items = rest.slice(outgoing.from, outgoing.from + PART);
    outgoing.from += PART;
    send({ type: 'part', items });
    return;
  }
  send({ type: 'done', value: rest.length > 0 ? [] : ran.value, prints: ran.prints, heapBytes: heapBytes() });
  outgoing = undefined;
}
