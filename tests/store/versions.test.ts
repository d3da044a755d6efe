// Versions are ordered as in semver, and identifiers are ULIDs in one spelling.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareVersions, versionSortKey } from '../../src/model/definition.ts';
import { newUlid, parseUlid } from '../../src/model/ulid.ts';

/** Semver's rule: numbers, then releases after pre-releases, then identifier by identifier. */
function semver(left: string, right: string): number {
  const parse = (text: string) => {
    const at = text.indexOf('-');
    const numbers = (at < 0 ? text : text.slice(0, at)).split('.').map(BigInt);
    return { numbers, identifiers: at < 0 ? undefined : text.slice(at + 1).split('.') };
  };
  const sign = (a: bigint | string | number, b: bigint | string | number) => (a < b ? -1 : a > b ? 1 : 0);
  const [a, b] = [parse(left), parse(right)];
  for (let i = 0; i < 3; i += 1) {
    const order = sign(a.numbers[i] ?? 0n, b.numbers[i] ?? 0n);
    if (order !== 0) return order;
  }
  if (a.identifiers === undefined || b.identifiers === undefined) return sign(a.identifiers ? 0 : 1, b.identifiers ? 0 : 1);
  for (const [i, one] of a.identifiers.entries()) {
    const other = b.identifiers[i];
    if (other === undefined) return 1;
    const [oneIsNumber, otherIsNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)];
    const order =
      oneIsNumber && otherIsNumber
        ? sign(BigInt(one), BigInt(other))
        : oneIsNumber !== otherIsNumber
          ? oneIsNumber
            ? -1
            : 1
          : sign(one, other);
    if (order !== 0) return order;
  }
  return sign(a.identifiers.length, b.identifiers.length);
}

describe('versions', () => {
  test('are ordered as SemVer defines', () => {
    const number = fc.oneof(fc.nat(12).map(String), fc.constantFrom('10', '09', '100', '9999999999999999'));
    const identifier = fc.oneof(
      number,
      fc.stringMatching(/^[0-9A-Za-z-]{1,4}$/),
      fc.constantFrom('alpha', 'beta', 'rc', 'alpha-x', '-', '1a'),
    );
    const version = fc
      .tuple(fc.array(number, { minLength: 1, maxLength: 3 }), fc.option(fc.array(identifier, { minLength: 1, maxLength: 3 })))
      .map(([numbers, pre]) => numbers.join('.') + (pre === null ? '' : `-${pre.join('.')}`));
    fc.assert(
      fc.property(version, version, (left, right) => {
        expect(compareVersions(left, right)).toBe(semver(left, right));
      }),
      { numRuns: 5_000 },
    );
  });

  test('consist of one to three numbers and an optional pre-release', () => {
    for (const good of ['1', '1.10', '1.2.3', '1.0.0-rc.1', '0', '1-a']) expect(versionSortKey(good)).toBeDefined();
    for (const bad of ['', 'v1', '1.', '.1', '1.2.3.4', '1.0-', '1.0-a..b', '1 ', ' 1', '1.0+build', '1,0', '-1', '1e3', '9'.repeat(200)])
      expect(versionSortKey(bad)).toBeUndefined();
  });
});

describe('ULIDs', () => {
  test('are generated in ascending order and read in either case', () => {
    const made = Array.from({ length: 1_000 }, newUlid);
    expect([...made].sort()).toEqual(made);
    for (const id of made) {
      expect(parseUlid(id)).toBe(id);
      expect(parseUlid(id.toLowerCase())).toBe(id);
    }
    for (const bad of [
      '',
      '8ZZZZZZZZZZZZZZZZZZZZZZZZZ',
      '01ARZ3NDEKTSV4RRFFQ69G5FAI',
      '01ARZ3NDEKTSV4RRFFQ69G5FA',
      '01ARZ3NDEKTSV4RRFFQ69G5FAVX',
    ])
      expect(parseUlid(bad)).toBeUndefined();
    expect(parseUlid('00000000000000000000000000')).toBe('00000000000000000000000000');
    // Characters whose upper case is in the alphabet are rejected.
    expect(parseUlid('01ARZ3NDEKTSV4RRFFQ69G5FA\u017f')).toBeUndefined();
  });
});
