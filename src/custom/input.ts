/**
 * What a call brings, as one object: the query for methods without a body, else the fields of a JSON document, a form or a multipart form,
 * with the query filling in what they do not have. `format` and `pwt` are the service's own and never input.
 */
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { apiError } from '../errors.ts';
import type { DefinitionMethod } from '../model/definition.ts';
import type { PlainMap, PlainValue } from '../util/decimal.ts';
import { JsonDepthError, JsonError, parseJson } from '../util/json.ts';
import { BadEncoding, decodePercent, type Parameter } from '../util/query.ts';
import type { InputType } from './document.ts';

export interface RawInput {
  readonly query: readonly Parameter[];
  readonly body: Buffer | undefined;
  readonly contentType: string | undefined;
}

const MOST_DEPTH = 64;
const MOST_FIELDS = 1000;
const MOST_PARTS = 100;
const MOST_FIELD_BYTES = 1024 * 1024;

const MEDIA_TYPES: Readonly<Record<InputType, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
};

const BODIES: Readonly<Record<InputType, (body: Buffer, contentType: string) => PlainMap | Promise<PlainMap>>> = {
  json: readJson,
  form: readForm,
  multipart: readMultipart,
};

export function readInput(raw: RawInput, method: DefinitionMethod, type: InputType): PlainMap | Promise<PlainMap> {
  const query = readQuery(raw.query);
  if (method === 'get' || method === 'delete') return query;
  const { body, contentType } = raw;
  if (body === undefined || body.length === 0) return query;
  const sent = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  if (sent !== MEDIA_TYPES[type] && !(sent === undefined && type === 'json')) throw apiError('wrong_content_type', MEDIA_TYPES[type]);
  const fields = BODIES[type](body, contentType ?? '');
  return fields instanceof Promise ? fields.then((found) => filled(found, query)) : filled(fields, query);
}

function filled(fields: PlainMap, query: PlainMap): PlainMap {
  for (const [name, value] of query) if (!fields.has(name)) fields.set(name, value);
  return fields;
}

function readQuery(query: readonly Parameter[]): PlainMap {
  const input: PlainMap = new Map();
  for (const { name, value } of query) if (name !== 'format' && name !== 'pwt') add(input, name, value);
  return input;
}

/** What is given more than once is a list. */
function add(input: PlainMap, name: string, value: PlainValue): void {
  const before = input.get(name);
  if (before === undefined) input.set(name, value);
  else input.set(name, Array.isArray(before) ? [...before, value] : [before, value]);
}

function readJson(body: Buffer): PlainMap {
  let value: PlainValue;
  try {
    value = parseJson(body, { maxDepth: MOST_DEPTH });
  } catch (error) {
    if (error instanceof JsonDepthError) throw apiError('body_too_deep', String(MOST_DEPTH));
    if (error instanceof JsonError) throw apiError('body_not_json', error.message);
    throw error;
  }
  if (!(value instanceof Map)) throw apiError('body_not_object');
  return value;
}

function readForm(body: Buffer): PlainMap {
  const input: PlainMap = new Map();
  const fields = body.toString('latin1').split('&');
  if (fields.length > MOST_FIELDS) throw apiError('body_not_form', `it has more than ${MOST_FIELDS} fields`);
  try {
    for (const field of fields) {
      if (field === '') continue;
      const equals = field.indexOf('=');
      const [name, value] = equals < 0 ? [field, ''] : [field.slice(0, equals), field.slice(equals + 1)];
      add(input, decodePercent(name.replaceAll('+', ' ')), decodePercent(value.replaceAll('+', ' ')));
    }
  } catch (error) {
    if (error instanceof BadEncoding) throw apiError('body_not_form', 'its percent-encoding is no valid UTF-8, or it has a NUL');
    throw error;
  }
  return input;
}

const LIMITS = { parts: MOST_PARTS, fields: MOST_PARTS, files: MOST_PARTS, fieldSize: MOST_FIELD_BYTES, fieldNameSize: 256 };

function openForm(contentType: string, fail: (why: string) => void) {
  try {
    return new Busboy({ headers: { 'content-type': contentType } as BusboyHeaders, limits: LIMITS });
  } catch (error) {
    fail((error as Error).message);
    return undefined;
  }
}

function readMultipart(body: Buffer, contentType: string): Promise<PlainMap> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(apiError('body_not_form', why));
    const input: PlainMap = new Map();
    const form = openForm(contentType, fail);
    if (form === undefined) return;
    form.on('field', (name, value, nameTruncated, valueTruncated) => {
      if (nameTruncated || valueTruncated) fail(`a field is longer than ${MOST_FIELD_BYTES} bytes`);
      else add(input, name, value);
    });
    form.on('file', (name, file, filename, _encoding, type) => {
      const pieces: Buffer[] = [];
      file.on('data', (piece: Buffer) => pieces.push(piece));
      file.on('error', (error: Error) => fail(error.message));
      file.on('end', () => add(input, name, fileValue(filename, type, Buffer.concat(pieces))));
    });
    for (const event of ['partsLimit', 'fieldsLimit', 'filesLimit'] as const)
      form.on(event, () => fail(`it has more than ${MOST_PARTS} parts`));
    form.on('error', (error) => fail((error as Error).message));
    form.on('finish', () => resolve(input));
    form.end(body);
  });
}

function fileValue(filename: string | undefined, type: string, data: Buffer): PlainMap {
  return new Map<string, PlainValue>([
    ['filename', filename ?? ''],
    ['content_type', type],
    ['size', data.length],
    ['data', data.toString('base64')],
  ]);
}
