/** Any string under any column name, written and then read back by independent readers. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bson } from '../../src/formats/bson.ts';
import { csv } from '../../src/formats/csv.ts';
import { json } from '../../src/formats/json.ts';
import { xml } from '../../src/formats/xml.ts';
import { yaml } from '../../src/formats/yaml.ts';
import type { ResultColumn } from '../../src/model/cells.ts';
import { readBsonRows, readCsv, readXml, writeRows, xmlColumn, yamlEntries } from './support.ts';

/** Strings that formats often get wrong. */
const TROUBLE = [
  ...[
    '',
    ' ',
    'a ',
    ' a',
    '~',
    'null',
    'Null',
    'y',
    'N',
    'yes',
    'No',
    'on',
    'OFF',
    'true',
    'False',
    'nan',
    '.nan',
    'inf',
    '-.inf',
    'e0',
    'E-5',
    'e-mail',
  ],
  ...['1', '-1', '0777', '0o17', '0x1F', '0b1', '1_000', '1e3', '1.', '.5', '1:30', '190:20:30', '2024-01-01', '2024-01-01T00:00:00Z'],
  ...[
    '- a',
    '? a',
    'a: b',
    'a #b',
    '#a',
    '&a',
    '*a',
    '!a',
    '|',
    '>',
    '%a',
    '@a',
    '`a',
    '{a}',
    '[a]',
    '"a"',
    "'a'",
    '---',
    '...',
    '<<',
    '=',
    ',',
  ],
  ...[
    'a\nb',
    'a\r\nb',
    '\r',
    '\t',
    'a\tb',
    '\u0000',
    '\u0007',
    '\u001b',
    '\u007f',
    '\u0085',
    '\u009f',
    '\u00a0',
    '\u2028',
    '\u2029',
    '\ufeff',
  ],
  ...[
    '\ufffe',
    '\uffff',
    '\ud7ff',
    '\ue000',
    '😀',
    '\u{10ffff}',
    '__proto__',
    'constructor',
    '_bsontype',
    'toString',
    '$ref',
    '$id',
    'a.b',
  ],
  ...[
    '<a>',
    '&amp;',
    ']]>',
    '<!--',
    '<?xml?>',
    'xml',
    'xmlfoo',
    'a:b',
    '1st',
    '-a',
    '.a',
    'été',
    'a b',
    'value',
    'column',
    'row',
    '=cmd|x',
  ],
  ...['\\', '\\n', '"', '""', "''", '\\"', '\\u0041', 'x'.repeat(1100), 'é'.repeat(600), 'nul', 'nulls', 'yess', 'Infinity', 'NaN'],
];
const text = fc.oneof(fc.constantFrom(...TROUBLE), fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.string());
const words = fc.stringMatching(/^[A-Za-z][A-Za-z0-9 _.,-]{0,6}$/);
const anyText = fc.oneof(text, words);

interface Sheet {
  readonly names: string[];
  readonly rows: (string | null)[][];
}

const sheet: fc.Arbitrary<Sheet> = fc.uniqueArray(anyText, { minLength: 1, maxLength: 5 }).chain((names) =>
  fc.record({
    names: fc.constant(names),
    rows: fc.array(fc.array(fc.option(anyText), { minLength: names.length, maxLength: names.length }), { maxLength: 4 }),
  }),
);

const textColumns = (names: readonly string[]): ResultColumn[] => names.map((name) => ({ name, kind: 'text' }));
const entries = ({ names, rows }: Sheet) => rows.map((row) => row.map((cell, index) => [names[index], cell]));
const RUNS = { numRuns: 1000 };

/** Replaces characters that XML cannot hold. */
const legal = (value: string) => value.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');

describe('any text under any name', () => {
  it('reads back from JSON', () => {
    fc.assert(
      fc.property(sheet, ({ names, rows }) => {
        const document = writeRows(json, textColumns(names), rows).toString();
        const read = JSON.parse(document, undefined) as Record<string, string | null>[];
        const wanted = rows.map((row) => Object.fromEntries(row.map((cell, index) => [names[index], cell])));
        expect(read).toStrictEqual(JSON.parse(JSON.stringify(wanted)));
        expect(document).toBe(`[${rows.map((row) => `{${row.map((cell, i) => `${JSON.stringify(names[i])}:${JSON.stringify(cell)}`)}}`)}]`);
      }),
      RUNS,
    );
  });

  it('reads back from CSV', () => {
    fc.assert(
      fc.property(sheet, ({ names, rows }) => {
        expect(readCsv(writeRows(csv, textColumns(names), rows).toString())).toStrictEqual([names, ...rows]);
      }),
      RUNS,
    );
  });

  it('reads back from XML', () => {
    fc.assert(
      fc.property(sheet, ({ names, rows }) => {
        const root = readXml(writeRows(xml, textColumns(names), rows).toString());
        expect(root.name).toBe('response');
        const read = root.children.map((row) => row.children.map(xmlColumn));
        expect(read).toStrictEqual(
          rows.map((row) => row.map((cell, index) => [legal(names[index] ?? ''), cell === null ? null : legal(cell)])),
        );
      }),
      RUNS,
    );
  });

  for (const version of ['1.1', '1.2'] as const) {
    it(`reads back from YAML ${version}`, () => {
      fc.assert(
        fc.property(sheet, (page) => {
          expect(yamlEntries(writeRows(yaml, textColumns(page.names), page.rows).toString(), version)).toStrictEqual(entries(page));
        }),
        RUNS,
      );
    });
  }

  it('reads back from BSON', () => {
    fc.assert(
      fc.property(sheet, ({ names, rows }) => {
        const keys = names.map((name) => name.replaceAll('\0', '\ufffd'));
        fc.pre(new Set(keys).size === keys.length && !keys.includes('$ref'));
        const read = readBsonRows(writeRows(bson, textColumns(names), rows));
        const sorted = (pairs: [string, unknown][]) => pairs.sort(([a], [b]) => (a < b ? -1 : 1));
        expect(read.map((row) => sorted(Object.entries(row)))).toStrictEqual(
          rows.map((row) => sorted(row.map((cell, index) => [keys[index] ?? '', cell]))),
        );
      }),
      RUNS,
    );
  });
});

describe('any bytes as text', () => {
  it('have invalid UTF-8 replaced in the same way as the platform does', () => {
    const bytes = fc.uint8Array({ maxLength: 12 }).map((array) => Buffer.from(array));
    const highBytes = fc.array(fc.constantFrom(0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0xed, 0xa0, 0xc0, 0xff, 0x61, 0xf4, 0x90), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(
        fc.oneof(
          bytes,
          highBytes.map((array) => Buffer.from(array)),
        ),
        (cell) => {
          const columns = textColumns(['c']);
          const wanted = cell.toString('utf8');
          expect(JSON.parse(writeRows(json, columns, [[cell]]).toString('utf8'))).toStrictEqual([{ c: wanted }]);
          expect(readCsv(writeRows(csv, columns, [[cell]]).toString('utf8'))).toStrictEqual([['c'], [wanted]]);
          expect(yamlEntries(writeRows(yaml, columns, [[cell]]).toString('utf8'), '1.1')).toStrictEqual([[['c', wanted]]]);
          expect(readBsonRows(writeRows(bson, columns, [[cell]]))).toStrictEqual([{ c: wanted }]);
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('are the same base64 as the platform writes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (array) => {
        const cell = Buffer.from(array);
        expect(writeRows(json, [{ name: 'c', kind: 'bytes' }], [[cell]]).toString()).toBe(`[{"c":"${cell.toString('base64')}"}]`);
      }),
    );
    const large = Buffer.alloc(200_000, 7);
    expect(writeRows(json, [{ name: 'c', kind: 'bytes' }], [[large]]).toString()).toBe(`[{"c":"${large.toString('base64')}"}]`);
  });
});
