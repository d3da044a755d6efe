/** What all operations of an OpenAPI document share: references, the five formats of an answer, and errors. */
import type { Schema } from './column-schema.ts';
import { type Json, Shared } from './document-writer.ts';

export const refTo = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });

/** `$` may not stand in the name of a component. */
export const parameterName = (name: string): string => `query.${name.replace('$', '')}`;

const MEDIA_TYPES = ['application/json', 'application/xml', 'application/x-yaml', 'text/csv', 'application/bson'] as const;

const ANYTHING = new Shared({ schema: {} });

/** The same value in all five formats; JSON has a schema of it. */
export function inAllFormats(schema: Schema): Json {
  return Object.fromEntries(MEDIA_TYPES.map((type) => [type, type === 'application/json' ? { schema } : ANYTHING]));
}

/** Those of the statuses, and one for what can happen to any request. */
export function errorResponses(statuses: readonly number[]): Json {
  return {
    ...Object.fromEntries(statuses.map((status) => [String(status), refTo('responses', String(status))])),
    default: refTo('responses', 'error'),
  };
}
