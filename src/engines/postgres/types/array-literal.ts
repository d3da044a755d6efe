/** PostgreSQL's text format of arrays, `{1,"a b",NULL}`, written from values and from JSON. */
import type { RowValues } from '../../../sql/rows.ts';
import type { ParamValue } from '../../../sql/statement.ts';
import type { Lease } from '../../../util/bytes/buffer-pool.ts';
import { ByteWriter } from '../../../util/bytes/byte-writer.ts';
import { parseJson, writeJson } from '../../../util/json/json.ts';
import { Decimal, type PlainValue } from '../../../util/text/decimal.ts';

const SPECIAL = /["\\]/g;

function element(value: ParamValue): string {
  if (value === null) return 'NULL';
  if (typeof value !== 'string') return `"\\\\x${Buffer.from(value).toString('hex')}"`;
  return `"${value.includes('"') || value.includes('\\') ? value.replace(SPECIAL, '\\$&') : value}"`;
}

function arrayLiteral(values: readonly ParamValue[]): string {
  return `{${values.map(element).join(',')}}`;
}

/**
 * Encodes one column of many rows. Ranges of a JSON body contain no character that needs an escape.
 */
export function columnLiteral(rows: RowValues, column: number, bindable: (value: ParamValue) => ParamValue): Lease {
  const { source, from, to, width } = rows;
  const out = new ByteWriter(Number.POSITIVE_INFINITY, () => undefined);
  const last = rows.count * width;
  out.byte(OPEN);
  for (let i = column; i < last; i += width) {
    if (i > column) out.byte(COMMA);
    const start = from[i] as number;
    if (start < 0) out.text(element(bindable(rows.value(i))));
    else {
      out.byte(QUOTE);
      out.copy(source, start, to[i] as number);
      out.byte(QUOTE);
    }
  }
  out.byte(CLOSE);
  return out.take();
}

const OPEN = 0x7b;
const CLOSE = 0x7d;
const COMMA = 0x2c;
const QUOTE = 0x22;

/**
 * Converts `[1,[2,null]]` to `{1,{2,NULL}}`. Text that is not an array is left for the server to
 * reject.
 * `whole` is for arrays of JSON, where an inner list is an element and not a dimension.
 */
export function arrayFromJson(text: string, lists: 'nested' | 'whole', separator: ArraySeparator = ','): string {
  const value = parseJson(Buffer.from(text), { maxDepth: MAX_DEPTH });
  if (!Array.isArray(value)) return text;
  return lists === 'nested'
    ? nested(value, separator)
    : arrayLiteral(value.map((item: PlainValue) => (item === null ? null : writeJson(item))));
}

const MAX_DEPTH = 64;

/** The separator is `;` for boxes, which contain commas. */
export type ArraySeparator = ',' | ';';

function nested(values: readonly PlainValue[], separator: ArraySeparator): string {
  return `{${values.map((value) => (Array.isArray(value) ? nested(value, separator) : element(scalar(value)))).join(separator)}}`;
}

function scalar(value: PlainValue): string | null {
  if (value === null) return null;
  if (typeof value === 'string') return value;
  if (value instanceof Decimal) return value.text;
  return value instanceof Map ? writeJson(value) : String(value);
}
