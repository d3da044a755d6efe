/**
 * The exact JSON reader: equal to JSON.parse where that is exact, exact elsewhere, and quick to
 * reject hostile input.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type JsonCell,
  JsonDepthError,
  JsonError,
  JsonNumber,
  JsonReader,
  parseJson,
  parseRows,
  RawJson,
  RowsReader,
  writeJson,
} from '../../src/util/json/json.ts';
import { Decimal, type PlainValue } from '../../src/util/text/decimal.ts';
import { cpuMs } from '../support/cpu.ts';
import { times } from '../support/times.ts';

const LIMITS = { maxDepth: 64 };
const parse = (text: string) => parseJson(Buffer.from(text), LIMITS);

/** The value that JSON.parse would return. */
function rounded(value: PlainValue): unknown {
  if (value instanceof Decimal) return value.toNumber();
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(rounded);
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, member]) => [key, rounded(member)]));
  return value;
}

interface Row {
  readonly index: number;
  readonly keys: readonly string[];
  readonly values: JsonCell[];
}

function rows(text: string): Row[] {
  const read: Row[] = [];
  const count = parseRows(Buffer.from(text), LIMITS, (index, keys, row) => {
    read.push({ index, keys, values: keys.map((_, i) => row.cell(i)) });
  });
  expect(count).toBe(read.length);
  return read;
}

function jsonCell(cell: JsonCell): string {
  return cell instanceof JsonNumber || cell instanceof RawJson ? cell.text : JSON.stringify(cell);
}

const anyJson = fc.json({ maxDepth: 5, stringUnit: 'binary' });
const space = fc.constantFrom(undefined, 1, '\t', '\n');

describe('against JSON.parse', () => {
  it('takes the same documents for the same values', () => {
    fc.assert(
      fc.property(anyJson, space, (document, indent) => {
        const text = JSON.stringify(JSON.parse(document), null, indent);
        expect(rounded(parse(text))).toStrictEqual(JSON.parse(text));
      }),
      { numRuns: times(300, 2000) },
    );
  });

  it('takes and refuses the same mutilated documents', () => {
    const mutilated = fc.tuple(
      anyJson,
      fc.nat(),
      fc.constantFrom('', '"', '\\', '{', '}', '[', ']', ',', ':', '0', '-', '.', 'e', 'n', '\n', '\u0001'),
    );
    fc.assert(
      fc.property(mutilated, ([document, at, piece]) => {
        const position = at % (document.length + 1);
        const text = Buffer.from(document.slice(0, position) + piece + document.slice(position + 1)).toString();
        let wanted: unknown;
        try {
          wanted = JSON.parse(text);
        } catch {
          expect(() => parse(text)).toThrow(JsonError);
          return;
        }
        try {
          expect(rounded(parse(text))).toStrictEqual(wanted);
        } catch (error) {
          expect(error).toBeInstanceOf(JsonError);
          expect((error as JsonError).reason).toMatch(/duplicate key|surrogate/);
        }
      }),
      { numRuns: times(500, 5000) },
    );
  });

  it('finds whatever ends a text, in every place of it', () => {
    for (let place = 0; place < 9; place++)
      for (let code = 0; code < 256; code++) {
        const text = `[{"a":"${'x'.repeat(place)}${String.fromCharCode(code)}${'y'.repeat(8 - place)}","b":"é"}]`;
        let wanted: [{ readonly a: string; readonly b: string }] | undefined;
        try {
          wanted = JSON.parse(text);
        } catch {
          expect(() => rows(text), text).toThrow(JsonError);
          continue;
        }
        expect(rows(text), text).toEqual(wanted?.map(({ a, b }) => ({ index: 0, keys: ['a', 'b'], values: [a, b] })));
      }
  });

  it('takes the same characters for white space, however much of it there is', () => {
    for (let place = 60; place < 80; place++)
      for (let code = 0; code < 256; code++) {
        const text = `[${' \n\t\r'.repeat(place).slice(0, place)}${String.fromCharCode(code)}${' '.repeat(80 - place)}{"a":"é"}]`;
        let wanted: unknown;
        try {
          wanted = JSON.parse(text);
        } catch {
          expect(() => parse(text), text).toThrow(JsonError);
          continue;
        }
        expect(rounded(parse(text)), text).toStrictEqual(wanted);
      }
  });

  it('reads the same piece by piece', () => {
    fc.assert(
      fc.property(anyJson, space, fc.integer({ min: 1, max: 40 }), (document, indent, piece) => {
        const bytes = Buffer.from(JSON.stringify(JSON.parse(document), null, indent));
        const reader = new JsonReader(bytes, LIMITS);
        for (let until = piece; !reader.read(until); until = reader.at + piece);
        expect(reader.value).toStrictEqual(parseJson(bytes, LIMITS));
      }),
      { numRuns: times(300, 2000) },
    );
  });

  it('reads the same rows piece by piece', () => {
    const long = fc.constantFrom('[1,{"a":"b"}],', 'é\\n', '\\ud83d\\ude00', '😀x', 'plain ').map((unit) => unit.repeat(20_000));
    const cell = fc.oneof(
      fc.integer().map(String),
      fc.json({ maxDepth: 4 }),
      fc.constant(`[${'[1,{"a":"b"}],'.repeat(20_000)}2]`),
      long.map((text) => JSON.stringify(text)),
      long.map((text) => `"${text.replaceAll('"', '')}"`),
      long.map((text) => `[${'\n '.repeat(50_000)}"${text.replaceAll('"', '')}",{"a":"${text.replaceAll('"', '')}"}]`),
    );
    const row = fc.dictionary(fc.constantFrom('a', 'b', 'c'), cell, { maxKeys: 3 });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 4 }), fc.integer({ min: 1, max: 100_000 }), (given, piece) => {
        const text = `[${given.map((one) => `{${Object.entries(one).map(([key, value]) => `"${key}":${value}`)}}`).join()}]`;
        const found: Row[] = [];
        const reader = new RowsReader(Buffer.from(text), LIMITS, (index, keys, values) =>
          found.push({ index, keys, values: keys.map((_, i) => values.cell(i)) }),
        );
        for (let until = piece; !reader.read(until); until = reader.at + piece);
        expect(found).toStrictEqual(rows(text));
      }),
      { numRuns: times(20, 100) },
    );
  });

  it('writes what it has read', () => {
    fc.assert(
      fc.property(anyJson, (document) => {
        const value = parse(document);
        expect(parse(writeJson(value))).toStrictEqual(value);
        expect(JSON.parse(writeJson(value))).toStrictEqual(JSON.parse(document));
      }),
      { numRuns: times(200, 1000) },
    );
  });
});

describe('exactness', () => {
  const exact = [
    '9007199254740993',
    '-9007199254740993',
    '18446744073709551615',
    '0.10',
    '1e400',
    '1E-400',
    '-0',
    '-0.0',
    '100.00',
    '3.14159265358979323846',
  ];

  it.each(exact)('%s keeps its digits', (text) => {
    expect(writeJson(parse(text))).toBe(text);
    expect(rows(`[{"a":${text}}]`)[0]?.values[0]).toStrictEqual(new JsonNumber(text, /^-?\d+$/.test(text)));
  });

  it('has ints, bigints and decimals', () => {
    expect(parse('9007199254740991')).toBe(9007199254740991);
    expect(parse('9007199254740992')).toBe(9007199254740992n);
    expect(parse('1.0')).toStrictEqual(new Decimal('1.0'));
    expect(parse('1e2')).toStrictEqual(new Decimal('1e2'));
  });

  it('writes loose decimals in the form of JSON', () => {
    const loose = [new Decimal('+1.5'), new Decimal('.5'), new Decimal('-007.'), new Decimal('NaN'), new Decimal('.')];
    expect(writeJson(loose)).toBe('[1.5,0.5,-7,"NaN","."]');
  });

  it('keeps names that objects have of their own', () => {
    expect(parse('{"__proto__":1,"constructor":2}')).toStrictEqual(
      new Map([
        ['__proto__', 1],
        ['constructor', 2],
      ]),
    );
  });
});

describe('refusals', () => {
  it.each([
    ['{"a":1,"a":2}', 'duplicate key "a"', 7],
    ['{"a":1,"\\u0061":2}', 'duplicate key "a"', 7],
    ['"\\ud800"', 'half of a surrogate pair', 1],
    ['"\\udc00\\ud800"', 'half of a surrogate pair', 1],
    ['"a\\x"', 'an unknown escape', 2],
    ['"abc', 'a string without its closing quote', 4],
    ['"a\tb"', 'a control character in a string (write it as an escape)', 2],
    ['[1,]', '"]" where a value should be', 3],
    ['{"a" 1}', '"1" where a colon should be', 5],
    ['{a:1}', '"a" where a key should be', 1],
    ['01', '"1" where the end should be', 1],
    ['1.', 'the text ends where a digit should be', 2],
    ['', 'the text ends where a value should be', 0],
    ['[1 2]', '"2" where a comma or ] should be', 3],
    ['nul', '"n" where a value should be', 0],
    ['NaN', '"N" where a value should be', 0],
  ])('%s', (text, reason, position) => {
    try {
      parse(text);
    } catch (error) {
      expect(error).toBeInstanceOf(JsonError);
      expect(error).toMatchObject({ reason, position });
      return;
    }
    throw new Error('was taken');
  });

  it('a whole number that would take long to convert', () => {
    expect(() => parse('1'.repeat(4301))).toThrow('a whole number of more than 4300 digits');
  });

  it('names line and column', () => {
    expect(() => parse('{\n  "a": x\n}')).toThrow('"x" where a value should be at line 2, column 8');
  });

  it('bytes that are no UTF-8', () => {
    expect(() => parseJson(Buffer.from([0x22, 0xff, 0x22]), LIMITS)).toThrow('not valid UTF-8');
    expect(() => parseJson(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), LIMITS)).toThrow('not valid UTF-8');
  });

  it('ignores a byte order mark', () => {
    expect(parse('\ufeff{"a":"é"}')).toStrictEqual(new Map([['a', 'é']]));
  });

  it('the last of a repeated key, when asked to', () => {
    expect(parseJson(Buffer.from('{"a":1,"a":2}'), { maxDepth: 64, repeatedKeys: 'last' })).toStrictEqual(new Map([['a', 2]]));
  });
});

describe('hostile input', () => {
  const MEBIBYTE = 1024 * 1024;
  const SLICE = 64 * 1024;
  const KEYS = times(30_000, 200_000);

  it('refuses a key that is longer than any', () => {
    const longest = 'k'.repeat(MEBIBYTE - 1);
    expect(parse(`{"${longest}":1}`)).toStrictEqual(new Map([[longest, 1]]));
    for (const key of [`${longest}kk`, '\\n'.repeat(MEBIBYTE), 'é'.repeat(MEBIBYTE)]) {
      expect(() => parse(`{"${key}":1}`)).toThrow('a key of more than 1048576 bytes at line 1, column 3');
      expect(() => rows(`[{"${key}":1}]`)).toThrow('a key of more than 1048576 bytes');
      expect(() => rows(`[{"a":{"${key}":1}}]`)).toThrow('a key of more than 1048576 bytes');
    }
  });

  function filled(before: string, unit: string, after: string): Buffer {
    const count = Math.floor((times(2, 16) * MEBIBYTE) / unit.length);
    return Buffer.concat([Buffer.from(before), Buffer.alloc(count * unit.length, unit), Buffer.from(after)]);
  }

  it('holds up nobody with a row that has a document of many megabytes', () => {
    const bytes = filled('[{"a":[', '[1,{"a":"two"}],', '0]}]');
    expect(longestSlice(() => new RowsReader(bytes, LIMITS, () => {}))).toBeLessThan(60);
  });

  /**
   * CPU milliseconds of the longest slice, the best of several tries, since the first ones are not
   * compiled.
   */
  function longestSlice(open: () => { readonly at: number; read(until: number): boolean }): number {
    let best = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < 5; attempt++) {
      let longest = 0;
      const reader = open();
      for (let done = false; !done; )
        longest = Math.max(
          longest,
          cpuMs(() => {
            done = reader.read(reader.at + SLICE);
          }),
        );
      best = Math.min(best, longest);
    }
    return best;
  }

  it.each([
    ['white space', '[{"a":', ' \n', '1}]'],
    ['a text with escapes', '[{"a":"', '\\n', '"}]'],
    ['a text of long characters', '[{"a":"', '\\u00e9', '"}]'],
    ['a plain text in a document', '[{"a":["', 'x', '"]}]'],
    ['a text with escapes in a document', '[{"a":["', '\\n', '"]}]'],
  ])('holds up nobody with %s of many megabytes', (_, before, unit, after) => {
    const bytes = filled(before, unit, after);
    expect(longestSlice(() => new RowsReader(bytes, LIMITS, () => {}))).toBeLessThan(60);
    expect(longestSlice(() => new JsonReader(bytes, LIMITS))).toBeLessThan(60);
  });

  const nest = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

  it('nests to the limit and no further', () => {
    expect(() => parse(nest(64))).not.toThrow();
    expect(() => parse(nest(65))).toThrow(JsonDepthError);
    expect(() => rows(`[{"a":${nest(62)}}]`)).not.toThrow();
    expect(() => rows(`[{"a":${nest(63)}}]`)).toThrow(JsonDepthError);
  });

  it.each([
    ['brackets', '['.repeat(100_000)],
    ['objects', '{"a":'.repeat(100_000)],
    ['in a row', `[{"a":${'[{"b":'.repeat(100_000)}`],
    ['closed', nest(100_000)],
  ])('refuses deep nesting at once: %s', (_, text) => {
    expect(() => parse(text)).toThrow(JsonDepthError);
    expect(() => parseRows(Buffer.from(text), LIMITS, () => {})).toThrow(JsonError);
  });

  it('bounds the depth even when the caller does not', () => {
    expect(() => parseJson(Buffer.from(nest(100_000)), { maxDepth: Number.POSITIVE_INFINITY })).toThrow(JsonDepthError);
  });

  it('reads an object of many keys in time that grows with its size', () => {
    const object = `{${Array.from({ length: KEYS }, (_, i) => `"k${i}":${i}`).join()}}`;
    const start = performance.now();
    expect((parse(object) as Map<string, PlainValue>).size).toBe(KEYS);
    expect(rows(`[${object}]`)[0]?.keys).toHaveLength(KEYS);
    expect(() => rows(`[${object.slice(0, -1)},"k7":1}]`)).toThrow('duplicate key "k7" in row 0');
    expect(performance.now() - start).toBeLessThan(30_000);
  });
});

describe('rows', () => {
  it('delivers values as they were sent', () => {
    const [row] = rows('[ {"n": 1.50, "s": "a\\n\\u00e9", "t": true, "f": false, "z": null, "j": { "x" : [1, 1] }, "l": [ ] } ]');
    expect(row?.keys).toStrictEqual(['n', 's', 't', 'f', 'z', 'j', 'l']);
    expect(row?.values).toStrictEqual([
      new JsonNumber('1.50', false),
      'a\né',
      true,
      false,
      null,
      new RawJson('{ "x" : [1, 1] }'),
      new RawJson('[ ]'),
    ]);
  });

  it('gives rows of one shape one array of keys', () => {
    const read = rows('[{"a":1,"b":2},{"a":3,"b":4},{"b":5},{"a":6,"b":7},{"b":8},{},{"a":1,"b":2,"c":3},{"a":9}]');
    expect(read.map(({ keys }) => keys.join())).toStrictEqual(['a,b', 'a,b', 'b', 'a,b', 'b', '', 'a,b,c', 'a']);
    expect(read[1]?.keys).toBe(read[0]?.keys);
    expect(read[3]?.keys).toBe(read[0]?.keys);
    expect(read[4]?.keys).toBe(read[2]?.keys);
    expect(read.map(({ values }) => values.length)).toStrictEqual([2, 2, 1, 2, 1, 0, 3, 1]);
  });

  it('does not take a key with escapes for its text', () => {
    const read = rows('[{"a\\\\b":1},{"a\\b":2},{"a\\\\b":3},{"x\\"":4},{"x\\"":5}]');
    expect(read.map(({ keys }) => keys[0])).toStrictEqual(['a\\b', 'a\b', 'a\\b', 'x"', 'x"']);
    expect(() => rows('[{"x\\"y":1},{"x"y":2}]')).toThrow(JsonError);
  });

  it.each([
    ['{}', 'the body must be an array of objects'],
    ['[1]', 'row 0 is not an object'],
    ['[{},[]]', 'row 1 is not an object'],
    ['[{}', 'the text ends where a comma or ] should be'],
    ['[{},]', 'row 1 is not an object'],
    ['[{"a":1,}]', '"}" where a key should be'],
    ['[{"a":1,"b":2},{"a":1,"a":2}]', 'duplicate key "a" in row 1'],
    ['[{"a":[1,]}]', '"]" where a value should be'],
    ['[{}] x', '"x" where the end should be'],
  ])('refuses %s', (text, reason) => {
    expect(() => rows(text)).toThrow(reason);
  });

  it('has no rows', () => {
    expect(rows(' [ ] ')).toStrictEqual([]);
  });

  it('reads any list of objects as JSON.parse does', () => {
    const object = fc.dictionary(
      fc.oneof(fc.constantFrom('a', 'b', 'c', '"', '\\'), fc.string({ unit: 'binary' })),
      fc.jsonValue({ maxDepth: 3 }),
    );
    fc.assert(
      fc.property(fc.array(object, { maxLength: 8 }), space, (list, indent) => {
        const text = JSON.stringify(list, null, indent);
        const again = rows(text).map(
          ({ keys, values }) => `{${keys.map((key, i) => `${JSON.stringify(key)}:${jsonCell(values[i] ?? null)}`)}}`,
        );
        expect(JSON.parse(`[${again}]`)).toStrictEqual(JSON.parse(text));
      }),
      { numRuns: times(300, 2000) },
    );
  });
});
