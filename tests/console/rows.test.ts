// Rows as slices of the response: they are what JSON.parse finds, with the digits of the text.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { showText, viewCell } from '../../console/views/data/rows/cell-text.ts';
import { layOut } from '../../console/views/data/rows/json-layout.ts';
import { readRows } from '../../console/views/data/rows/row-page.ts';
import { times } from '../support/times.ts';

const names = fc.uniqueArray(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 6 });
const rows = names.chain((columns) =>
  fc.array(fc.tuple(...columns.map(() => fc.jsonValue())), { maxLength: 8 }).map((values) => ({ columns, values })),
);
/** JSON whose members keep the order of the columns, also of columns such as `1`. */
const write = (columns: readonly string[], values: readonly (readonly unknown[])[], blank: string): string => {
  const objects = values.map(
    (row) => `{${row.map((value, at) => `${JSON.stringify(columns[at])}:${blank}${JSON.stringify(value)}`).join(`,${blank}`)}}`,
  );
  return `[${blank}${objects.join(`,${blank}`)}]`;
};

describe('readRows', () => {
  it('finds the text of every value', () => {
    fc.assert(
      fc.property(rows, fc.constantFrom('', ' ', '\n  '), ({ columns, values }, blank) => {
        const page = readRows(write(columns, values, blank));
        expect(page.rowCount).toBe(values.length);
        for (const [row, cells] of values.entries())
          for (const [column, value] of cells.entries()) expect(page.raw(row, column)).toBe(JSON.stringify(value));
      }),
      { numRuns: times(60, 5000), verbose: 1 },
    );
  });

  it('keeps digits, and finds columns in another order', () => {
    const page = readRows('[{"a":9007199254740993,"b":0.10},{"b":1e400,"a":-0}]');
    expect([page.raw(0, 0), page.raw(0, 1), page.raw(1, 0), page.raw(1, 1)]).toEqual(['9007199254740993', '0.10', '-0', '1e400']);
  });

  it.each(['', '{}', '[', '[{]', '[{"a"}]', '[{"a":1}', '[{"a":"x]', '[{"a":[1}]', '[1]'])('refuses %j', (text) => {
    expect(() => readRows(text)).toThrow('not a list of rows');
  });
});

describe('showText', () => {
  it('shows hidden characters by their code, and keeps emojis whole', () => {
    expect(showText('a\u202Eb\u200Bc\u00AD')).toBe('a⟨U+202E⟩b⟨U+200B⟩c⟨U+00AD⟩');
    expect(showText('x\r\ny\tz\u2028')).toBe('x⏎y⇥z⏎');
    expect(showText('👩‍💻 ❤️ é')).toBe('👩‍💻 ❤️ é');
  });

  it('cuts after 200 characters, none of them halved', () => {
    expect(showText('👍'.repeat(201))).toBe(`${'👍'.repeat(200)}…`);
    expect(showText('x'.repeat(200))).toBe('x'.repeat(200));
  });
});

describe('viewCell', () => {
  it.each([
    ['null', 'text', 'null', 'NULL'],
    ['"NULL"', 'text', 'text', 'NULL'],
    ['""', 'text', 'empty', '(empty)'],
    ['""', 'json', 'json', '""'],
    ['"AAEC/w=="', 'bytes', 'binary', '4 bytes'],
    ['"Infinity"', 'float', 'number', 'Infinity'],
    ['123456789012345678901234567890.10', 'decimal', 'number', '123456789012345678901234567890.10'],
  ] as const)('shows %s of a column of the kind %s as %s', (raw, kind, shown, text) => {
    expect(viewCell(raw, kind)).toEqual({ kind: shown, text });
  });
});

describe('layOut', () => {
  it('changes nothing but blanks between tokens', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify([value, 'x'.repeat(100), 9007199254740991]);
        expect(JSON.stringify(JSON.parse(layOut(text)))).toBe(text);
      }),
      { numRuns: times(60, 5000), verbose: 1 },
    );
  });
});
