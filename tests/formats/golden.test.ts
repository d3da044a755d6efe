/** One row of every kind in the five formats, byte by byte (BSON through the library). */
import { Binary, Decimal128, Long } from 'bson';
import { describe, expect, it } from 'vitest';
import type { Format } from '../../src/formats/format.ts';
import { FORMATS, formatByName } from '../../src/formats/index.ts';
import type { ResultColumn } from '../../src/model/cells.ts';
import type { Kind } from '../../src/model/table.ts';
import { readBsonRows, type TestCell, writeRows } from './support.ts';

function format(name: string): Format {
  const found = formatByName(name);
  if (found === undefined) throw new Error(`no format ${name}`);
  return found;
}

interface Golden {
  readonly kind: Kind;
  readonly cell: TestCell;
  readonly json: string;
  readonly xml: string;
  readonly yaml: string;
  readonly csv: string;
  readonly bson: unknown;
}

/** A cell with the same text in all text formats. */
function number(kind: Kind, cell: string, bson: unknown): Golden {
  return { kind, cell, json: cell, xml: cell, yaml: cell, csv: cell, bson };
}

function quoted(kind: Kind, cell: string, bson: unknown = cell): Golden {
  return { kind, cell, json: `"${cell}"`, xml: cell, yaml: `"${cell}"`, csv: cell, bson };
}

const decimal = (text: string) => Decimal128.fromString(text);

const GOLDEN: readonly Golden[] = [
  number('int', '0', 0),
  number('int', '-1', -1),
  number('int', '2147483647', 2147483647),
  number('int', '-2147483648', -2147483648),
  number('int', '2147483648', Long.fromString('2147483648')),
  number('int', '-2147483649', Long.fromString('-2147483649')),
  number('int', '9007199254740993', Long.fromString('9007199254740993')),
  number('int', '9223372036854775807', Long.fromString('9223372036854775807')),
  number('int', '-9223372036854775808', Long.fromString('-9223372036854775808')),
  number('int', '18446744073709551615', decimal('18446744073709551615')),
  number('int', '-9999999999999999999999999999999999', decimal('-9999999999999999999999999999999999')),
  number('int', '10000000000000000000000000000000000', '10000000000000000000000000000000000'),
  number('decimal', '0.10', decimal('0.10')),
  number('decimal', '-0.00', decimal('-0.00')),
  number('decimal', '123456789012345.6789', decimal('123456789012345.6789')),
  number('decimal', '0.000000000000000000000000000000000001', decimal('1E-36')),
  number('decimal', '1.2345678901234567890123456789012345678', '1.2345678901234567890123456789012345678'),
  number('decimal', '1.50000000000000000000000000000000000000000', decimal('1.500000000000000000000000000000000')),
  { ...quoted('decimal', 'NaN'), bson: decimal('NaN') },
  { ...quoted('decimal', '-Infinity'), bson: decimal('-Infinity') },
  number('float', '1.5', 1.5),
  number('float', '-0.0', -0),
  { ...number('float', '1e21', 1e21), yaml: '1.0e+21' },
  { ...number('float', '1.5e-07', 1.5e-7), yaml: '1.5e-07' },
  quoted('float', 'NaN', Number.NaN),
  quoted('float', 'Infinity', Number.POSITIVE_INFINITY),
  quoted('float', '-Infinity', Number.NEGATIVE_INFINITY),
  { ...number('bool', 't', true), json: 'true', xml: 'true', yaml: 'true', csv: 'true' },
  { ...number('bool', 'f', false), json: 'false', xml: 'false', yaml: 'false', csv: 'false' },
  { kind: 'text', cell: 'plain text', json: '"plain text"', xml: 'plain text', yaml: 'plain text', csv: 'plain text', bson: 'plain text' },
  { kind: 'text', cell: '', json: '""', xml: '', yaml: '""', csv: '""', bson: '' },
  {
    kind: 'text',
    cell: 'a"b,<c>&\\',
    json: '"a\\"b,<c>&\\\\"',
    xml: 'a"b,&lt;c&gt;&amp;\\',
    yaml: '"a\\"b,<c>&\\\\"',
    csv: '"a""b,<c>&\\"',
    bson: 'a"b,<c>&\\',
  },
  {
    kind: 'text',
    cell: 'x\r\n\ty\0',
    json: '"x\\r\\n\\ty\\u0000"',
    xml: 'x&#13;\n\ty\ufffd',
    yaml: '"x\\r\\n\\ty\\0"',
    csv: '"x\r\n\ty\0"',
    bson: 'x\r\n\ty\0',
  },
  {
    kind: 'text',
    cell: 'Zürich 東京 😀',
    json: '"Zürich 東京 😀"',
    xml: 'Zürich 東京 😀',
    yaml: '"Zürich 東京 😀"',
    csv: 'Zürich 東京 😀',
    bson: 'Zürich 東京 😀',
  },
  {
    kind: 'text',
    cell: Buffer.from([0x61, 0xff, 0xe2, 0x82, 0x62]),
    json: '"a\ufffd\ufffdb"',
    xml: 'a\ufffd\ufffdb',
    yaml: '"a\ufffd\ufffdb"',
    csv: 'a\ufffd\ufffdb',
    bson: 'a\ufffd\ufffdb',
  },
  { kind: 'text', cell: '=1+1', json: '"=1+1"', xml: '=1+1', yaml: '"=1+1"', csv: '=1+1', bson: '=1+1' },
  { kind: 'enum', cell: 'no', json: '"no"', xml: 'no', yaml: '"no"', csv: 'no', bson: 'no' },
  { kind: 'set', cell: 'a,b', json: '"a,b"', xml: 'a,b', yaml: 'a,b', csv: '"a,b"', bson: 'a,b' },
  quoted('uuid', '3e4666bf-d5e5-4aa7-b8ce-cefe41c7568a'),
  quoted('date', '2024-02-29'),
  quoted('time', '12:34:56.789'),
  quoted('timestamp', '2024-02-29T12:34:56.789123', new Date('2024-02-29T12:34:56.789Z')),
  quoted('timestamptz', '2024-02-29T12:34:56Z', new Date('2024-02-29T12:34:56Z')),
  quoted('timestamptz', '2024-02-29T12:34:56.5+05:30', new Date('2024-02-29T07:04:56.500Z')),
  quoted('timestamptz', '1969-12-31T23:59:59.999Z', new Date(-1)),
  quoted('timestamptz', '0001-01-01T00:00:00Z', new Date('0001-01-01T00:00:00Z')),
  quoted('timestamptz', 'infinity'),
  quoted('timestamp', '0044-03-15T12:00:00 BC'),
  quoted('timestamp', '0000-00-00T00:00:00'),
  quoted('timestamp', '294276-12-31T23:59:59'),
  {
    kind: 'json',
    cell: '{"a": [1, "x"]}',
    json: '{"a": [1, "x"]}',
    xml: '{"a": [1, "x"]}',
    yaml: '{"a":[1,"x"]}',
    csv: '"{""a"": [1, ""x""]}"',
    bson: { a: [1, 'x'] },
  },
  {
    kind: 'json',
    cell: '[9007199254740993, 0.10]',
    json: '[9007199254740993, 0.10]',
    xml: '[9007199254740993, 0.10]',
    yaml: '[9007199254740993,0.10]',
    csv: '"[9007199254740993, 0.10]"',
    bson: [Long.fromString('9007199254740993'), decimal('0.10')],
  },
  { kind: 'json', cell: 'null', json: 'null', xml: 'null', yaml: 'null', csv: 'null', bson: null },
  {
    kind: 'bytes',
    cell: Buffer.from([0, 255, 128, 1]),
    json: '"AP+AAQ=="',
    xml: 'AP+AAQ==',
    yaml: '"AP+AAQ=="',
    csv: 'AP+AAQ==',
    bson: new Binary(Buffer.from([0, 255, 128, 1])),
  },
  { kind: 'bytes', cell: Buffer.alloc(0), json: '""', xml: '', yaml: '""', csv: '""', bson: new Binary(Buffer.alloc(0)) },
  quoted('other', '1 day 02:00:00'),
  { kind: 'text', cell: null, json: 'null', xml: 'NIL', yaml: 'null', csv: '', bson: null },
];

describe('a cell', () => {
  for (const { kind, cell, ...expected } of GOLDEN) {
    const columns: ResultColumn[] = [{ name: 'c', kind }];
    const write = (name: string) => writeRows(format(name), columns, [[cell]]);
    it(`is written byte by byte when it is ${kind} ${JSON.stringify(cell?.toString() ?? null)}`, () => {
      expect(write('json').toString()).toBe(`[{"c":${expected.json}}]`);
      const element = expected.xml === 'NIL' ? '<c nil="true"/>' : `<c>${expected.xml}</c>`;
      expect(write('xml').toString()).toBe(`<?xml version="1.0" encoding="UTF-8"?><response><row>${element}</row></response>`);
      expect(write('yaml').toString()).toBe(`- c: ${expected.yaml}\n`);
      expect(write('csv').toString()).toBe(`c\r\n${expected.csv}\r\n`);
      expect(readBsonRows(write('bson'))).toStrictEqual([{ c: expected.bson }]);
    });
  }
});

describe('a document', () => {
  const columns: ResultColumn[] = [
    { name: 'id', kind: 'int' },
    { name: 'first name', kind: 'text' },
  ];
  const rows = [
    ['1', 'Ada'],
    ['2', null],
  ];

  it('holds two rows in every format', () => {
    const write = (name: string) => writeRows(format(name), columns, rows);
    expect(write('json').toString()).toBe('[{"id":1,"first name":"Ada"},{"id":2,"first name":null}]');
    expect(write('xml').toString()).toBe(
      '<?xml version="1.0" encoding="UTF-8"?><response><row><id>1</id><column name="first name">Ada</column></row>' +
        '<row><id>2</id><column name="first name" nil="true"/></row></response>',
    );
    expect(write('yaml').toString()).toBe('- id: 1\n  first name: Ada\n- id: 2\n  first name: null\n');
    expect(write('csv').toString()).toBe('id,first name\r\n1,Ada\r\n2,\r\n');
    expect(readBsonRows(write('bson'))).toStrictEqual([
      { id: 1, 'first name': 'Ada' },
      { id: 2, 'first name': null },
    ]);
  });

  it('is valid without rows in every format', () => {
    const write = (name: string) => writeRows(format(name), columns, []);
    expect(write('json').toString()).toBe('[]');
    expect(write('xml').toString()).toBe('<?xml version="1.0" encoding="UTF-8"?><response></response>');
    expect(write('yaml').toString()).toBe('[]\n');
    expect(write('csv').toString()).toBe('id,first name\r\n');
    expect(readBsonRows(write('bson'))).toStrictEqual([]);
  });

  it('repeats a column name that occurs twice', () => {
    const twice: ResultColumn[] = [
      { name: 'a', kind: 'int' },
      { name: 'a', kind: 'int' },
    ];
    expect(writeRows(format('json'), twice, [['1', '2']]).toString()).toBe('[{"a":1,"a":2}]');
  });

  it('numbers the rows of a long BSON array', () => {
    const many = Array.from({ length: 1201 }, (_, i) => [String(i), 'x']);
    const read = readBsonRows(writeRows(format('bson'), columns, many));
    expect(read.map(({ id }) => id)).toStrictEqual(many.map(([id]) => Number(id)));
  });

  it('has no head when it is too large for BSON', () => {
    expect(
      format('bson')
        .head?.(2 ** 31 - 15)
        ?.readInt32LE(0),
    ).toBe(2 ** 31 - 1);
    expect(format('bson').head?.(2 ** 31 - 14)).toBeUndefined();
  });
});

describe('the table of formats', () => {
  it('has the content types of the specification', () => {
    expect([...FORMATS].map(([name, { contentType }]) => [name, contentType])).toStrictEqual([
      ['json', 'application/json; charset=utf-8'],
      ['xml', 'application/xml; charset=utf-8'],
      ['yaml', 'application/x-yaml; charset=utf-8'],
      ['csv', 'text/csv; charset=utf-8'],
      ['bson', 'application/bson'],
    ]);
  });

  it('has no other names', () => {
    expect(formatByName('toml')).toBeUndefined();
    expect(formatByName('constructor')).toBeUndefined();
  });
});
