// CPU time and memory of processes and their children, from /proc. Everything is undefined without
// /proc or for a remote server, and the report omits it.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Linux reports CPU time in hundredths of a second, whatever the kernel's tick. */
const TICKS_PER_SECOND = 100;

function readStat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in brackets may contain anything; the fields start behind it with the state.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]), waited: Number(fields[13]) + Number(fields[14]) };
  } catch {
    return undefined;
  }
}

/** The process and all its descendants. */
function family(pid) {
  const children = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readStat(name);
    if (!stat) continue;
    if (!children.has(stat.parent)) children.set(stat.parent, []);
    children.get(stat.parent).push(Number(name));
  }
  const members = [pid];
  for (let i = 0; i < members.length; i++) members.push(...(children.get(members[i]) ?? []));
  return members;
}

/** Seconds of CPU that the process and its children have used, including ended children. */
export function cpuSeconds(pid) {
  const own = pid === undefined ? undefined : readStat(pid);
  if (!own) return undefined;
  let ticks = 0;
  for (const member of family(pid)) {
    const stat = readStat(member);
    if (stat) ticks += stat.ticks + stat.waited;
  }
  return ticks / TICKS_PER_SECOND;
}

const REST_WINDOW_MS = 100;
const MOST_AT_REST = 0.1;
const LONGEST_MS = 2000;

/** Waits until a server uses less than 10 % of a core, at most two seconds. */
export async function atRest(pid) {
  let before = cpuSeconds(pid);
  for (let waited = 0; before !== undefined && waited < LONGEST_MS; waited += REST_WINDOW_MS) {
    await delay(REST_WINDOW_MS);
    const now = cpuSeconds(pid);
    if (now === undefined || (now - before) * 1000 <= REST_WINDOW_MS * MOST_AT_REST) return;
    before = now;
  }
}

/** Counts the CPU nanoseconds of the current threads of a process and its children. */
export class ThreadClock {
  #files;

  constructor(pid) {
    this.#files = family(pid).flatMap((member) =>
      readdirSync(`/proc/${member}/task`).map((task) => `/proc/${member}/task/${task}/schedstat`),
    );
  }

  nanos() {
    let nanos = 0;
    for (const file of this.#files) nanos += Number(readFileSync(file, 'latin1').split(' ', 1)[0]);
    return nanos;
  }
}

/**
 * Ticks that the cores of this machine have worked, and ticks that the host gave to other machines.
 */
export function processorTime() {
  try {
    const ticks = readFileSync('/proc/stat', 'latin1').split('\n', 1)[0].trim().split(/\s+/).slice(1, 9).map(Number);
    return { ticks: ticks.reduce((sum, n) => sum + n, 0), stolen: ticks[7] };
  } catch {
    return { ticks: 0, stolen: 0 };
  }
}

/** Share of CPU time taken by the host beyond which a measurement is unreliable. */
export const MOST_STOLEN = 0.03;

/** The share of the time since then that the host gave to others. */
export function stolenSince(before) {
  const { ticks, stolen } = processorTime();
  return ticks === before.ticks ? 0 : (stolen - before.stolen) / (ticks - before.ticks);
}

function residentKilobytes(pid) {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Bytes in memory now: of the process and its children, what they share counted once each. */
export function residentBytes(pid) {
  if (pid === undefined || !readStat(pid)) return undefined;
  return family(pid).reduce((sum, member) => sum + residentKilobytes(member), 0) * 1024;
}

/** Samples the memory of a process until `stop`, which returns the maximum. */
export function watchMemory(pid, everyMs = 10) {
  let largest = residentKilobytes(pid);
  const timer = setInterval(() => {
    largest = Math.max(largest, residentKilobytes(pid));
  }, everyMs);
  return {
    stop() {
      clearInterval(timer);
      return Math.max(largest, residentKilobytes(pid)) * 1024;
    },
  };
}

/** Finds the process that listens on a TCP port of this machine. */
export function pidListeningOn(port) {
  const wanted = new Set();
  try {
    for (const file of ['/proc/net/tcp', '/proc/net/tcp6']) {
      for (const line of readFileSync(file, 'latin1').split('\n').slice(1)) {
        const fields = line.trim().split(/\s+/);
        if (fields[3] === '0A' && Number.parseInt(fields[1].split(':')[1], 16) === port) wanted.add(`socket:[${fields[9]}]`);
      }
    }
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    // A parent is older than children that inherited its socket.
    return pids
      .map(Number)
      .sort((a, b) => a - b)
      .find((pid) => openSockets(pid).some((socket) => wanted.has(socket)));
  } catch {
    return undefined;
  }
}

function openSockets(pid) {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((name) => readlinkSync(`/proc/${pid}/fd/${name}`));
  } catch {
    return [];
  }
}

export function median(numbers) {
  const sorted = numbers.filter((number) => number !== undefined && !Number.isNaN(number)).sort((a, b) => a - b);
  if (sorted.length === 0) return undefined;
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The median with the smallest and the largest value. */
export function spread(numbers) {
  const known = numbers.filter((number) => number !== undefined && !Number.isNaN(number));
  return known.length === 0 ? undefined : { median: median(known), low: Math.min(...known), high: Math.max(...known) };
}
