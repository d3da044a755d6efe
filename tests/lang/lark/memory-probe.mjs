// Runs programs like the service does, in its own process with `--expose-gc`, and reports leaked
// memory. stdin: programs as JSON. Argument: limit of resident memory. stdout: JSON with bytes.
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { DEFAULT_LIMITS } from '../../../dist/lang/budget.js';
import { compileLark } from '../../../dist/lang/lark/index.js';
import { closeSandbox, runStep } from '../../../dist/lang/sandbox/index.js';

/** Endless loops allocate nothing, so they may end sooner than usual. */
const LIMITS = { ...DEFAULT_LIMITS, steps: 20_000_000 };

const used = () => {
  globalThis.gc();
  const { heapUsed, external, arrayBuffers, rss } = process.memoryUsage();
  return { held: heapUsed + external + arrayBuffers, rss };
};

async function run(source) {
  try {
    await runStep('lark', { program: compileLark(source), values: new Map(), now: 0 }, LIMITS);
  } catch {
    // Another test checks the outcome.
  }
}

const sources = JSON.parse(await text(process.stdin));
const maxRss = Number(process.argv[2]);

/** Measures memory after all threads have ended, since they hold memory until then. */
async function leaked() {
  const before = used();
  for (const source of sources) await run(source);
  closeSandbox();
  let after = used();
  for (let i = 0; i < 50 && after.rss - before.rss > 0; i++) {
    await wait(50);
    after = used();
  }
  return { held: after.held - before.held, rss: after.rss - before.rss };
}

// The C library may keep the memory of a thread once. A leak would grow again.
const first = await leaked();
console.log(JSON.stringify(first.rss < maxRss ? first : await leaked()));
