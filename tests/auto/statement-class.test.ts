// The statement class of a request: statements that take about as long as others of their table are
// pipelined.
import { afterEach, describe, expect, test, vi } from 'vitest';
import { classOf } from '../../src/auto/execute/statement-class.ts';
import { type Access, UNRESTRICTED } from '../../src/auto/plan/access.ts';
import { parseRead, parseReadRow } from '../../src/auto/request/parse-request.ts';
import type { AutoRequest, DeleteRequest, InsertRequest, UpdateRequest } from '../../src/auto/request/request.ts';
import type { Engine } from '../../src/engines/contract/engine.ts';
import { PipelinedClass } from '../../src/engines/pool/statement-class.ts';
import { type Column, makeTable, type Table } from '../../src/model/table.ts';
import type { QueryParameter } from '../../src/util/text/query.ts';

const column = (name: string): Column => ({
  name,
  type: 'int',
  kind: 'int',
  cast: 'int',
  nullable: true,
  primaryKey: false,
  default: null,
  required: false,
  readOnly: false,
  sortable: true,
});
const COLUMNS = ['id', 'part', 'email', 'name'].map(column);
const FACTS = { schema: 's', name: 't', storage: '', transactional: true, columns: COLUMNS, unique: [['email']] } as const;
const table = makeTable({ ...FACTS, kind: 'table', key: ['id'] });
const pair = makeTable({ ...FACTS, kind: 'table', key: ['id', 'part'], unique: [] });
const view = makeTable({ ...FACTS, kind: 'view', key: [] });
const keyless = makeTable({ ...FACTS, kind: 'table', key: [], unique: [] });

function read(query: string) {
  const given = new URLSearchParams(query);
  if (!given.has('pg')) given.set('pg', '0');
  if (!given.has('ps')) given.set('ps', '20');
  const parameters: QueryParameter[] = [...given].map(([name, value]) => ({ name, value }));
  return parseRead(parameters, 1000);
}

const engineWith = (more: Partial<Engine['capabilities']> = {}): Pick<Engine, 'capabilities'> => ({
  capabilities: {
    transactions: true,
    returning: ['insert', 'update', 'delete'],
    readsBack: false,
    transactionalDdl: false,
    schemas: false,
    sharedReads: false,
    pipelining: ['read', 'write'],
    bulkyWrites: 1,
    ...more,
  },
});
const ENGINE = engineWith();

function isPipelined(request: AutoRequest, of: Table, access: Access = UNRESTRICTED, engine = ENGINE): boolean {
  return classOf(request, of, access, engine).kind === 'pipelined';
}

const PLAIN = { format: 'json', dryRun: false, maxAffected: undefined, returning: undefined } as const;
const ROW = { key: [{ text: '5' }] } as unknown as DeleteRequest['where'];
const insert = (more: Partial<InsertRequest> = {}): InsertRequest => ({
  ...PLAIN,
  do: 'insert',
  body: Buffer.from('[{"id":1}]'),
  upsert: undefined,
  ...more,
});
const update = (more: Partial<UpdateRequest> = {}): UpdateRequest => ({
  ...PLAIN,
  do: 'update',
  where: ROW,
  changes: { column: 'name', text: '1' },
  ifMatch: undefined,
  ...more,
});
const remove = (more: Partial<DeleteRequest> = {}): DeleteRequest => ({ ...PLAIN, do: 'delete', where: ROW, ifMatch: undefined, ...more });
const where = (query: string): DeleteRequest['where'] => ({ filters: read(query).filters });

describe('pipelined is', () => {
  test.each([
    ['a row by its key', 'id=eq.5', table],
    ['a row by another unique key', 'email=eq.5', table],
    ['with more conditions', 'name=ne.5&id=eq.5&$select=name', table],
    ['by all columns of a key', 'part=eq.1&id=eq.5', pair],
    ['a page at the beginning', 'ps=20', table],
    ['a page near it', 'pg=49&ps=20', table],
    ['the next page of a cursor', '$after=&ps=100', table],
    ['a page with what belongs to it', 'ps=20&$expand=lines', table],
  ])('%s', (_, query, of) => {
    expect(isPipelined(read(query), of)).toBe(true);
  });

  test('the path of a row', () => {
    const row = parseReadRow([], { key: '5', ifMatch: undefined, ifNoneMatch: undefined }, 1000);
    expect(isPipelined(row, table)).toBe(true);
    expect(isPipelined(row, view)).toBe(false);
  });
});

describe('not pipelined is', () => {
  test.each([
    ['any other filter', 'name=eq.5', table],
    ['a part of a key', 'id=eq.5', pair],
    ['another operator', 'id=gt.5', table],
    ['several keys', 'id=in.5,6', table],
    ['a key among others', '$or=(id=eq.5,name=eq.1)', table],
    ['a view, whatever is asked', 'id=eq.5', view],
    ['a page further behind', 'pg=50&ps=20', table],
    ['a long page', 'ps=101', table],
    ['another order', 'ps=20&$order=name', table],
    ['no key to order by', 'ps=20', keyless],
    ['with a count', 'id=eq.5&$count=exact', table],
    ['a row with what belongs to it', 'id=eq.5&$expand=lines', table],
    ['a key and a condition on another table', 'id=eq.5&$has=lines', table],
  ])('%s', (_, query, of) => {
    expect(isPipelined(read(query), of)).toBe(false);
  });
});

describe('a pipelined write is', () => {
  test.each([
    ['an insert of a few rows', insert()],
    ['an upsert of a few rows', insert({ upsert: 'primary key' })],
    ['an insert that returns its row', insert({ returning: { select: undefined } })],
    ['an update of a row by its path', update()],
    ['an update of several columns', update({ changes: { body: Buffer.from('{"name":1}') } })],
    ['an update of a row by its key', update({ where: where('id=eq.5') })],
    ['a delete of a row by its path', remove()],
    ['a delete by another unique key', remove({ where: where('email=eq.5&name=ne.1') })],
  ])('%s', (_, request) => {
    expect(isPipelined(request, table)).toBe(true);
    expect(isPipelined(request, makeTable({ ...FACTS, kind: 'table', key: ['id'], transactional: false }))).toBe(false);
    expect(isPipelined(request, view)).toBe(false);
    expect(isPipelined(request, table, UNRESTRICTED, engineWith({ pipelining: ['read'] }))).toBe(false);
    expect(isPipelined({ ...request, dryRun: true }, table)).toBe(false);
    expect(isPipelined({ ...request, maxAffected: 5 }, table)).toBe(false);
  });

  test.each([
    ['many rows', insert({ body: Buffer.alloc(5000) })],
    ['a large value', update({ changes: { body: Buffer.alloc(5000) } })],
    ['rows that match a filter', update({ where: where('name=eq.5') })],
    ['a range of keys', remove({ where: where('id=gt.5') })],
    ['a row with If-Match', update({ ifMatch: ['x'] as unknown as UpdateRequest['ifMatch'] })],
    ['rows by the keys of a body', { ...PLAIN, do: 'patch', body: Buffer.from('[]') } as const],
  ])('not one of %s', (_, request) => {
    expect(isPipelined(request, table)).toBe(false);
  });
});

test('pages are exclusive where the rule of a persona may skip many rows', () => {
  const restricted = { ...UNRESTRICTED, restriction: {} } as unknown as Access;
  expect(isPipelined(read('ps=20'), table, restricted)).toBe(false);
  expect(isPipelined(read('id=eq.5'), table, restricted)).toBe(true);
});

test('writes of many rows are bulk, and writes in the background need no permit', () => {
  const rows = insert({ body: Buffer.alloc(20_000) });
  expect(classOf(rows, table, UNRESTRICTED, ENGINE).kind).toBe('bulk');
  const engine = engineWith({ pipelining: [], backgroundWrites: true });
  const kinds = [insert(), update(), remove(), rows, read('id=eq.5')].map((request) => classOf(request, table, UNRESTRICTED, engine).kind);
  expect(kinds).toEqual(['background', 'background', 'background', 'bulk', 'exclusive']);
});

describe('a pipelined class', () => {
  afterEach(() => void vi.restoreAllMocks());

  test('shares connections with the same class of other tables, but not its cool-down', () => {
    const other = makeTable({ ...FACTS, name: 'other', kind: 'table', key: ['id'] });
    const [first, second] = [table, other].map((of) => classOf(read('id=eq.5'), of, UNRESTRICTED, ENGINE)) as [
      PipelinedClass,
      PipelinedClass,
    ];
    expect(first).not.toBe(second);
    expect(first.batchKey).toBe(second.batchKey);
    const keys = [read('id=eq.5'), read('pg=3'), insert()].map(
      (request) => (classOf(request, table, UNRESTRICTED, ENGINE) as PipelinedClass).batchKey,
    );
    expect(new Set(keys).size).toBe(3);
  });

  test('is exclusive for 30 seconds after it blocked others or met a slow reader', () => {
    let now = 1000;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const flow = { pause: vi.fn(), resume: vi.fn() };
    const rows = new PipelinedClass('rows');
    for (const cool of [() => rows.coolDown(), () => rows.flow(flow).pause()]) {
      expect(rows.current).toBe(rows);
      cool();
      now += 29_999;
      expect(rows.current.kind).toBe('exclusive');
      now += 2;
    }
    expect(rows.current).toBe(rows);
    expect(flow.pause).toHaveBeenCalledOnce();
  });
});
