// Values on pages of apps: digits in are digits out, and a value never changes a filter.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timeBands, timeTicks, valueScale } from '../../apps/blocks/chart-scale.ts';
import { resolveRelative, startOfDay, wallTime } from '../../apps/page/dates.ts';
import { fillPlaceholders } from '../../apps/page/placeholders.ts';
import { formatValue } from '../../apps/values/format.ts';
import { parseFilterText } from '../../src/auto/request/filter-syntax.ts';
import { add, compareDecimals, divide, parseDecimal, subtract, writeDecimal } from '../../ui/decimal.ts';
import { Digits } from '../../ui/exact.ts';
import { times } from '../support/times.ts';

const RUNS = { numRuns: times(200, 5000) };
const digits = fc.stringMatching(/^-?(?:0|[1-9]\d{0,30})(?:\.\d{1,12})?$/);
const decimal = (text: string) => parseDecimal(text) ?? expect.fail(text);
const LOCALE = { name: 'en-US', zone: 'UTC' };

describe('decimals', () => {
  it('keep all digits', () => {
    fc.assert(
      fc.property(digits, (text) => {
        expect(writeDecimal(decimal(text))).toBe(/^-0(?:\.0*)?$/.test(text) ? text.slice(1) : text);
      }),
      RUNS,
    );
  });

  it('add and subtract without an error', () => {
    fc.assert(
      fc.property(digits, digits, (a, b) => {
        expect(compareDecimals(subtract(add(decimal(a), decimal(b)), decimal(b)), decimal(a))).toBe(0);
      }),
      RUNS,
    );
    expect(writeDecimal(add(decimal('0.1'), decimal('0.2')))).toBe('0.3');
  });

  it('divide with the places that are asked for, half away from zero', () => {
    expect(writeDecimal(divide(decimal('2'), decimal('3'), 6))).toBe('0.666667');
    expect(writeDecimal(divide(decimal('-1'), decimal('8'), 2))).toBe('-0.13');
  });
});

describe('formats of values', () => {
  it('show every digit of a number', () => {
    fc.assert(
      fc.property(digits, (text) => {
        expect(formatValue(new Digits(text), undefined, LOCALE).text).toBe(text);
        const shown = formatValue(new Digits(text), 'number.12', LOCALE).text.replaceAll(',', '');
        expect(compareDecimals(decimal(shown), decimal(text))).toBe(0);
      }),
      RUNS,
    );
  });

  it.each([
    ['9007199254740993', 'integer', '9,007,199,254,740,993'],
    ['0.1234', 'percent.1', '12.3%'],
    ['1234.5', 'currency.EUR', '€1,234.50'],
    ['1234567', 'compact', '1.2M'],
    ['3725', 'duration', '1 h 2 min'],
    ['2024-03-05', 'date', 'Mar 5, 2024'],
    ['2024-03', 'month', 'Mar 2024'],
    ['AAEC', 'binary', 'binary, 3 bytes'],
    ['AAE=', 'binary', 'binary, 2 bytes'],
  ])('write %s as %s', (text, format, shown) => {
    expect(formatValue(/^[\d.]+$/.test(text) ? new Digits(text) : text, format, LOCALE).text).toBe(shown);
  });
});

describe('placeholders of filters', () => {
  const fillWith = (filter: string, texts: readonly string[]): string | undefined => fillPlaceholders(filter, () => texts);

  it('never change the structure of a filter', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((value) => !/[\u{d800}-\u{dfff}]/u.test(value));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (texts) => {
        const filled = fillWith('name=in.?:x', texts) ?? '';
        expect(JSON.stringify(parseFilterText(filled))).toBe(
          JSON.stringify(parseFilterText(`name=in.${texts.map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`).join(',')}`)),
        );
        expect(parseFilterText(filled)).toMatchObject({ values: texts.map((value) => ({ text: value })) });
      }),
      RUNS,
    );
  });

  it('leave the filter out when the input has no value', () => {
    expect(fillWith('name=eq.?:x', [])).toBeUndefined();
  });
});

describe('days of an app', () => {
  it.each([
    ['today', '2024-03-31'],
    ['today-1m', '2024-02-29'],
    ['today+1d', '2024-04-01'],
    ['today-2w', '2024-03-17'],
    ['this-quarter', '2024-01-01'],
    ['this-year', '2024-01-01'],
    ['this-month', '2024-03-01'],
  ])('resolve %s', (text, day) => {
    expect(resolveRelative(text, '2024-03-31')).toBe(day);
  });

  it('begin when the clocks of the time zone show midnight', () => {
    expect(startOfDay('2024-07-01', 'Europe/Berlin')).toBe('2024-06-30T22:00:00Z');
    expect(wallTime('2024-06-30T22:00:00Z', 'Europe/Berlin')).toBe('2024-07-01T00:00:00');
  });
});

describe('ticks of charts', () => {
  it('are at most five, and include all values', () => {
    const value = fc.integer({ min: -1e9, max: 1e9 }).map((hundredths) => hundredths / 100);
    fc.assert(
      fc.property(fc.array(value, { minLength: 1 }), (values) => {
        const { domain, ticks } = valueScale(values, true);
        expect(ticks.length).toBeLessThanOrEqual(5);
        expect(Math.min(...values)).toBeGreaterThanOrEqual(domain[0]);
        expect(Math.max(...values)).toBeLessThanOrEqual(domain[1]);
      }),
      RUNS,
    );
  });

  it('are round dates between the first and the last', () => {
    const date = fc.date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(date, date, (a, b) => {
        const [first, last] = a < b ? [a, b] : [b, a];
        const { ticks } = timeTicks(first, last);
        expect(ticks.length).toBeLessThanOrEqual(5);
        for (const tick of ticks) expect(tick >= first && tick <= last).toBe(true);
      }),
      RUNS,
    );
  });

  it('leave a gap for a month without rows', () => {
    const { dates, unit } = timeBands(['2024-01-01', '2024-02-01', '2024-05-01'].map((day) => new Date(day)));
    expect([unit, dates.length]).toEqual(['month', 5]);
  });
});
