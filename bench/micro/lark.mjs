// Speed of Lark beside recorded figures of the reference implementation. Requires a build. Programs
// are compiled once and run with fresh values; converting the rows is included.
import { performance } from 'node:perf_hooks';
import { compileLark, runLark } from '../../dist/lang/lark/index.js';
import { makeRows, PROGRAMS } from './lark-programs.mjs';

const RUNS = 9;
const LIMITS = { steps: 1e9, bytes: 4 * 1024 ** 3, millis: 60_000, depth: 200 };

function best(list) {
  return Math.min(...list);
}

function median(list) {
  return list.toSorted((a, b) => a - b)[list.length >> 1];
}

export function run() {
  const rows = makeRows().map((row) => new Map(Object.entries(row)));
  const values = new Map([['rows', rows]]);
  const ratios = [];
  console.log(`${'program'.padEnd(24)} ${'lark ms'.padStart(9)} ${'reference ms'.padStart(13)} ${'faster'.padStart(8)}`);
  for (const { name, source, recorded } of PROGRAMS) {
    const program = compileLark(source, { predeclared: ['rows'] });
    const times = [];
    for (let i = 0; i < RUNS + 3; i++) {
      const start = performance.now();
      runLark(program, { values, limits: LIMITS });
      if (i >= 3) times.push(performance.now() - start);
    }
    const ours = best(times);
    ratios.push(recorded / ours);
    console.log(
      `${name.padEnd(24)} ${ours.toFixed(2).padStart(9)} ${recorded.toFixed(1).padStart(13)} ${`${(recorded / ours).toFixed(1)} x`.padStart(8)}`,
    );
  }
  console.log(`middle: ${median(ratios).toFixed(1)} x`);
}

if (process.argv[1]?.endsWith('lark.mjs')) run();
