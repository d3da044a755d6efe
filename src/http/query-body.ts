/** The query of a read as the body of a request, for queries that are too long for a URL. */
import { apiError } from '../errors.ts';
import { BadEncoding, parseQuery, type QueryParameter, TooManyParameters } from '../util/text/query.ts';
import type { Exchange } from './exchange.ts';
import { bodyOf, FORM_TYPES } from './request-body.ts';

const MAX_BYTES = 1024 * 1024;
const MAX_BODY_PARAMETERS = 1000;

export function queryOfBody(exchange: Exchange): readonly QueryParameter[] {
  const other = exchange.query.find(({ name }) => name !== 'pwt');
  if (other !== undefined) throw apiError('parameter_invalid', other.name, 'the query is in the body, so the URL takes only pwt');
  if (exchange.header('content-type') === undefined) throw apiError('wrong_content_type', FORM_TYPES[0] ?? '');
  const body = bodyOf(exchange, FORM_TYPES);
  if (body.length > MAX_BYTES) throw apiError('body_too_large', String(MAX_BYTES));
  try {
    return parseQuery(body.toString('latin1'), MAX_BODY_PARAMETERS);
  } catch (error) {
    if (error instanceof BadEncoding) throw apiError('bad_url');
    if (error instanceof TooManyParameters) throw apiError('too_many_parameters', String(MAX_BODY_PARAMETERS));
    throw error;
  }
}
