/**
 * An Auto request from end to end: parse → plan → run → respond. Each step is a function of another
 * file.
 */
import type { Auto, Target } from '../auto/execute/executor.ts';
import { runPlan, runReadOnly } from '../auto/execute/run.ts';
import { readAhead } from '../auto/plan/patch-body.ts';
import { planRequest } from '../auto/plan/plan.ts';
import {
  parseDelete,
  parseInsert,
  parsePatch,
  parseRead,
  parseReadRow,
  parseUpdate,
  type RowAddress,
} from '../auto/request/parse-request.ts';
import type { AutoRequest } from '../auto/request/request.ts';
import type { AutoResult } from '../auto/session.ts';
import { apiError } from '../errors.ts';
import type { Entry } from '../model/entry.ts';
import { respond } from './auto-respond.ts';
import type { Exchange } from './exchange.ts';
import { queryOfBody } from './query-body.ts';
import { bodyOf, JSON_TYPES } from './request-body.ts';
import { formatOf } from './request-url.ts';
import type { AutoReads, Perform } from './shared-reads.ts';

export interface AutoServices {
  readonly auto: Auto;
  readonly reads: AutoReads;
  readonly maxPageSize: number;
}

export type Parse = (exchange: Exchange, services: AutoServices) => AutoRequest;
export type ParseRow = (exchange: Exchange, row: RowAddress, services: AutoServices) => AutoRequest;

export const PARSERS: Readonly<Record<'GET' | 'QUERY' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', Parse>> = {
  GET: ({ query }, { maxPageSize }) => parseRead(query, maxPageSize),
  QUERY: (exchange, { maxPageSize }) => parseRead(queryOfBody(exchange), maxPageSize),
  POST: (exchange) => parseInsert(exchange.query, bodyOf(exchange, JSON_TYPES)),
  PUT: ({ query }) => parseUpdate(query),
  PATCH: (exchange) => parsePatch(exchange.query, bodyOf(exchange, JSON_TYPES)),
  DELETE: ({ query }) => parseDelete(query),
};

const READS: ReadonlySet<AutoRequest['do']> = new Set<AutoRequest['do']>(['read', 'group', 'row']);

function checkWritable({ readOnly, type, database }: Entry, request: AutoRequest): void {
  if (readOnly === true && !READS.has(request.do)) throw apiError('database_read_only', type, database);
}

/** For the path of a single row. */
export const ROW_PARSERS: Readonly<Record<'GET' | 'PUT' | 'PATCH' | 'DELETE', ParseRow>> = {
  GET: ({ query }, row, { maxPageSize }) => parseReadRow(query, row, maxPageSize),
  PUT: ({ query }, row) => parseUpdate(query, row),
  PATCH: (exchange, row) => parsePatch(exchange.query, bodyOf(exchange, JSON_TYPES), row),
  DELETE: ({ query }, row) => parseDelete(query, row),
};

export function answerAuto(exchange: Exchange, target: Target, parse: Parse, services: AutoServices): Promise<void> {
  const request = parse(exchange, services);
  checkWritable(target.entry, request);
  const format = formatOf(request.format);
  const perform: Perform = (sink, signal) =>
    services.auto.execute(request, signal === target.signal ? target : { ...target, signal }, sink, (table, session, rows) => {
      const run = target.readsOnly && READS.has(request.do) ? runReadOnly : runPlan;
      const begin = (read: AutoRequest): Promise<AutoResult> => run(planRequest(read, table, target.access, session), session, rows);
      const read = readAhead(request, session.owner);
      return read instanceof Promise ? read.then(begin) : begin(read);
    });
  return respond({ exchange, request, target, format, perform }, services.reads);
}
