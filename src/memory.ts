/**
 * How the runtime handles memory, set before anything else is loaded. Left alone, it takes note of which places in the code made objects that
 * outlived a collection, and soon makes all objects of such places in the memory for old ones. While a service starts under load these are
 * the parts of requests, and from then on every request leaves a kilobyte behind that only a full collection takes away.
 */
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--no-allocation-site-pretenuring');
/**
 * By this share of what is in use the memory for old objects grows before all of it is collected. The runtime would let it double or more: with a
 * thousand databases a tenth of the service's memory, which saves one collection of ten milliseconds in some seconds of full load.
 */
setFlagsFromString('--heap-growing-percent=30');

/**
 * Loads a part of the program without letting the memory for young objects grow, and without compiling to machine code what only loads. What
 * modules leave behind would grow it to its full size, and the compiler's threads keep what they have taken: a service that has nothing to do
 * yet would hold it all.
 */
export async function loadSparingly<T>(load: () => Promise<T>): Promise<T> {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--no-turbofan');
  try {
    return await load();
  } finally {
    setFlagsFromString('--semi-space-growth-factor=2');
    setFlagsFromString('--turbofan');
  }
}

/** The memory for young objects, both halves of it. Twice as much, which the runtime would take, saves a request a hundredth of its time. */
const YOUNG_MOST = 16 * 1024 * 1024;

/** Lets the memory for young objects double up to its bound. The runtime also makes it smaller when little is made, to any size, and it may grow again. */
export function boundYoung(): void {
  let mayGrow = true;
  new PerformanceObserver(() => {
    if (mayGrow === youngBytes() * 2 <= YOUNG_MOST) return;
    mayGrow = !mayGrow;
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
  }).observe({ entryTypes: ['gc'] });
}

/** What there is room for, in both halves. The size alone would not tell: the runtime gives the half that is empty back when little is made, and takes it again. */
function youngBytes(): number {
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  return young === undefined ? 0 : 2 * (young.space_used_size + young.space_available_size);
}

/** How often is looked, and what share of that time on a processor is quiet. */
const LOOK_EVERY_MS = 10_000;
const QUIET = 0.02;
/** Looks in a row that found it quiet. */
const QUIET_LOOKS = 2;
/** Only a collection that finds little made since the one before, over some seconds, makes the memory for young objects smaller. */
const COLLECTIONS = 2;
/** So much work since the last time is worth a collection. */
const WORTH_MS = 1000;

/**
 * Gives memory back after a load. The runtime keeps what it has grown to for as long as nothing asks for more; full collections, when there
 * has been work and now is none, make it let go; `letGo` drops what others keep for the next request. Whoever comes in that moment waits some tens of milliseconds.
 */
export function restWhenQuiet(letGo: () => void, everyMs = LOOK_EVERY_MS): void {
  const usedMs = (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  let rested = usedMs();
  let before = rested;
  let quiet = 0;
  let due = 0;
  const look = (): void => {
    const now = usedMs();
    quiet = now - before < everyMs * QUIET ? quiet + 1 : 0;
    before = now;
    if (quiet < QUIET_LOOKS) due = 0;
    else if (now - rested >= WORTH_MS) due = COLLECTIONS;
    if (due === 0) return;
    due--;
    letGo();
    collect();
    rested = usedMs();
    before = rested;
  };
  setInterval(look, everyMs).unref();
}

/**
 * What a collection at rest also does: pages that are nearly empty are given back, and so is code that can be made again from its source. The runtime
 * shows its collector to contexts that are made while it is told to; nobody else sees this one.
 */
const AT_REST = ['expose-gc', 'compact-on-every-full-gc', 'stress-flush-code', 'flush-baseline-code'];

function collect(): void {
  for (const flag of AT_REST) setFlagsFromString(`--${flag}`);
  try {
    runInNewContext('gc')();
  } finally {
    for (const flag of AT_REST) setFlagsFromString(`--no-${flag}`);
  }
}
