/** The response to an Auto request: a page of rows, one row, the written rows, or their number. */
import type { AutoRequest, WriteRequest } from '../auto/request/request.ts';
import { sendEmpty, sendValue } from './response/respond.ts';
import { NO_ROWS, RowResponse } from './response/row-response.ts';
import type { AutoRead, AutoReads } from './shared-reads.ts';

export interface AutoAnswer extends Omit<AutoRead, 'request'> {
  readonly request: AutoRequest;
}

const isOfRows = (answer: AutoAnswer): answer is AutoRead => answer.request.do === 'read' || answer.request.do === 'group';

export function respond(answer: AutoAnswer, reads: AutoReads): Promise<void> {
  if (isOfRows(answer)) return reads.answer(answer);
  const { request } = answer as AutoAnswer & { readonly request: Exclude<AutoRequest, AutoRead['request']> };
  if (request.do === 'row') return sendRow(answer);
  return request.returning === undefined ? sendCount(answer, request) : sendWritten(answer, request);
}

async function sendRow({ exchange, format, perform }: AutoAnswer): Promise<void> {
  const response = new RowResponse(exchange, format, 'flowing', { shape: 'row' });
  try {
    const { unchanged } = await perform(response, exchange);
    if (unchanged === true) {
      response.discard();
      sendEmpty(exchange, 304, response.headers);
      return;
    }
  } catch (error) {
    response.discard();
    throw error;
  }
  response.end();
}

const statusOf = (request: WriteRequest): number => (request.do === 'insert' ? 201 : 200);

async function sendCount({ exchange, format, perform }: AutoAnswer, request: WriteRequest): Promise<void> {
  const { rows } = await perform(NO_ROWS, exchange);
  sendValue(exchange, statusOf(request), format, new Map([['rows_affected', rows]]));
}

/** Nothing is sent before the write has been committed: it could still be rolled back. */
async function sendWritten({ exchange, format, perform }: AutoAnswer, request: WriteRequest): Promise<void> {
  const response = new RowResponse(exchange, format, 'held', { status: statusOf(request) });
  try {
    const { rows } = await perform(response, exchange);
    response.header('X-Rows-Affected', String(rows));
  } catch (error) {
    response.discard();
    throw error;
  }
  response.end();
}
