// Runs the expressions of the reference's own tests and compares each outcome with what the
// reference gave. A value has to be equal in its canonical text, an error has to come at the same
// time: while compiling or while running.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** The share that has to be equal. */
const REQUIRED = 0.99;
const SUITES = ['expr-tests.jsonl', 'expr-generated.jsonl'];

/** Memory limit of the reference: a million elements. */
const LIMITS = { steps: 50_000_000, bytes: 8_000_000, millis: 10_000, depth: 200 };

export async function run(folder, { verbose }) {
  const load = (name) => import(join(root, 'dist', 'lang', name));
  const [{ compileExpr, runRaw }, { canonical }, { readJson }, { Budget, BudgetError }, { CompileError, RunError }, { exactNumber }] =
    await Promise.all([
      load('expr/index.js'),
      load('expr/values/canonical.js'),
      load('expr/library/json.js'),
      load('budget.js'),
      load('source.js'),
      load('expr/try.js'),
    ]);

  function outcome(expression, env) {
    const budget = new Budget(LIMITS);
    let compiled;
    try {
      compiled = compileExpr(expression);
    } catch (error) {
      if (error instanceof CompileError) return { err: 'compile', m: error.message };
      throw error;
    }
    try {
      return { c: canonical(runRaw(compiled, env, budget)) };
    } catch (error) {
      if (error instanceof RunError || error instanceof BudgetError) return { err: 'run', m: error.message };
      throw error;
    }
  }

  function runFile(file) {
    const [first, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
    const env = readJson(first, { number: exactNumber, budget: new Budget(LIMITS) }).get('env');
    const failures = [];
    for (const line of lines) {
      const expected = JSON.parse(line);
      let actual;
      try {
        actual = outcome(expected.e, env);
      } catch (error) {
        actual = { err: 'crash', m: String(error?.stack ?? error) };
      }
      if (actual.err !== expected.err || actual.c !== expected.c) failures.push({ expected, actual });
    }
    return { passed: lines.length - failures.length, total: lines.length, failures };
  }

  console.log('expr                       passed   total      share');
  let good = true;
  for (const name of SUITES) {
    const file = join(folder, name);
    if (!existsSync(file)) continue;
    const { passed, total, failures } = runFile(file);
    const enough = passed >= total * REQUIRED;
    good &&= enough;
    const share = ((100 * passed) / Math.max(total, 1)).toFixed(2).padStart(7);
    console.log(
      `${name.replace('.jsonl', '').padEnd(26)} ${String(passed).padStart(6)} / ${String(total).padEnd(6)} ${share} %   ${enough ? 'ok' : `below ${REQUIRED * 100} %`}`,
    );
    for (const { expected, actual } of failures) {
      console.log(`  failed ${JSON.stringify(expected.e)}`);
      if (!verbose) continue;
      console.log(`    want ${expected.err ?? expected.c}  ${expected.m ?? ''}\n    got  ${actual.err ?? actual.c}  ${actual.m ?? ''}`);
    }
  }
  return good;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const at = process.argv.indexOf('--suites');
  const good = await run(at < 0 ? '.' : (process.argv[at + 1] ?? '.'), { verbose: process.argv.includes('--verbose') });
  process.exit(good ? 0 : 1);
}
