/**
 * YAML: a list of mappings, one per row, with nested values as flow collections; or a plain value
 * as blocks. Scalars are in yaml-scalar.ts.
 */
import type { Cells, NestedRows, ResultColumn } from '../model/cells.ts';
import { NestedReader } from '../model/nested.ts';
import { BoundedMap } from '../util/bounded-map.ts';
import { ByteWriter, EncodedText } from '../util/bytes/byte-writer.ts';
import { exactDigits, MAX_RESULT_DEPTH, NestingError } from '../util/json/json-write.ts';
import { Decimal, type PlainMap, type PlainValue } from '../util/text/decimal.ts';
import type { Format, RowWriter } from './format.ts';
import type { CellWriter } from './text.ts';
import { WRITERS, writeKey } from './yaml-scalar.ts';

const NULL = new EncodedText('null');
const NO_ROWS = Buffer.from('[]\n');
const EMPTY_ROW = new EncodedText('- {}\n');
const LINE_END = 0x0a;

interface YamlColumn {
  /** `- name: ` for the first column, `  name: ` for the others. */
  readonly prefix: EncodedText;
  readonly write: CellWriter;
}

/** Keys come again and again. */
const keyTexts = new BoundedMap<string, string>(1000);

function keyText(name: string): string {
  const known = keyTexts.get(name);
  if (known !== undefined) return known;
  const out = new ByteWriter(Number.POSITIVE_INFINITY, () => {});
  writeKey(name, out);
  const text = out.takeText();
  keyTexts.set(name, text);
  return text;
}

/** A key with its colon. A very long key has a line of its own. */
export function memberStart(name: string, indent: string): string {
  const key = keyText(name);
  return key.startsWith('? ') ? `${key}\n${indent}:` : `${key}:`;
}

/**
 * Columns of rows at an indentation, followed by `first` in the first column and by `other` in the
 * others.
 */
function columnsAt(columns: readonly ResultColumn[], indent: string, first: string, other: string): readonly YamlColumn[] {
  return columns.map(({ name, kind, nested }, index) => ({
    prefix: new EncodedText(`${indent}${index === 0 ? first : other}${memberStart(name, indent + other)} `),
    write: nested === undefined ? WRITERS[kind] : blockOf(nested, indent + other),
  }));
}

function writeMembers(columns: readonly YamlColumn[], { bytes, from, to }: Cells, out: ByteWriter): void {
  for (let i = 0; i < columns.length; i++) {
    const column = columns[i] as YamlColumn;
    out.encoded(column.prefix);
    const start = from[i] as number;
    if (start < 0) out.encoded(NULL);
    else column.write(bytes, start, to[i] as number, out);
    out.byte(LINE_END);
  }
}

/** Writes related rows inside a cell as a block below the key: a mapping, or a list of mappings. */
function blockOf({ kind, columns }: NestedRows, indent: string): CellWriter {
  const inner = columnsAt(columns, indent, kind === 'one' ? '  ' : '- ', '  ');
  const reader = new NestedReader(columns.length);
  return (source, from, _to, out) => {
    const rows = reader.open(source, from);
    if (rows === 0) out.text('[]');
    if (rows === 0 || columns.length === 0) return;
    out.byte(LINE_END);
    for (let row = 0; row < rows; row++) writeMembers(inner, reader.next(), out);
    // The caller ends the line of the key, which the block has already done.
    out.length--;
  };
}

class YamlRows implements RowWriter {
  readonly #out: ByteWriter;
  readonly #columns: readonly YamlColumn[];
  #empty = true;

  constructor(columns: readonly ResultColumn[], out: ByteWriter, place: 'listed' | 'alone' = 'listed') {
    this.#out = out;
    this.#columns = place === 'listed' ? columnsAt(columns, '', '- ', '  ') : columnsAt(columns, '', '', '');
  }

  row(cells: Cells): void {
    const out = this.#out;
    const columns = this.#columns;
    this.#empty = false;
    if (columns.length === 0) out.encoded(EMPTY_ROW);
    writeMembers(columns, cells, out);
  }

  end(): void {
    if (this.#empty) this.#out.raw(NO_ROWS);
  }
}

/**
 * Appends a value that begins on the current line, and a line break. Nested lines are indented by
 * `indent`.
 */
function appendValue(value: PlainValue, indent: string, out: ByteWriter): void {
  if (indent.length > MAX_RESULT_DEPTH * 2) throw new NestingError();
  if (value instanceof Map && value.size > 0) appendMembers(value, indent, out);
  else if (Array.isArray(value) && value.length > 0) appendItems(value, indent, out);
  else {
    appendScalar(value, out);
    out.byte(LINE_END);
  }
}

function appendItems(items: readonly PlainValue[], indent: string, out: ByteWriter): void {
  items.forEach((item, index) => {
    out.text(index === 0 ? '- ' : `${indent}- `);
    appendValue(item, `${indent}  `, out);
    if (indent === '') out.flushIfFull();
  });
}

function appendMembers(members: PlainMap, indent: string, out: ByteWriter): void {
  let first = true;
  for (const [key, value] of members) {
    const prefix = memberStart(key, indent);
    out.text(first ? prefix : indent + prefix);
    first = false;
    const isBlock = (value instanceof Map && value.size > 0) || (Array.isArray(value) && value.length > 0);
    const inner = `${indent}  `;
    out.text(isBlock ? `\n${inner}` : ' ');
    appendValue(value, inner, out);
  }
}

function appendScalar(value: PlainValue, out: ByteWriter): void {
  if (value === null) out.encoded(NULL);
  else if (value instanceof Map) out.text('{}');
  else if (Array.isArray(value)) out.text('[]');
  else if (typeof value === 'boolean') out.text(String(value));
  else {
    const kind = typeof value === 'string' ? 'text' : value instanceof Decimal ? 'decimal' : 'float';
    const bytes = Buffer.from(value instanceof Decimal ? exactDigits(value) : String(value));
    WRITERS[kind](bytes, 0, bytes.length, out);
  }
}

/** A scalar as YAML text. */
export function scalarText(value: string | number | boolean | null): string {
  const out = new ByteWriter(Number.POSITIVE_INFINITY, () => {});
  appendScalar(value, out);
  return out.takeText();
}

export const yaml: Format = {
  name: 'yaml',
  contentType: 'application/x-yaml; charset=utf-8',
  rows: (columns, out) => new YamlRows(columns, out),
  onlyRow: (columns, out) => new YamlRows(columns, out, 'alone'),
  value: (value, out) => appendValue(value, '', out),
};
