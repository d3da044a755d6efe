/**
 * Small parts of OpenAPI documents: references, content in all formats, and error responses. Pure.
 */
import type { Schema } from '../column-schema.ts';
import { type Json, SHARED, Shared } from './notation.ts';

export const refTo = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });

/** The names of components must not contain `$`. */
export const parameterName = (name: string): string => `query.${name.replace('$', '')}`;

const ANY_SCHEMAS = new Shared(
  Object.fromEntries(['application/xml', 'application/x-yaml', 'text/csv', 'application/bson'].map((type) => [type, { schema: {} }])),
);

/** The schema describes the JSON; the other formats carry the same value. */
export function inAllFormats(schema: Schema): Json {
  return { 'application/json': { schema }, [SHARED]: ANY_SCHEMAS };
}

/** Responses of these statuses, and a default for errors that any request can meet. */
export function errorResponses(statuses: readonly number[]): Json {
  return {
    ...Object.fromEntries(statuses.map((status) => [String(status), refTo('responses', String(status))])),
    default: refTo('responses', 'error'),
  };
}
