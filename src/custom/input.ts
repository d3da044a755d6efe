/**
 * What a call brings, as one object: the query for methods without a body, else the fields of a JSON document, a form or a multipart form,
 * with the query filling in what they do not have. `format` and `pwt` are the service's own and never input.
 */
import { apiError } from '../errors.ts';
import type { DefinitionMethod } from '../model/definition.ts';
import type { PlainMap } from '../util/decimal.ts';
import type { QueryParameter } from '../util/query.ts';
import { type Allowance, addField, BODIES } from './bodies.ts';
import type { InputType } from './document.ts';

export interface RawInput {
  readonly query: readonly QueryParameter[];
  readonly body: Buffer | undefined;
  readonly contentType: string | undefined;
}

const MEDIA_TYPES: Readonly<Record<InputType, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
};

export function readInput(raw: RawInput, method: DefinitionMethod, type: InputType, allowance: Allowance): PlainMap | Promise<PlainMap> {
  const query = readQuery(raw.query);
  if (method === 'get' || method === 'delete') return query;
  const { body, contentType } = raw;
  if (body === undefined || body.length === 0) return query;
  const sent = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  if (sent !== MEDIA_TYPES[type] && !(sent === undefined && type === 'json')) throw apiError('wrong_content_type', MEDIA_TYPES[type]);
  const fields = BODIES[type](body, contentType ?? '', allowance);
  return fields instanceof Promise ? fields.then((found) => filled(found, query)) : filled(fields, query);
}

function filled(fields: PlainMap, query: PlainMap): PlainMap {
  for (const [name, value] of query) if (!fields.has(name)) fields.set(name, value);
  return fields;
}

function readQuery(query: readonly QueryParameter[]): PlainMap {
  const input: PlainMap = new Map();
  for (const { name, value } of query) if (name !== 'format' && name !== 'pwt') addField(input, name, value);
  return input;
}
