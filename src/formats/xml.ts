/**
 * XML: `<response>` with a `<row>` per row and an element per column. NULL is an empty element with
 * nil="true". Names that are not XML names are `<column name="…">`; characters that XML cannot hold
 * become U+FFFD.
 */
import type { Cells, NestedRows, ResultColumn } from '../model/cells.ts';
import { NestedReader } from '../model/nested.ts';
import type { Kind } from '../model/table.ts';
import { ByteWriter, EncodedText } from '../util/bytes/byte-writer.ts';
import type { Format, RowWriter } from './format.ts';
import { writeTabular } from './tabular.ts';
import {
  type CellWriter,
  characterLength,
  copyBase64,
  copyBool,
  copyCell,
  copyEscaped,
  type Escape,
  plainBytes,
  REPLACEMENT,
} from './text.ts';

const OPENING = Buffer.from('<?xml version="1.0" encoding="UTF-8"?><response>');
const CLOSING = Buffer.from('</response>');
const EMPTY_ROW = new EncodedText('<row></row>');

/**
 * Names that are valid in every edition of XML 1.0, since many parsers implement an early one.
 * Names with a colon are excluded, since their prefix would be an undeclared namespace.
 */
const NAME_START = [
  'A-Z_a-z\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u0131\\u0134-\\u013e\\u0141-\\u0148\\u014a-\\u017e\\u0388-\\u038a\\u038e-\\u03a1\\u03a3-\\u03ce',
  '\\u0401-\\u040c\\u040e-\\u044f\\u0451-\\u045c\\u05d0-\\u05ea\\u0621-\\u063a\\u0641-\\u064a\\u3041-\\u3094\\u30a1-\\u30fa\\u4e00-\\u9fa5\\uac00-\\ud7a3',
].join('');
const NAME = new RegExp(`^[${NAME_START}][-.0-9${NAME_START}]*$`, 'u');

const PLAIN = plainBytes({ also: '\t\n', except: '&<>' });
/** `>` needs no escape in attributes. */
const PLAIN_IN_ATTRIBUTE = plainBytes({ except: '&<"' });

/** Parsers read a literal CR as LF, and all white space in attributes as spaces. */
const ENTITIES: Readonly<Record<number, EncodedText>> = Object.fromEntries(
  Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\r': '&#13;', '\n': '&#10;', '\t': '&#9;' }).map(
    ([character, entity]) => [character.charCodeAt(0), new EncodedText(entity)],
  ),
);

const escapeByte: Escape = (source, from, to, out) => {
  let at = from;
  if ((source[at] as number) < 0x80) {
    out.encoded(ENTITIES[source[at] as number] ?? REPLACEMENT);
    return at + 1;
  }
  while (at < to && (source[at] as number) >= 0x80) {
    const length = characterLength(source, at, to);
    if (length < 0 || isNonCharacter(source, at)) {
      out.encoded(REPLACEMENT);
      at += Math.abs(length);
    } else {
      out.copy(source, at, at + length);
      at += length;
    }
  }
  return at;
};

/** U+FFFE and U+FFFF, the only characters above the controls that XML excludes. */
function isNonCharacter(source: Buffer, at: number): boolean {
  return source[at] === 0xef && source[at + 1] === 0xbf && (source[at + 2] as number) >= 0xbe;
}

const writeText: CellWriter = (source, from, to, out) => {
  copyEscaped(source, from, to, out, PLAIN, escapeByte);
};

const WRITERS: Readonly<Record<Kind, CellWriter>> = {
  int: copyCell,
  decimal: copyCell,
  float: copyCell,
  bool: copyBool,
  text: writeText,
  enum: writeText,
  set: writeText,
  uuid: writeText,
  date: copyCell,
  time: copyCell,
  timestamp: copyCell,
  timestamptz: copyCell,
  bytes: copyBase64,
  json: writeText,
  other: writeText,
};

interface XmlTags {
  readonly open: EncodedText;
  readonly close: EncodedText;
  readonly nil: EncodedText;
}

/** The first and the last column include the tags of the row. */
function tags(column: ResultColumn, index: number, columns: readonly ResultColumn[]): XmlTags {
  return tagsWithin(column, index === 0 ? '<row>' : '', index === columns.length - 1 ? '</row>' : '');
}

function tagsWithin({ name }: ResultColumn, rowStart: string, rowEnd: string): XmlTags {
  const isName = NAME.test(name);
  const start = isName ? name : `column name="${attribute(name)}"`;
  return {
    open: new EncodedText(`${rowStart}<${start}>`),
    close: new EncodedText(`</${isName ? name : 'column'}>${rowEnd}`),
    nil: new EncodedText(`${rowStart}<${start} nil="true"/>${rowEnd}`),
  };
}

function attribute(text: string): string {
  const out = new ByteWriter(Number.POSITIVE_INFINITY, () => {});
  const bytes = Buffer.from(text);
  copyEscaped(bytes, 0, bytes.length, out, PLAIN_IN_ATTRIBUTE, escapeByte);
  return out.takeText();
}

function writeElements(all: readonly XmlTags[], writers: readonly CellWriter[], { bytes, from, to }: Cells, out: ByteWriter): void {
  for (let i = 0; i < writers.length; i++) {
    const { open, close, nil } = all[i] as XmlTags;
    const start = from[i] as number;
    if (start < 0) {
      out.encoded(nil);
      continue;
    }
    out.encoded(open);
    (writers[i] as CellWriter)(bytes, start, to[i] as number, out);
    out.encoded(close);
  }
}

const writerOf = ({ kind, nested }: ResultColumn): CellWriter => (nested === undefined ? WRITERS[kind] : elementsOf(nested));

/** Writes related rows inside a cell: the elements of a single row, or a `<row>` for each. */
function elementsOf({ kind, columns }: NestedRows): CellWriter {
  const all = kind === 'one' ? columns.map((column) => tagsWithin(column, '', '')) : columns.map(tags);
  const writers = columns.map(writerOf);
  const reader = new NestedReader(columns.length);
  return (source, from, _to, out) => {
    const rows = reader.open(source, from);
    for (let row = 0; row < rows; row++) {
      if (writers.length === 0 && kind === 'many') out.encoded(EMPTY_ROW);
      writeElements(all, writers, reader.next(), out);
    }
  };
}

class XmlRows implements RowWriter {
  readonly writers: CellWriter[];
  readonly #tags: readonly XmlTags[];
  readonly #out: ByteWriter;

  constructor(columns: readonly ResultColumn[], out: ByteWriter) {
    this.#out = out;
    this.#tags = columns.map(tags);
    this.writers = columns.map(writerOf);
    out.raw(OPENING);
  }

  row(cells: Cells): void {
    const out = this.#out;
    if (this.writers.length === 0) out.encoded(EMPTY_ROW);
    writeElements(this.#tags, this.writers, cells, out);
  }

  end(): void {
    this.#out.raw(CLOSING);
  }
}

export const xml: Format = {
  name: 'xml',
  contentType: 'application/xml; charset=utf-8',
  rows: (columns, out) => new XmlRows(columns, out),
  value: (value, out) => writeTabular(value, out, WRITERS, (columns) => new XmlRows(columns, out)),
};
