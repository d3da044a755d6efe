/**
 * Runs the tests written in Lark, `src/lang/lark/testdata/*.star`, in chunks separated by lines of
 * `---`. A chunk must fail exactly at the lines that end in `# error: …`, with that message.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/lang/budget.ts';
import { compileLark, executeWith, LarkFailure, makeThread, repr } from '../../../src/lang/lark/index.ts';
import { callBack } from '../../../src/lang/lark/values/call.ts';
import { equals } from '../../../src/lang/lark/values/compare.ts';
import { LarkBuiltin } from '../../../src/lang/lark/values/function.ts';
import type { LarkValue } from '../../../src/lang/lark/values/value.ts';
import { CompileError, RunError } from '../../../src/lang/source.ts';

const FOLDER = join(import.meta.dirname, '../../../src/lang/lark/testdata');

interface Failure {
  readonly line: number;
  readonly text: string;
}

/** The assertions of the test files. Each records a failure and continues. */
function assertions(text: string, failures: Failure[]): ReadonlyMap<string, LarkValue> {
  const lineAt = (at: number): number => text.slice(0, at).split('\n').length;
  const equal = new LarkBuiltin('equal', (thread, [got = null, want = null]) => {
    if (!equals(thread, got, want))
      failures.push({ line: lineAt(thread.at), text: `got ${repr(thread, got)}, want ${repr(thread, want)}` });
    return null;
  });
  const fails = new LarkBuiltin('fails', (thread, [fn = null, want = null]) => {
    const at = thread.at;
    try {
      callBack(thread, fn, []);
      failures.push({ line: lineAt(at), text: `did not fail with ${String(want)}` });
    } catch (error) {
      if (!(error instanceof LarkFailure)) throw error;
      thread.at = at;
      if (!error.message.includes(String(want))) failures.push({ line: lineAt(at), text: `failed with ${error.message}` });
    }
    return null;
  });
  return new Map<string, LarkValue>([
    ['equal', equal],
    ['fails', fails],
  ]);
}

function run(name: string, text: string): Failure[] {
  const failures: Failure[] = [];
  try {
    const program = compileLark(text, { name, extensions: assertions(text, failures) });
    executeWith(program, makeThread({ limits: DEFAULT_LIMITS }), new Map());
  } catch (error) {
    if (error instanceof CompileError) failures.push(...error.problems.map(({ line, message }) => ({ line, text: message })));
    else if (error instanceof RunError) failures.push({ line: error.problem.line, text: error.message });
    else throw error;
  }
  return failures;
}

function expected(text: string): Failure[] {
  return text.split('\n').flatMap((line, i) => {
    const match = /# error: (.*)$/.exec(line);
    return match === null ? [] : [{ line: i + 1, text: match[1] ?? '' }];
  });
}

describe.each(readdirSync(FOLDER).filter((name) => name.endsWith('.star')))('%s', (name) => {
  const chunks = readFileSync(join(FOLDER, name), 'utf8').split(/^---\n/m);
  it.each(chunks.map((text, i) => ({ text, title: `passes its assertions in chunk ${i + 1}` })))('$title', ({ text }) => {
    const failures = run(name, text);
    const errors = expected(text);
    expect(failures.map(({ line }) => line)).toEqual(errors.map(({ line }) => line));
    errors.forEach((want, i) => {
      expect(failures[i]?.text).toContain(want.text);
    });
  });
});
