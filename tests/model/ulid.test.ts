// ULIDs, compared with the reference library.
import { decodeTime, isValid, ulid } from 'ulid';
import { expect, it } from 'vitest';
import { newUlid, parseUlid } from '../../src/model/ulid.ts';

it('generates valid, distinct, ascending identifiers with the current time', () => {
  const before = Date.now();
  const made = Array.from({ length: 100_000 }, newUlid);
  const after = Date.now();
  expect(made.every((id) => isValid(id))).toBe(true);
  expect(new Set(made).size).toBe(made.length);
  expect(made.every((id, i) => i === 0 || (made[i - 1] ?? '') < id)).toBe(true);
  for (const id of [made[0] ?? '', made.at(-1) ?? '']) {
    expect(decodeTime(id)).toBeGreaterThanOrEqual(before);
    expect(decodeTime(id)).toBeLessThanOrEqual(after);
  }
});

it('accepts foreign identifiers in either case, and nothing else', () => {
  for (let i = 0; i < 1000; i++) {
    const id = ulid();
    expect(parseUlid(id)).toBe(id);
    expect(parseUlid(id.toLowerCase())).toBe(id);
  }
  for (const text of ['', 'x', '8'.repeat(26), `${'0'.repeat(25)}U`, '0'.repeat(25), '0'.repeat(27)])
    expect(parseUlid(text)).toBeUndefined();
});
