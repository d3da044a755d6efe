/**
 * Test support: cells made from text, documents made from rows, and strict readers for CSV and XML.
 * The readers reject everything that the standards do not allow.
 */
import { type DeserializeOptions, deserialize } from 'bson';
import { parse as parseYaml } from 'yaml';
import type { Format } from '../../src/formats/format.ts';
import type { Cells, ResultColumn } from '../../src/model/cells.ts';
import { ByteWriter } from '../../src/util/bytes/byte-writer.ts';
import type { PlainValue } from '../../src/util/text/decimal.ts';

export type TestCell = string | Buffer | null;

export function makeCells(row: readonly TestCell[]): Cells {
  const parts = row.map((cell) => (cell === null ? Buffer.alloc(0) : Buffer.from(cell)));
  // Bytes around the cells reveal a writer that reads beyond a cell.
  const bytes = Buffer.concat([Buffer.from('"<'), ...parts, Buffer.from('\\"\n')]);
  const from = new Int32Array(row.length);
  const to = new Int32Array(row.length);
  let at = 2;
  parts.forEach((part, index) => {
    from[index] = row[index] === null ? -1 : at;
    at += part.length;
    to[index] = at;
  });
  return { bytes, from, to };
}

/** Writes a whole document, in pieces of any size. */
export function writeRows(format: Format, columns: readonly ResultColumn[], rows: readonly (readonly TestCell[])[], limit = 64): Buffer {
  const pieces: Buffer[] = [];
  const out = new ByteWriter(limit, ({ bytes }) => pieces.push(bytes));
  const writer = format.rows(columns, out);
  for (const row of rows) {
    writer.row(makeCells(row));
    out.flushIfFull();
  }
  writer.end();
  return withHead(format, [...pieces, out.take().bytes]);
}

function withHead(format: Format, pieces: readonly Buffer[]): Buffer {
  const body = Buffer.concat(pieces);
  return Buffer.concat([format.head?.(body.length) ?? Buffer.alloc(0), body]);
}

export function writeValue(format: Format, value: PlainValue): Buffer {
  const pieces: Buffer[] = [];
  const out = new ByteWriter(64, ({ bytes }) => pieces.push(bytes));
  format.value(value, out);
  return withHead(format, [...pieces, out.take().bytes]);
}

/** Reads the rows of a BSON document, keeping 64-bit numbers. */
export function readBsonRows(
  bytes: Buffer,
  options: DeserializeOptions = { promoteLongs: false, promoteBuffers: false },
): Record<string, unknown>[] {
  const document = deserialize(bytes, options) as { rows: Record<string, unknown>[] };
  if (Object.keys(document).join() !== 'rows') throw new Error('more than rows');
  return document.rows;
}

/** Reads the keys and values of each row with a version of YAML. */
export function yamlEntries(document: string, version: '1.1' | '1.2'): unknown {
  const read: unknown = parseYaml(document, { version, mapAsMap: true, intAsBigInt: true });
  return (read as Map<string, unknown>[]).map((row) => [...row]);
}

/** Reads RFC 4180. An empty field without quotes is NULL. */
export function readCsv(text: string): (string | null)[][] {
  const rows: (string | null)[][] = [];
  let row: (string | null)[] = [];
  let at = 0;
  while (at < text.length) {
    const quoted = /"((?:[^"]|"")*)"/y;
    const bare = /[^",\r\n]*/y;
    const pattern = text[at] === '"' ? quoted : bare;
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) throw new Error(`bad field at ${at}`);
    row.push(match[1] !== undefined ? match[1].replaceAll('""', '"') : match[0] === '' ? null : match[0]);
    at += match[0].length;
    if (text[at] === ',') {
      at++;
      continue;
    }
    if (!text.startsWith('\r\n', at)) throw new Error(`a line must end with CRLF, at ${at}`);
    at += 2;
    rows.push(row);
    row = [];
  }
  if (row.length > 0) throw new Error('the last line has no end');
  return rows;
}

export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: XmlElement[];
  text: string;
}

const XML_CHARACTERS = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;
/** Productions 4 and 4a of XML 1.0, without the colon. */
const NOT_FIRST = '-.0-9\\u00b7\\u0300-\\u036f\\u203f-\\u2040';
const NAME_RANGES = [
  'A-Z_a-z\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff\\u200c-\\u200d\\u2070-\\u218f\\u2c00-\\u2fef',
  '\\u3001-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\ufffd\\u{10000}-\\u{effff}',
].join('');
const XML_NAME = new RegExp(`(?![${NOT_FIRST}])[${NAME_RANGES}${NOT_FIRST}]+`, 'u');
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Reads a well-formed document without DOCTYPE, comments and CDATA. */
export function readXml(text: string): XmlElement {
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>';
  if (!text.startsWith(declaration)) throw new Error('no declaration');
  if (!XML_CHARACTERS.test(text)) throw new Error('a character that XML cannot hold');
  const reader = { text, at: declaration.length };
  const root = readElement(reader);
  if (reader.at !== text.length) throw new Error(`something follows the root at ${reader.at}`);
  return root;
}

interface XmlReader {
  readonly text: string;
  at: number;
}

function take(reader: XmlReader, pattern: RegExp): RegExpExecArray {
  const sticky = new RegExp(pattern.source, 'uy');
  sticky.lastIndex = reader.at;
  const match = sticky.exec(reader.text);
  if (match === null) throw new Error(`expected ${pattern.source} at ${reader.at}: ${reader.text.slice(reader.at, reader.at + 40)}`);
  reader.at += match[0].length;
  return match;
}

function readElement(reader: XmlReader): XmlElement {
  take(reader, /</);
  const name = take(reader, XML_NAME)[0];
  const attributes = new Map<string, string>();
  while (/\s/.test(reader.text[reader.at] ?? '')) {
    take(reader, /\s+/);
    const key = take(reader, XML_NAME)[0];
    if (attributes.has(key)) throw new Error(`attribute ${key} twice`);
    attributes.set(key, decodeEntities(take(reader, /="([^"<]*)"/)[1]?.replace(/[\t\n\r]/g, ' ') ?? ''));
  }
  const element: XmlElement = { name, attributes, children: [], text: '' };
  if (reader.text.startsWith('/>', reader.at)) {
    reader.at += 2;
    return element;
  }
  take(reader, />/);
  while (!reader.text.startsWith('</', reader.at)) {
    if (reader.text[reader.at] === '<') element.children.push(readElement(reader));
    else {
      const content = take(reader, /[^<]+/)[0];
      if (content.includes(']]>')) throw new Error(']]> in text');
      element.text += decodeEntities(content.replace(/\r\n?/g, '\n'));
    }
  }
  take(reader, /<\//);
  if (take(reader, XML_NAME)[0] !== name) throw new Error(`wrong end tag for ${name}`);
  take(reader, />/);
  return element;
}

function decodeEntities(text: string): string {
  return text.replace(/&([^;]*);|&/g, (_, entity: string | undefined) => {
    const number = /^#(\d+)$/.exec(entity ?? '');
    const character = number === null ? ENTITIES[entity ?? ''] : String.fromCodePoint(Number(number[1]));
    if (character === undefined) throw new Error(`unknown entity ${entity}`);
    return character;
  });
}

/** Returns the name and the value of a column; null for nil. */
export function xmlColumn(element: XmlElement): [string, string | null] {
  const name = element.attributes.get('name') ?? element.name;
  const nil = element.attributes.get('nil') === 'true';
  if (nil && element.text !== '') throw new Error('nil with content');
  return [name, nil ? null : element.text];
}
