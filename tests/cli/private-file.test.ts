/** Private files can be read by others neither before, during nor after they are written. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writePrivateFile } from '../../src/cli/terminal/private-file.ts';

let folder: string;
let file: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-private-'));
  file = join(folder, 'keys.json');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('whoever reads a file while it is written again and again sees it whole', async () => {
  writePrivateFile(file, text(0));
  const writer = `
    import { writePrivateFile } from '${new URL('../../dist/cli/terminal/private-file.js', import.meta.url).href}';
    for (let i = 1; i <= 2000; i++) writePrivateFile(process.argv[1], JSON.stringify({ i, filler: 'x'.repeat(i) }));
  `;
  let isWriting = true;
  const written = promisify(execFile)(process.execPath, ['--input-type=module', '-e', writer, file]).finally(() => (isWriting = false));
  const seen = new Set<number>();
  while (isWriting) {
    for (let looks = 0; looks < 100; looks++) seen.add((JSON.parse(readFileSync(file, 'utf8')) as { i: number }).i);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await written;
  expect(seen.size).toBeGreaterThan(10);
  expect(readdirSync(folder)).toEqual(['keys.json']);
});

test('nobody else may read it, whatever was there before', () => {
  rmSync(file);
  writeFileSync(file, 'for all', { mode: 0o644 });
  writePrivateFile(file, text(1));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toBe(text(1));
});

const text = (i: number): string => JSON.stringify({ i, filler: '' });
