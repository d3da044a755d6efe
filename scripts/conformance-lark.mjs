// The conformance suites of the Starlark language against Lark: programs in chunks with the errors
// they must give, and snippets with what the reference implementation made of them.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BudgetError } from '../dist/lang/budget.js';
import { compileLark, executeWith, makeThread, repr, Thread, traceback } from '../dist/lang/lark/index.js';
import { parseFile } from '../dist/lang/lark/syntax/parse.js';
import { CompileError, RunError } from '../dist/lang/source.js';
import { goHost, specHost } from './conformance-lark-host.mjs';

const LIMITS = { steps: 50_000_000, bytes: 512 * 1024 * 1024, millis: 10_000, depth: 500 };
const DIALECT = { set: false, while: false, topLevelControl: false, globalReassign: false, loadBindsGlobally: false, recursion: false };

/** Result of a program: its errors with their lines, or its globals. */
function execute(src, { name, opts, phase, host, predeclared }) {
  const errors = [];
  const prints = [];
  const { extensions, loadable } = host?.((line, text) => errors.push({ line, text })) ?? {};
  try {
    if (phase === 'parse')
      return { errors: parseFile(src).problems.map((p) => ({ line: src.slice(0, p.at).split('\n').length, text: p.message })), prints };
    const program = compileLark(src, {
      name,
      dialect: { ...DIALECT, ...opts },
      extensions,
      predeclared,
    });
    if (phase !== 'exec') return { errors, prints, globals: new Map() };
    const base = makeThread({ print: (line) => prints.push(line) }).host;
    const thread = new Thread(LIMITS, { ...base, load: (thread, module) => loadable?.get(module) ?? base.load(thread, module) });
    thread.text = src;
    const globals = executeWith(program, thread, new Map());
    return { errors, prints, globals, thread };
  } catch (error) {
    if (error instanceof CompileError) {
      const kind = 'compile';
      return { errors: [...errors, ...error.problems.map((p) => ({ line: p.line, text: p.message, kind, column: p.column }))], prints };
    }
    if (error instanceof RunError) {
      errors.push({ line: error.problem.line, text: error.message, trace: traceback(error), kind: 'eval', calls: error.calls });
      return { errors, prints };
    }
    if (error instanceof BudgetError) {
      errors.push({ line: 0, text: error.message, kind: 'budget' });
      return { errors, prints };
    }
    throw error;
  }
}

function lines(file) {
  return existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];
}

function checkChunk(row) {
  const go = row.asserts === 'go';
  const expected = row.expect.filter((e) => go || (e.impl ?? 'go') === 'go');
  const options = {
    name: row.file,
    opts: row.opts,
    phase: row.phase,
    host: go ? goHost : specHost,
    predeclared: row.phase === 'exec' ? [] : ['M', 'U'],
  };
  let { errors } = execute(row.src, options);
  if (!go) {
    const text = errors.map((error) => error.trace ?? `${row.file}:${error.line}: ${error.text}`).join('\n');
    if (expected.length === 0) return errors.length === 0 ? undefined : text;
    const missing = expected.find((e) => !new RegExp(e.re, 'i').test(text));
    return missing === undefined ? undefined : `want /${missing.re}/, got: ${text || 'no error'}`;
  }
  // The reference stops at its first syntax error; Lark reports the later ones of the file too.
  if (row.phase === 'parse') errors = errors.slice(0, Math.max(1, expected.length));
  for (const e of expected) {
    const found = errors.findIndex((error) => error.line === e.line && new RegExp(e.re).test(error.text));
    if (found < 0) return `line ${e.line}: want /${e.re}/, got: ${JSON.stringify(errors)}`;
    errors.splice(found, 1);
  }
  return errors.length === 0 ? undefined : errors.map((error) => `line ${error.line}: ${error.text}`).join('\n    ');
}

/**
 * Errors about arguments are shown where the call stands, not inside of the function that was
 * called.
 */
const AT_CALL = /^function .* (missing|accepts|got)/;

function checkSnippet(row) {
  const result = execute(row.src, { name: 'main.star', opts: row.opts, phase: 'exec' });
  const [error] = result.errors;
  const { ref } = row;
  if (!ref.ok) {
    if (error === undefined) return `want error ${ref.error}, got none`;
    const text = error.kind === 'compile' ? `main.star:${error.line}:${error.column}: ${error.text}` : error.text;
    if (text !== ref.error) return `want error ${JSON.stringify(ref.error)}, got ${JSON.stringify(text)}`;
    return error.line === ref.line || AT_CALL.test(error.text) ? undefined : `want line ${ref.line}, got ${error.line}`;
  }
  if (error !== undefined) return `line ${error.line}: ${error.text}`;
  const globals = Object.fromEntries([...result.globals].map(([name, value]) => [name, repr(result.thread, value)]));
  const got = JSON.stringify([Object.entries(globals).sort(), result.prints]);
  const want = JSON.stringify([Object.entries(ref.globals ?? {}).sort(), ref.prints ?? []]);
  return got === want ? undefined : `want ${want}, got ${got}`;
}

function runSuite(title, rows, required, check, verbose) {
  const failures = [];
  for (const row of rows) {
    let reason;
    try {
      reason = check(row);
    } catch (error) {
      reason = `internal error: ${error.stack}`;
    }
    if (reason !== undefined) failures.push({ id: row.id, reason });
  }
  const passed = rows.length - failures.length;
  const share = rows.length === 0 ? 1 : passed / rows.length;
  const good = share >= required;
  console.log(
    `${title.padEnd(26)} ${String(passed).padStart(6)} / ${String(rows.length).padEnd(6)} ${(share * 100).toFixed(2).padStart(7)} %   ${good ? 'ok' : `below ${required * 100} %`}`,
  );
  for (const { id, reason } of failures) console.log(`  failed ${id}${verbose ? `\n    ${reason}` : ''}`);
  return good;
}

export function run(folder, { verbose }) {
  const read = (name) => lines(join(folder, name)).map((line) => JSON.parse(line));
  console.log('lark                       passed   total      share');
  const chunks = runSuite('starlark-chunks', read('starlark-chunks.jsonl'), 1, checkChunk, verbose);
  const snippets = runSuite('starlark-differential', read('starlark-differential.jsonl'), 0.99, checkSnippet, verbose);
  return chunks && snippets;
}
