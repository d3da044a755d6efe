/**
 * Parses the body of a call into fields, within the memory limits of the definition and the
 * service. Large bodies are parsed in slices, so that other requests are not delayed.
 */
import type { Writable } from 'node:stream';
import type { BusboyHeaders } from '@fastify/busboy';
import { apiError } from '../../errors.ts';
import { MemoryBusy, type MemoryLease } from '../../util/bytes/memory-lease.ts';
import { nextSlice, SLICE_BYTES } from '../../util/concurrency/loop-scheduler.ts';
import { GoneError } from '../../util/concurrency/single-flight.ts';
import type { StopSignal } from '../../util/concurrency/stop-signal.ts';
import { JsonDepthError, JsonError, JsonMemoryError, JsonReader } from '../../util/json/json.ts';
import { busboy } from '../../util/on-demand.ts';
import type { PlainMap, PlainValue } from '../../util/text/decimal.ts';
import { FormReader } from '../../util/text/form.ts';
import { BadEncoding } from '../../util/text/query.ts';
import type { InputType } from '../document/document.ts';

/** Resources for parsing a body. */
export interface Allowance {
  /** Limit of the definition. */
  readonly maxBytes: number;
  readonly lease: MemoryLease;
  /** Aborts parsing when the client disconnects. */
  readonly signal: StopSignal;
}

type ReadBody = (body: Buffer, contentType: string, allowance: Allowance) => PlainMap | Promise<PlainMap>;

export const BODIES: Readonly<Record<InputType, ReadBody>> = { json: readJson, form: readForm, multipart: readMultipart };

const MAX_DEPTH = 64;
const MAX_FIELDS = 1000;
const MAX_PARTS = 100;
const MAX_FIELD_BYTES = 1024 * 1024;

/** Values of a repeated name become a list. */
export function addField(input: PlainMap, name: string, value: PlainValue): void {
  const before = input.get(name);
  if (before === undefined) input.set(name, value);
  else input.set(name, Array.isArray(before) ? [...before, value] : [before, value]);
}

function tooLarge(bytes: number): Error {
  return apiError('input_too_large', String(Math.floor(bytes / 1024 / 1024)));
}

/**
 * Reserves memory. Throws 413 above the limit of the definition, 503 while the service has none
 * left.
 */
function reserve(bytes: number, { maxBytes, lease }: Allowance): void {
  if (bytes > maxBytes || bytes > lease.max) throw tooLarge(Math.min(maxBytes, lease.max));
  if (bytes <= lease.held) return;
  try {
    lease.grow(bytes - lease.held);
  } catch (error) {
    throw error instanceof MemoryBusy ? apiError('memory_busy') : error;
  }
}

function readJson(body: Buffer, _: string, allowance: Allowance): PlainMap | Promise<PlainMap> {
  return body.length <= SLICE_BYTES ? readSmallJson(body, allowance) : readLargeJson(body, allowance);
}

function readSmallJson(body: Buffer, allowance: Allowance): PlainMap {
  const reader = openJson(body, allowance);
  readUntil(reader, Number.POSITIVE_INFINITY);
  reserve(reader.memory, allowance);
  return mapOf(reader);
}

async function readLargeJson(body: Buffer, allowance: Allowance): Promise<PlainMap> {
  const { lease } = allowance;
  reserve(body.length, allowance);
  await nextSlice(lease.owner);
  const reader = openJson(body, allowance);
  while (!readUntil(reader, reader.at + SLICE_BYTES)) {
    reserve(reader.memory, allowance);
    await nextSlice(lease.owner);
    if (allowance.signal.aborted) throw new GoneError();
  }
  reserve(reader.memory, allowance);
  return mapOf(reader);
}

function openJson(body: Buffer, allowance: Allowance): JsonReader {
  return withJsonErrors(() => new JsonReader(body, { maxDepth: MAX_DEPTH, maxMemory: Math.min(allowance.maxBytes, allowance.lease.max) }));
}

function readUntil(reader: JsonReader, until: number): boolean {
  return withJsonErrors(() => reader.read(until));
}

/** Translates the errors of the JSON reader for the client. */
function withJsonErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof JsonDepthError) throw apiError('body_too_deep', String(MAX_DEPTH));
    if (error instanceof JsonError) throw apiError('body_not_json', error.message);
    if (error instanceof JsonMemoryError) throw tooLarge(error.max);
    throw error;
  }
}

function mapOf({ value }: JsonReader): PlainMap {
  if (!(value instanceof Map)) throw apiError('body_not_object');
  return value;
}

/** Memory per byte of a form: up to two bytes per character of a string, plus the decoded bytes. */
const FORM_FACTOR = 3;

function readForm(body: Buffer, _: string, allowance: Allowance): PlainMap | Promise<PlainMap> {
  reserve(body.length * FORM_FACTOR, allowance);
  const input: PlainMap = new Map();
  let count = 0;
  const form = new FormReader(body, (name, value) => {
    if (++count > MAX_FIELDS) throw apiError('body_not_form', `it has more than ${MAX_FIELDS} fields`);
    addField(input, name, value);
  });
  return readFormUntil(form, SLICE_BYTES) ? input : readLargeForm(form, allowance.lease.owner).then(() => input);
}

async function readLargeForm(form: FormReader, owner: string): Promise<void> {
  do await nextSlice(owner);
  while (!readFormUntil(form, form.at + SLICE_BYTES));
}

function readFormUntil(form: FormReader, until: number): boolean {
  try {
    return form.read(until);
  } catch (error) {
    if (error instanceof BadEncoding) throw apiError('body_not_form', 'its percent-encoding is not valid UTF-8, or it contains a NUL');
    throw error;
  }
}

function readMultipart(body: Buffer, contentType: string, allowance: Allowance): Promise<PlainMap> {
  // Files are held twice: as bytes and in base64.
  reserve(body.length * 3, allowance);
  return new Promise((resolve, reject) => {
    const fail = (reason: string): void => reject(apiError('body_not_form', reason));
    const input: PlainMap = new Map();
    const form = openForm(contentType, fail);
    if (form === undefined) return;
    form.on('field', (name, value, nameTruncated, valueTruncated) => {
      if (nameTruncated || valueTruncated) fail(`a field is longer than ${MAX_FIELD_BYTES} bytes`);
      else addField(input, name, value);
    });
    form.on('file', (name, file, filename, _encoding, type) => {
      const pieces: Buffer[] = [];
      file.on('data', (piece: Buffer) => pieces.push(piece));
      file.on('error', (error: Error) => fail(error.message));
      file.on('end', () => addField(input, name, fileValue(filename, type, Buffer.concat(pieces))));
    });
    for (const event of ['partsLimit', 'fieldsLimit', 'filesLimit'] as const)
      form.on(event, () => fail(`it has more than ${MAX_PARTS} parts`));
    form.on('error', (error) => fail((error as Error).message));
    form.on('finish', () => resolve(input));
    void feed(form, body, allowance.lease.owner);
  });
}

const LIMITS = { parts: MAX_PARTS, fields: MAX_PARTS, files: MAX_PARTS, fieldSize: MAX_FIELD_BYTES, fieldNameSize: 256 };

function openForm(contentType: string, fail: (reason: string) => void) {
  try {
    const { Busboy } = busboy();
    return new Busboy({ headers: { 'content-type': contentType } as BusboyHeaders, limits: LIMITS });
  } catch (error) {
    fail((error as Error).message);
    return undefined;
  }
}

async function feed(form: Writable, body: Buffer, owner: string): Promise<void> {
  let at = 0;
  for (; body.length - at > SLICE_BYTES; at += SLICE_BYTES) {
    form.write(body.subarray(at, at + SLICE_BYTES));
    await nextSlice(owner);
    if (form.destroyed) return;
  }
  form.end(body.subarray(at));
}

function fileValue(filename: string | undefined, type: string, data: Buffer): PlainMap {
  return new Map<string, PlainValue>([
    ['filename', filename ?? ''],
    ['content_type', type],
    ['size', data.length],
    ['data', data.toString('base64')],
  ]);
}
