/** Numbers that JavaScript would round: exact when kept and compared, floats in arithmetic. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Decimal, type PlainMap, type PlainValue } from '../../../src/util/text/decimal.ts';
import { outcome, plain } from './support.ts';

const HUGE = 2n ** 64n + 1n;
const env = new Map<string, PlainValue>([
  ['price', new Decimal('19.90')],
  ['same', new Decimal('19.9000')],
  ['tiny', new Decimal('0.1000000000000000000000000001')],
  ['unit', new Decimal('1.00')],
  ['long', 9007199254740993n],
  ['huge', HUGE],
  [
    'rows',
    [new Map<string, PlainValue>([['amount', new Decimal('10.50')]]), new Map<string, PlainValue>([['amount', new Decimal('9.75')]])],
  ],
]);
const value = (text: string): PlainValue => plain(text, env);

describe('an exact number', () => {
  test.each([
    'price',
    '[price][0]',
    '{p: price}.p',
    'price ?? 1',
    'max(price, 1)',
    'first(map(rows, .amount))',
    'huge',
    'long',
    '[huge][0]',
  ])('is unchanged by %s', (text) => {
    const names: Record<string, PlainValue | undefined> = { 'first(map(rows, .amount))': new Decimal('10.50') };
    const name = /huge|long/.exec(text)?.[0] ?? 'price';
    expect(value(text)).toStrictEqual(names[text] ?? env.get(name));
  });

  test('is in the same row object after filtering and sorting', () => {
    const [dear, cheap] = env.get('rows') as readonly PlainMap[];
    const sorted = value('sortBy(rows, .amount)') as readonly PlainValue[];
    expect(sorted[0]).toBe(cheap);
    expect((value('filter(rows, .amount > 10.4)') as readonly PlainValue[])[0]).toBe(dear);
  });

  test('is in the same list, which is not copied', () => {
    expect(value('rows')).toBe(env.get('rows'));
    expect(value('let x = 1.5; rows')).toBe(env.get('rows'));
  });
});

describe('a comparison of exact numbers', () => {
  test.each([
    ['price == 19.9', 'true'],
    ['price == same', 'true'],
    ['price in [19.9]', 'true'],
    ['tiny == 0.1', 'false'],
    ['tiny > 0.1', 'true'],
    ['unit == 1', 'true'],
    ['1 == unit', 'true'],
    ['long == 9007199254740992', 'false'],
    ['long > 9007199254740992', 'true'],
    ['huge > 9223372036854775807', 'true'],
    ['huge == huge', 'true'],
    ['huge == 18446744073709551616.0', 'false'],
    ['uniq([price, same, 19.9])', '[19.90]'],
    ['groupBy([price, same], #) | values() | first() | len()', '2'],
    ['sort([unit, tiny, price])', '[0.1000000000000000000000000001,1.00,19.90]'],
    ['min([price, unit])', '1.00'],
  ])('evaluates %s to %s', (text, expected) => expect(outcome(text, env)).toBe(expected));
});

describe('arithmetic on exact numbers', () => {
  test.each([
    ['price * 2', '39.8'],
    ['unit + 1', '2.0'],
    ['-price', '-19.9'],
    ['sum(rows, .amount)', '20.25'],
    ['int(price)', '19'],
    ['round(price)', '20.0'],
    ['float(unit)', '1.0'],
    ['string(price)', '"19.90"'],
    ['toJSON({p: price})', '"{\\n  \\"p\\": 19.90\\n}"'],
    ['type(price)', '"float"'],
    ['long + 1', '9007199254740994'],
    ['long * 1000000', '5188146770731811392'],
    ['huge + 1', '18446744073709551618'],
    ['huge - huge', '0'],
    ['-huge', '-18446744073709551617'],
    ['huge % 10', '7'],
    ['reduce(1..100, #acc * #acc, huge)', 'run error: the integer needs more than 2048 bits (1:21)'],
  ])('evaluates %s to %s', (text, expected) => expect(outcome(text, env)).toBe(expected));

  test('returns a float with an integral value as a decimal', () => {
    expect(value('1 + 1.0')).toStrictEqual(new Decimal('2.0'));
    expect(value('6 / 3')).toStrictEqual(new Decimal('2.0'));
    expect(value('[1.5, 2.0]')).toStrictEqual([1.5, new Decimal('2.0')]);
    expect(value('1 + 1')).toBe(2);
  });
});

describe('int64 arithmetic', () => {
  const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  const near = fc.oneof(int64, fc.bigInt({ min: -10n, max: 10n }), fc.bigInt({ min: 2n ** 53n - 5n, max: 2n ** 53n + 5n }));
  const operations: Record<string, (a: bigint, b: bigint) => bigint> = { '+': (a, b) => a + b, '-': (a, b) => a - b, '*': (a, b) => a * b };
  const toPlain = (n: bigint): number | bigint => (n >= -9007199254740991n && n <= 9007199254740991n ? Number(n) : n);

  test.each(Object.keys(operations))('wraps around at 64 bits in a %s b', (op) => {
    fc.assert(
      fc.property(near, near, (a, b) => {
        const result = plain(
          `a ${op} b`,
          new Map([
            ['a', toPlain(a)],
            ['b', toPlain(b)],
          ]),
        );
        expect(result).toBe(toPlain(BigInt.asIntN(64, operations[op]?.(a, b) ?? 0n)));
      }),
    );
  });

  test('orders values as integers', () => {
    fc.assert(
      fc.property(near, near, (a, b) => {
        const both = new Map([
          ['a', toPlain(a)],
          ['b', toPlain(b)],
        ]);
        expect(plain('[a < b, a == b, a >= b]', both)).toStrictEqual([a < b, a === b, a >= b]);
      }),
    );
  });
});
