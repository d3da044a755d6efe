/**
 * The statement class of a request. Pipelined are statements that take about as long as each other
 * whatever their values are: a row by a unique key, a page near the beginning of a table, also with
 * related rows that the same statement reads, and writes of single rows.
 */
import type { Engine } from '../../engines/contract/engine.ts';
import { BACKGROUND, BULK, EXCLUSIVE, PipelinedClass, type StatementClass } from '../../engines/pool/statement-class.ts';
import type { Table } from '../../model/table.ts';
import { memo, memoPair } from '../../util/memo.ts';
import type { Access } from '../plan/access.ts';
import type { RawFilter } from '../request/filter-syntax.ts';
import { type AutoRequest, OPERATIONS, type RowSelector, type UpdateRequest, type WriteRequest } from '../request/request.ts';

/** Rows of a table that a pipelined page may skip and read, and rows that it may return. */
const MAX_DEPTH = 1000;
const MAX_PAGE = 100;
/** Size of the body of a pipelined write: a few rows. */
const MAX_PIPELINED_BYTES = 4096;
/** Size of a body from which on a write is bulk: some hundred rows. */
const BULK_BYTES = 16 * 1024;

// Tables share connections, but each has a cool-down of its own.
const rowsOf = memo((_: Table) => new PipelinedClass('rows'));
const pagesOf = memo((_: Table) => new PipelinedClass('pages'));
const writesOf = memo((_: Table) => new PipelinedClass('writes'));
/** The same `$expand` text is the same object. */
const expansionsOf = memoPair((_: Table, __: object) => new PipelinedClass('expansions'));

type EngineTraits = Pick<Engine, 'capabilities'>;

export function classOf(request: AutoRequest, table: Table, access: Access, engine: EngineTraits): StatementClass {
  return pipelinedClassOf(request, table, access, engine)?.current ?? exclusiveClassOf(request, engine);
}

/** The class of a request on a connection of its own. */
export function exclusiveClassOf(request: AutoRequest, { capabilities }: EngineTraits): StatementClass {
  if ((request.do === 'insert' || request.do === 'patch') && request.body.length >= BULK_BYTES) return BULK;
  return OPERATIONS[request.do] !== 'read' && capabilities.backgroundWrites === true ? BACKGROUND : EXCLUSIVE;
}

function pipelinedClassOf(
  request: AutoRequest,
  table: Table,
  access: Access,
  { capabilities: { pipelining } }: EngineTraits,
): PipelinedClass | undefined {
  if (table.kind !== 'table' || request.do === 'group') return undefined;
  if (request.do === 'row') return pipelining.includes('read') && request.expand === undefined ? rowsOf(table) : undefined;
  if (request.do !== 'read') return pipelining.includes('write') && isShortWrite(request, table) ? writesOf(table) : undefined;
  if (!pipelining.includes('read') || request.count !== undefined) return undefined;
  const { filters, page, size, order, expand } = request;
  if (filters.length > 0) return expand === undefined && includesKey(table, filters) ? rowsOf(table) : undefined;
  // Another order may sort the whole table, and the rule of a persona may skip most of it.
  if (order !== undefined || table.primaryKey.length === 0 || access.restriction !== undefined) return undefined;
  if (size > MAX_PAGE || (page + 1) * size > MAX_DEPTH) return undefined;
  return expand === undefined ? pagesOf(table) : expansionsOf(table, expand);
}

/**
 * A write by one statement, which is a transaction of its own: of one row by its key, or of a few
 * new rows.
 */
function isShortWrite(request: WriteRequest, table: Table): boolean {
  if (!table.transactional || request.dryRun || request.maxAffected !== undefined || request.do === 'patch') return false;
  if (request.do === 'insert') return request.body.length <= MAX_PIPELINED_BYTES;
  if (request.ifMatch !== undefined || !isOneRow(table, request.where)) return false;
  return request.do === 'delete' || isShort(request.changes);
}

function isShort(changes: UpdateRequest['changes']): boolean {
  return !('body' in changes) || changes.body.length <= MAX_PIPELINED_BYTES;
}

function isOneRow(table: Table, where: RowSelector): boolean {
  return 'key' in where || includesKey(table, where.filters);
}

/** Filters on related tables may take longer than the row itself. */
function includesKey({ primaryKey, unique }: Table, filters: readonly RawFilter[]): boolean {
  if (!filters.every((filter) => 'column' in filter)) return false;
  return isIncluded(primaryKey, filters) || unique.some((key) => isIncluded(key, filters));
}

function isIncluded(columns: Table['primaryKey'], filters: readonly RawFilter[]): boolean {
  return columns.length > 0 && columns.every(({ name }) => filters.some((filter) => filter.op === 'eq' && filter.column === name));
}
