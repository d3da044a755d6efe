// `millrace lark` and `millrace expr` as a person calls them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-cli-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function millrace(args: readonly string[], input = ''): { code: number | null; output: string; error: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { input, encoding: 'utf8', cwd: folder });
  return { code: status, output: stdout, error: stderr };
}

describe('millrace lark', () => {
  it('runs a file and prints its result', () => {
    writeFileSync(join(folder, 'a.star'), 'print("hello")\nresult = {"n": 1 << 70}\n');
    expect(millrace(['lark', 'a.star'])).toMatchObject({ code: 0, output: 'hello\n{"n": 1180591620717411303424}\n' });
  });

  it('shows where a program fails', () => {
    writeFileSync(join(folder, 'b.star'), 'def f():\n    return 1 // 0\nf()\n');
    const { code, error } = millrace(['lark', 'b.star']);
    expect(code).toBe(1);
    expect(error).toMatch(/b\.star:2:\d+/);
    expect(error).toMatch(/\^/);
  });

  it('remembers lines at the prompt', () => {
    expect(millrace(['lark'], 'x = 20\nx + 1\n').output).toMatch(/21/);
  });
});

describe('millrace expr', () => {
  it('evaluates over an environment', () => {
    expect(millrace(['expr', 'sum(map(rows, .n)) + 1', '--env', '-'], '{"rows":[{"n":1},{"n":2}]}')).toMatchObject({
      code: 0,
      output: '4\n',
    });
    expect(millrace(['expr', '"a" + "b"']).output).toBe('"ab"\n');
  });

  it('shows where an expression is wrong', () => {
    const { code, error } = millrace(['expr', '1 +']);
    expect(code).toBe(1);
    expect(error).toMatch(/\^/);
  });

  it('says how it is called', () => {
    expect(millrace(['expr']).error).toMatch(/usage/);
  });
});
