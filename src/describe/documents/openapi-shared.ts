/**
 * Components that every OpenAPI document has: security schemes, and what all operations share.
 * Pure.
 */
import { PARAMETERS } from '../../auto/request/parameters.ts';
import { REASONS } from '../../errors.ts';
import { filterSchemas } from '../column-schema.ts';
import type { Description } from '../description.ts';
import { API_OPERATIONS, statusesOf } from '../operations.ts';
import type { Json } from './notation.ts';
import { parameterName, refTo } from './openapi-parts.ts';

const header = (name: string, description: string): Json => ({ type: 'apiKey', in: 'header', name, description });

export const SECURITY_SCHEMES: Json = {
  orgId: header('X-Org-Id', 'The organization; the gateway sends it.'),
  projectId: header('X-Project-Id', 'The project; the gateway sends it.'),
  spaceId: header('X-Space-Id', 'The space; the gateway sends it.'),
  userId: header('X-User-Id', 'The user; the gateway sends it.'),
  userRoles: header('X-User-Roles', 'Roles of the user, separated by commas; the gateway sends it.'),
  bearer: { type: 'http', scheme: 'bearer', description: 'A Power Token instead of the context headers.' },
  powerToken: header('X-Power-Token', 'A Power Token instead of the context headers, together with the same value in pwt.'),
  powerTokenInQuery: { type: 'apiKey', in: 'query', name: 'pwt', description: 'The Power Token again.' },
};

/** The parameters of a read as the fields of a form. */
function querySchema(): Json {
  const rows = Object.entries(PARAMETERS).filter(([, { operations }]) => operations.includes('query'));
  return {
    type: 'object',
    required: rows.flatMap(([name, { required }]) => (required === true ? [name] : [])),
    properties: Object.fromEntries(
      rows.map(([name, { schema, isFilter }]) => [name, isFilter === true ? { type: 'array', items: schema } : schema]),
    ),
  };
}

export const SHARED_SCHEMAS: Json = {
  Error: {
    type: 'object',
    required: ['code', 'status', 'message'],
    properties: {
      code: { type: 'integer', description: 'The status of the answer' },
      status: { type: 'string', description: 'Its reason phrase' },
      message: { type: 'string', description: 'What is wrong, and what to do' },
      errors: {
        type: 'array',
        items: {
          type: 'object',
          required: ['field', 'message'],
          properties: { field: { type: 'string' }, message: { type: 'string' } },
        },
      },
    },
  },
  Query: querySchema(),
  RowsAffected: { type: 'object', required: ['rows_affected'], properties: { rows_affected: { type: 'integer', minimum: 0 } } },
  ...filterSchemas(),
};

const STATUSES: readonly number[] = [...new Set(([...API_OPERATIONS, 'call'] as const).flatMap(statusesOf))].sort((a, b) => a - b);

const ERROR_HEADERS: Json = {
  'X-Request-Id': { description: 'Of the request; the log has it', schema: { type: 'string' } },
};
/** Additional headers by status. */
const OWN_HEADERS: Readonly<Record<number, Json>> = {
  405: { Allow: { description: 'The methods of the path', schema: { type: 'string' } } },
  424: outcomeHeader(),
  503: { 'Retry-After': { description: 'Seconds', schema: { type: 'integer' } }, ...outcomeHeader() },
  504: outcomeHeader(),
};

function outcomeHeader(): Json {
  const description = 'After a write that failed: whether it is certain that nothing stays (none), or not known (unknown)';
  return { 'X-Outcome': { description, schema: { type: 'string', enum: ['none', 'unknown'] } } };
}

export const SHARED_RESPONSES: Json = {
  NotModified: { description: 'The row is as the caller knows it' },
  error: {
    description: 'What can happen to any request: too long, too slow, or an error of the service',
    headers: ERROR_HEADERS,
    content: { 'application/json': { schema: refTo('schemas', 'Error') } },
  },
  ...Object.fromEntries(
    STATUSES.map((status) => [
      String(status),
      {
        description: REASONS[status] ?? 'Error',
        headers: { ...ERROR_HEADERS, ...OWN_HEADERS[status] },
        content: { 'application/json': { schema: refTo('schemas', 'Error') } },
      },
    ]),
  ),
};

export function sharedParameters({ maxPageSize }: Description): Json {
  return Object.fromEntries(
    Object.entries(PARAMETERS).map(([name, { required = false, schema, description, example, isFilter = false }]) => {
      const bounded = name === 'ps' ? { ...schema, maximum: maxPageSize } : schema;
      const value = isFilter ? { style: 'form', explode: true, schema: { type: 'array', items: bounded } } : { schema: bounded };
      const parameter = { name, in: 'query', required, description, ...value, ...(example === undefined ? {} : { example }) };
      return [parameterName(name), parameter];
    }),
  );
}

export const CONDITIONS: Json = {
  'header.if-match': {
    name: 'If-Match',
    in: 'header',
    description: 'The ETag of the row as it was read: 412 when it is another by now.',
    schema: { type: 'string' },
  },
  'header.if-none-match': {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of the row as it was read: 304 when it is the same.',
    schema: { type: 'string' },
  },
};
