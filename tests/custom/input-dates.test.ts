// Declared dates and timestamps, compared with the calendar of the runtime.
import { expect, test } from 'vitest';
import { compileCheck, type FieldProblem } from '../../src/custom/inputs/checks.ts';
import type { Declaration } from '../../src/custom/inputs/declaration.ts';

const two = (number: number): string => String(number).padStart(2, '0');

function accepts(type: Declaration['type']): (text: string) => boolean {
  const check = compileCheck({ type, required: true, nullable: false } as Declaration);
  return (text) => {
    const problems: FieldProblem[] = [];
    return check(text, 'text', 'field', problems) === text && problems.length === 0;
  };
}

const isDate = accepts('date');
const isTimestamp = accepts('timestamp');

/** As the runtime has it: a day that is not there is another one. */
function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

test.each([1, 1900, 1999, 2000, 2023, 2024, 2100, 9999])('every day of the year %i is valid, and no other', (year) => {
  for (let month = 0; month <= 13; month++)
    for (let day = 0; day <= 32; day++) {
      const text = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
      const isThere = month >= 1 && month <= 12 && day >= 1 && isDay(year, month, day);
      expect([text, isDate(text)]).toEqual([text, isThere]);
      expect([text, isTimestamp(`${text}T23:59:59.5+02:00`)]).toEqual([text, isThere]);
    }
});

test.each(['0000-01-01', '2024-1-1', '2024-01-01 ', ' 2024-01-01', '2024-01-01\n', '02024-01-01', '2024/01/01', '２０２４-01-01', ''])(
  '%j is no date',
  (text) => expect(isDate(text)).toBe(false),
);

test.each([
  '2024-01-01',
  '2024-01-01T24:00:00Z',
  '2024-01-01T12:60:00Z',
  '2024-01-01T12:00:00',
  '2024-01-01T12:00:00Z ',
  '2024-01-01 12:00:00Z',
])('%j is not a timestamp', (text) => expect(isTimestamp(text)).toBe(false));
