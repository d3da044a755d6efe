/** Request bodies: their declared type and encoding, and JSON documents. */
import { apiError } from '../errors.ts';
import { JsonDepthError, JsonError, parseJson } from '../util/json/json.ts';
import type { PlainValue } from '../util/text/decimal.ts';
import type { Exchange } from './exchange.ts';

export const JSON_TYPES: readonly string[] = ['application/json'];
export const FORM_TYPES: readonly string[] = ['application/x-www-form-urlencoded'];
export const YAML_TYPES: readonly string[] = ['application/x-yaml', 'application/yaml', 'text/yaml', 'text/x-yaml', 'text/plain'];

/** Documents of the management APIs are parsed in one go, and none needs to be larger. */
const MAX_DOCUMENT_BYTES = 1024 * 1024;
const MAX_DEPTH = 64;

/** A media type without its parameters. */
export function mediaType(contentType: string): string {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

export function checkEncoding(exchange: Exchange): void {
  const encoding = exchange.header('content-encoding');
  if (encoding !== undefined && encoding !== 'identity') throw apiError('content_encoding');
}

/** Throws unless the body is of one of these types, or of no declared type. */
export function checkBodyType(exchange: Exchange, types: readonly string[]): void {
  checkEncoding(exchange);
  const declared = exchange.header('content-type');
  if (declared === undefined || types.includes(declared)) return;
  if (!types.includes(mediaType(declared))) throw apiError('wrong_content_type', types[0] ?? '');
}

/** The bytes of a body of one of these types, or of no declared type. */
export function bodyOf(exchange: Exchange, types: readonly string[]): Buffer {
  checkBodyType(exchange, types);
  return exchange.body ?? Buffer.alloc(0);
}

/** The text of a body of one of these types. Throws if it is not UTF-8. */
export function textBody(exchange: Exchange, types: readonly string[], maxBytes = Number.POSITIVE_INFINITY): string {
  const body = bodyOf(exchange, types);
  if (body.length > maxBytes) throw apiError('body_too_large', String(maxBytes));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw apiError('body_not_yaml', 'it is not UTF-8');
  }
}

export function yamlBody(exchange: Exchange): string {
  return textBody(exchange, YAML_TYPES);
}

export function jsonBody(exchange: Exchange): PlainValue {
  const body = bodyOf(exchange, JSON_TYPES);
  if (body.length > MAX_DOCUMENT_BYTES) throw apiError('body_too_large', String(MAX_DOCUMENT_BYTES));
  try {
    return parseJson(body, { maxDepth: MAX_DEPTH });
  } catch (error) {
    if (error instanceof JsonDepthError) throw apiError('body_too_deep', String(MAX_DEPTH));
    if (error instanceof JsonError) throw apiError('body_not_json', error.message);
    throw error;
  }
}
