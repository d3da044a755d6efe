/**
 * Small parts of OpenAPI documents: references, content in all formats, and error responses. Pure.
 */
import type { Schema } from '../column-schema.ts';
import { type Json, Shared } from './notation.ts';

export const refTo = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });

/** The names of components must not contain `$`. */
export const parameterName = (name: string): string => `query.${name.replace('$', '')}`;

const FORMATS = ['application/json', 'application/xml', 'application/x-yaml', 'text/csv', 'application/bson'];

/**
 * The schema describes the value, which all formats carry. Generators of clients unite the types of
 * all formats, so a format without a schema would hide the type of a row.
 */
export function inAllFormats(schema: Schema): Json {
  const shared = new Shared(schema);
  return Object.fromEntries(FORMATS.map((type) => [type, { schema: shared }]));
}

/** Responses of these statuses, and a default for errors that any request can meet. */
export function errorResponses(statuses: readonly number[]): Json {
  return {
    ...Object.fromEntries(statuses.map((status) => [String(status), refTo('responses', String(status))])),
    default: refTo('responses', 'error'),
  };
}
