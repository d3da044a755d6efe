/**
 * Encodes scalar values in ClickHouse's native format, by type name. Each writer rejects a value
 * that its type cannot hold instead of wrapping it. `column-encoders.ts` handles NULL and nesting.
 */
import { Buffer } from 'node:buffer';
import ipaddr from 'ipaddr.js';
import type { ByteWriter } from '../../../util/bytes/byte-writer.ts';
import { plainSeconds } from '../../../util/text/fast-timestamp.ts';
import { scaledDecimal } from './fit.ts';
import { invalid } from './invalid-value.ts';
import { wholeRange } from './kinds.ts';
import { shown } from './nested.ts';
import { boolText } from './params.ts';
import { DATE_RANGES, parseClock, parseDate, parseInstant, secondRange, ticks } from './temporal.ts';
import { type ChType, decimalShape, enumMembers, literalNumber } from './type-text.ts';

/** Appends one value from its canonical text. */
export type LeafWriter = (out: ByteWriter, text: string) => void;

type LeafFactory = (type: ChType) => LeafWriter;

const FACTORIES: Readonly<Record<string, LeafFactory>> = {
  Bool: () => (out, text) => out.byte(boolText(text) === 'true' ? 1 : 0),
  String: () => writeText,
  FixedString: fixedText,
  Float32: () => writeFloat32,
  Float64: () => writeFloat64,
  BFloat16: () => writeBFloat16,
  Date: (type) => dateWriter(type, 2),
  Date32: (type) => dateWriter(type, 4),
  DateTime: () => writeDateTime,
  DateTime32: () => writeDateTime,
  DateTime64: dateTime64,
  Time: () => writeTime,
  Time64: time64,
  UUID: () => writeUuid,
  IPv4: () => writeIpv4,
  IPv6: () => writeIpv6,
  Enum8: (type) => enumWriter(type, 1),
  Enum16: (type) => enumWriter(type, 2),
};

/** `undefined` if values of the type cannot be written. */
export function leafWriter(type: ChType): LeafWriter | undefined {
  const factory = FACTORIES[type.name];
  if (factory !== undefined) return factory(type);
  if (wholeRange(type.name) !== undefined) return wholeWriter(type);
  if (type.name.startsWith('Decimal')) return decimalWriter(type);
  return type.name.startsWith('Interval') ? intervalWriter(type) : undefined;
}

/** Appends one value from the bytes of its canonical text. */
export type RangeWriter = (out: ByteWriter, source: Buffer, from: number, to: number) => void;

const RANGES: Readonly<Record<string, (type: ChType) => RangeWriter>> = {
  String: () => copyText,
  DateTime: () => (out, source, from, to) => putMoment(out, source, from, to, undefined),
  DateTime64: (type) => {
    const digits = literalNumber(type, 0);
    return (out, source, from, to) => putMoment(out, source, from, to, digits);
  },
};

/** `undefined` if the type needs a string. */
export function rangeWriter(type: ChType): RangeWriter | undefined {
  return RANGES[type.name]?.(type);
}

function copyText(out: ByteWriter, source: Buffer, from: number, to: number): void {
  putVarint(out, to - from);
  out.copy(source, from, to);
}

function putMoment(out: ByteWriter, source: Buffer, from: number, to: number, digits: number | undefined): void {
  const seconds = plainSeconds(source, from, to);
  const [first, last] = secondRange(digits);
  const isPlain = seconds !== undefined && seconds >= first && seconds <= last;
  const count = isPlain ? ticks({ seconds, nanos: 0 }, digits ?? 0) : ticksOf(source.toString('utf8', from, to), digits);
  putWhole(out, count, digits === undefined ? 4 : 8);
}

const WORD = 2 ** 32;

/** Appends a little-endian two's complement integer of 1 to 32 bytes. */
function putWhole(out: ByteWriter, value: number | bigint, bytes: number): void {
  out.reserve(bytes);
  if (typeof value === 'number') {
    if (bytes > 8) putWhole(out, BigInt(value), bytes);
    else putNumber(out, value, bytes);
    return;
  }
  let rest = BigInt.asUintN(bytes * 8, value);
  for (let i = 0; i < bytes; i += 4) {
    const word = Number(rest & 0xffff_ffffn);
    const width = Math.min(4, bytes - i);
    for (let k = 0; k < width; k++) out.byte((word >>> (8 * k)) & 255);
    rest >>= 32n;
  }
}

function putNumber(out: ByteWriter, value: number, bytes: number): void {
  const high = Math.floor(value / WORD);
  let word = value - high * WORD;
  for (let i = 0; i < bytes; i++) {
    if (i === 4) word = high;
    out.bytes[out.length++] = (word >>> (8 * (i & 3))) & 255;
  }
}

/** Integers of at most this many digits are exact as doubles. */
const SMALL = 15;

function wholeWriter(type: ChType): LeafWriter {
  const range = wholeRange(type.name);
  if (range === undefined) throw invalid(`${type.name} is not a whole number`);
  const { min, max, bytes } = range;
  const [lowest, highest] = [Number(min), Number(max)];
  return (out, text) => {
    if (!/^[+-]?\d+$/.test(text)) throw invalid(`${shown(text)} is not a whole number`);
    const small = text.length <= SMALL;
    const value = small ? Number(text) : BigInt(text);
    const fits = typeof value === 'number' ? value >= lowest && value <= highest : value >= min && value <= max;
    if (!fits) throw invalid(`${shown(text)} is out of the range of ${type.name}`);
    putWhole(out, value, bytes);
  };
}

function intervalWriter(type: ChType): LeafWriter {
  return wholeWriter({ ...type, name: 'Int64' });
}

function decimalWriter(type: ChType): LeafWriter {
  const { precision, scale, bytes } = decimalShape(type);
  const limit = 10n ** BigInt(precision);
  return (out, text) => {
    const scaled = scaledDecimal(text, scale);
    if (scaled === undefined) throw invalid(`${shown(text)} is not a decimal number`);
    if (!scaled.exact) throw invalid(`${shown(text)} has more than ${scale} digits after the point`);
    if (scaled.units >= limit || scaled.units <= -limit)
      throw invalid(`${shown(text)} is out of the range of Decimal(${precision}, ${scale})`);
    putWhole(out, scaled.units, bytes);
  };
}

/** Up to this length, a loop writes ASCII faster than a call into the runtime. */
const SHORT_TEXT = 64;

function writeText(out: ByteWriter, text: string): void {
  if (text.length < SHORT_TEXT && putAscii(out, text)) return;
  putVarint(out, Buffer.byteLength(text));
  out.text(text);
}

/** Returns `false`, without writing, if the text is not ASCII. */
function putAscii(out: ByteWriter, text: string): boolean {
  const size = text.length;
  out.reserve(size + 1);
  const { bytes } = out;
  let at = out.length;
  bytes[at++] = size;
  for (let i = 0; i < size; i++) {
    const code = text.charCodeAt(i);
    if (code > 127) return false;
    bytes[at++] = code;
  }
  out.length = at;
  return true;
}

export function putVarint(out: ByteWriter, value: number): void {
  let rest = value;
  while (rest > 127) {
    out.byte((rest & 127) | 128);
    rest >>>= 7;
  }
  out.byte(rest);
}

function fixedText(type: ChType): LeafWriter {
  const width = literalNumber(type, 0);
  return (out, text) => {
    const size = Buffer.byteLength(text);
    if (size > width) throw invalid(`${shown(text)} is longer than the ${width} bytes of FixedString(${width})`);
    out.text(text);
    for (let i = size; i < width; i++) out.byte(0);
  };
}

const FLOAT_TEXT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const FLOAT_NAMES: Readonly<Record<string, number>> = {
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  '+inf': Number.POSITIVE_INFINITY,
  '-inf': Number.NEGATIVE_INFINITY,
  infinity: Number.POSITIVE_INFINITY,
  '-infinity': Number.NEGATIVE_INFINITY,
};

function parseFloatText(text: string): number {
  const name = text.toLowerCase();
  if (Object.hasOwn(FLOAT_NAMES, name)) return FLOAT_NAMES[name] ?? Number.NaN;
  const value = FLOAT_TEXT.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) throw invalid(`${shown(text)} is not a number that a float can hold`);
  return value;
}

const scratch = Buffer.alloc(8);

function writeFloat64(out: ByteWriter, text: string): void {
  scratch.writeDoubleLE(parseFloatText(text));
  out.raw(scratch);
}

function narrowed(text: string): Buffer {
  const value = parseFloatText(text);
  if (Number.isFinite(value) && !Number.isFinite(Math.fround(value))) throw invalid(`${shown(text)} is out of the range of Float32`);
  scratch.writeFloatLE(value);
  return scratch;
}

function writeFloat32(out: ByteWriter, text: string): void {
  out.raw(narrowed(text).subarray(0, 4));
}

/** Writes the upper half of a Float32. */
function writeBFloat16(out: ByteWriter, text: string): void {
  out.raw(narrowed(text).subarray(2, 4));
}

function dateWriter(type: ChType, bytes: number): LeafWriter {
  const [first, last] = DATE_RANGES[type.name] ?? [0, 0];
  return (out, text) => {
    const days = parseDate(text);
    if (days === undefined) throw invalid(`${shown(text)} is not a date`);
    if (days < first || days > last) throw invalid(`${text} is out of the range of ${type.name}`);
    putWhole(out, days, bytes);
  };
}

function writeDateTime(out: ByteWriter, text: string): void {
  putWhole(out, ticksOf(text, undefined), 4);
}

function dateTime64(type: ChType): LeafWriter {
  const digits = literalNumber(type, 0);
  return (out, text) => putWhole(out, ticksOf(text, digits), 8);
}

/** Truncates digits that are finer than the type's, as the server does. */
function ticksOf(text: string, digits: number | undefined): number | bigint {
  const instant = parseInstant(text);
  if (instant === undefined) throw invalid(`${shown(text)} is not a date and time`);
  const [first, last] = secondRange(digits);
  if (instant.seconds < first || instant.seconds > last) {
    throw invalid(`${text} is out of the range of ${digits === undefined ? 'DateTime' : `DateTime64(${digits})`}`);
  }
  return ticks(instant, digits ?? 0);
}

function writeTime(out: ByteWriter, text: string): void {
  putWhole(out, clockTicks(text, 0), 4);
}

function time64(type: ChType): LeafWriter {
  const digits = literalNumber(type, 0);
  return (out, text) => putWhole(out, clockTicks(text, digits), 8);
}

function clockTicks(text: string, digits: number): number | bigint {
  const clock = parseClock(text);
  if (clock === undefined) throw invalid(`${shown(text)} is not a time`);
  return ticks(clock, digits);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Writes two halves of eight bytes, each little-endian. */
function writeUuid(out: ByteWriter, text: string): void {
  if (!UUID.test(text)) throw invalid(`${shown(text)} is not a UUID`);
  const bytes = Buffer.from(text.replaceAll('-', ''), 'hex');
  out.raw(bytes.subarray(0, 8).reverse());
  out.raw(bytes.subarray(8).reverse());
}

function writeIpv4(out: ByteWriter, text: string): void {
  if (!ipaddr.IPv4.isValidFourPartDecimal(text)) throw invalid(`${shown(text)} is not an IPv4 address`);
  out.raw(Uint8Array.from(ipaddr.IPv4.parse(text).toByteArray().reverse()));
}

function writeIpv6(out: ByteWriter, text: string): void {
  if (!ipaddr.isValid(text)) throw invalid(`${shown(text)} is not an IPv6 address`);
  const address = ipaddr.parse(text);
  const six = address instanceof ipaddr.IPv4 ? address.toIPv4MappedAddress() : address;
  out.raw(Uint8Array.from(six.toByteArray()));
}

function enumWriter(type: ChType, bytes: number): LeafWriter {
  const members = enumMembers(type);
  return (out, text) => {
    const value = members.get(text);
    if (value === undefined) throw invalid(`${shown(text)} is not a value of the enum`);
    putWhole(out, value, bytes);
  };
}
