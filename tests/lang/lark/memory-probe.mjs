// Runs programs as the service does, in a process of its own with `--expose-gc`, and says what memory is left of them.
// The programs come as JSON on stdin, and how much of resident memory is too much as an argument; the figures go as JSON to stdout, in bytes.
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { DEFAULT_LIMITS } from '../../../dist/lang/budget.js';
import { compileLark } from '../../../dist/lang/lark/index.js';
import { closeSandbox, runStep } from '../../../dist/lang/sandbox/index.js';

/** Endless loops hold nothing: they are ended sooner than usual. */
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
    // How they end is the business of another test.
  }
}

const sources = JSON.parse(await text(process.stdin));
const enough = Number(process.argv[2]);

/** What is left of all of them, when their threads have ended: until then their memory counts. */
async function left() {
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

// The C library may keep what a thread has had, once: what is left behind is left behind again.
const first = await left();
console.log(JSON.stringify(first.rss < enough ? first : await left()));
