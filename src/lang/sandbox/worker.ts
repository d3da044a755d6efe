/**
 * Entry of a worker thread: runs one task at a time within its budget. No network, files or timers.
 */
import { getPriority, setPriority } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import type { PlainValue } from '../../util/text/decimal.ts';
import { BudgetError, type RunLimits } from '../budget.ts';
import type { Ran } from '../task-kind.ts';
import { KINDS } from '../tasks.ts';
import { Packer, Unpacker } from './flat.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import { wireError } from './wire.ts';

const port = parentPort;
if (port === null) throw new Error('this file is the entry of a worker thread');

/**
 * Gives requests priority on few cores. Linux only: elsewhere this would affect the whole process.
 */
const LOWER = 10;
const LOWEST = 19;
if (process.platform === 'linux') stepBack();

function stepBack(): void {
  try {
    setPriority(0, Math.min(LOWEST, getPriority(0) + LOWER));
  } catch {
    // Without the permission, all threads keep the same priority.
  }
}

/** Values received in pieces, by name. */
const incoming = new Map<string, Unpacker>();
/** Result that is sent in pieces. */
let outgoing: { readonly packer: Packer; readonly ran: Ran; readonly limits: RunLimits } | undefined;

const send = (message: FromWorker): void => port.postMessage(message);
const heapBytes = (): number => getHeapStatistics().total_heap_size;

port.on('message', (message: ToWorker) => {
  if (message.type === 'part') unpackerOf(message.name).add(message.piece);
  else if (message.type === 'more') sendMore();
  else run(message);
});

function unpackerOf(name: string): Unpacker {
  const known = incoming.get(name);
  if (known !== undefined) return known;
  const unpacker = new Unpacker();
  incoming.set(name, unpacker);
  return unpacker;
}

function run(message: Extract<ToWorker, { type: 'run' }>): void {
  for (const [name, piece] of message.values) unpackerOf(name).add(piece);
  const values = new Map<string, PlainValue>(Array.from(incoming, ([name, { value }]) => [name, value]));
  incoming.clear();
  try {
    KINDS[message.kind].ready?.(message.program);
    send({ type: 'started' });
    const ran = KINDS[message.kind].runPacked(message.program, values, message.limits);
    outgoing = { packer: new Packer(ran.value), ran, limits: message.limits };
    sendMore();
  } catch (error) {
    send({ type: 'failed', error: wireError(error), heapBytes: heapBytes() });
  }
}

function sendMore(): void {
  if (outgoing === undefined) return;
  const { packer, ran, limits } = outgoing;
  const piece = packer.piece();
  if (packer.size > limits.bytes) {
    outgoing = undefined;
    const error = new BudgetError('memory', `the result needs more than its ${Math.floor(limits.bytes / 1024 / 1024)} MiB of memory`);
    send({ type: 'failed', error: wireError(error), heapBytes: heapBytes() });
    return;
  }
  if (!packer.done) {
    send({ type: 'part', piece });
    return;
  }
  outgoing = undefined;
  send({ type: 'done', piece, prints: ran.prints, heapBytes: heapBytes() });
}
