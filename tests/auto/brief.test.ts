// Which statements may share a connection: those that take about as long as any other of their table.
import { describe, expect, test, vi } from 'vitest';
import { BriefKinds } from '../../src/auto/execute/statement-class.ts';
import { type Access, UNRESTRICTED } from '../../src/auto/plan/access.ts';
import { parseRead, parseReadRow } from '../../src/auto/request/parse-request.ts';
import type { AutoRequest, DeleteRequest, InsertRequest, UpdateRequest } from '../../src/auto/request/request.ts';
import type { Engine } from '../../src/engines/contract/engine.ts';
import { BriefKind } from '../../src/engines/pool/statement-class.ts';
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

const engineWith = (
  returning: Engine['capabilities']['returning'],
  transactions = true,
  readsBack = false,
): Pick<Engine, 'capabilities'> => ({
  capabilities: {
    transactions,
    returning,
    readsBack,
    transactionalDdl: false,
    schemas: false,
    sharedReads: false,
    pipelining: true,
    bulkyWrites: 1,
  },
});
const ENGINE = engineWith(['insert', 'update', 'delete']);

function isBrief(request: AutoRequest, of: Table, access: Access = UNRESTRICTED, engine = ENGINE): boolean {
  return new BriefKinds().of(request, of, access, engine) !== undefined;
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

describe('brief', () => {
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
    expect(isBrief(read(query), of)).toBe(true);
  });

  test('the path of a row', () => {
    const row = parseReadRow([], { key: '5', ifMatch: undefined, ifNoneMatch: undefined }, 1000);
    expect(isBrief(row, table)).toBe(true);
    expect(isBrief(row, view)).toBe(false);
  });
});

describe('not brief', () => {
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
    expect(isBrief(read(query), of)).toBe(false);
  });
});

describe('a brief write', () => {
  test.each([
    ['a few new rows', insert()],
    ['new or changed ones', insert({ upsert: 'primary key' })],
    ['one that comes back', insert({ returning: { select: undefined } })],
    ['a row by its path', update()],
    ['several columns of it', update({ changes: { body: Buffer.from('{"name":1}') } })],
    ['a row by its key', update({ where: where('id=eq.5') })],
    ['a row that goes', remove()],
    ['by another unique key', remove({ where: where('email=eq.5&name=ne.1') })],
  ])('%s', (_, request) => {
    expect(isBrief(request, table)).toBe(true);
    expect(isBrief(request, makeTable({ ...FACTS, kind: 'table', key: ['id'], transactional: false }))).toBe(false);
    expect(isBrief(request, view)).toBe(false);
    expect(isBrief(request, table, UNRESTRICTED, engineWith([], false))).toBe(false);
    expect(isBrief({ ...request, dryRun: true }, table)).toBe(false);
    expect(isBrief({ ...request, maxAffected: 5 }, table)).toBe(false);
    const returned = { ...request, returning: { select: undefined } };
    expect([isBrief(returned, table), isBrief(returned, table, UNRESTRICTED, engineWith([]))]).toEqual([true, false]);
    // Where rows are read again, a new one is read with what writes it.
    expect(isBrief(returned, table, UNRESTRICTED, engineWith([], true, true))).toBe(request.do === 'insert');
  });

  test('that is read again is of a kind of its own', () => {
    const kinds = new BriefKinds();
    const returned = insert({ returning: { select: undefined } });
    const of = (request: AutoRequest, engine: typeof ENGINE) => kinds.of(request, table, UNRESTRICTED, engine);
    expect(of(returned, ENGINE)).toBe(of(insert(), ENGINE));
    expect(of(returned, engineWith([], true, true))).not.toBe(of(insert(), ENGINE));
  });

  test.each([
    ['many rows', insert({ body: Buffer.alloc(5000) })],
    ['a large value', update({ changes: { body: Buffer.alloc(5000) } })],
    ['rows that match', update({ where: where('name=eq.5') })],
    ['keys above one', remove({ where: where('id=gt.5') })],
    ['a condition on the row', update({ ifMatch: ['x'] as unknown as UpdateRequest['ifMatch'] })],
    ['rows by the keys of a body', { ...PLAIN, do: 'patch', body: Buffer.from('[]') } as const],
  ])('is not that of %s', (_, request) => {
    expect(isBrief(request, table)).toBe(false);
  });
});

describe('a kind of brief statements', () => {
  test('is that of the rows of a table, or of its pages', () => {
    const kinds = new BriefKinds();
    const row = kinds.of(read('id=eq.5'), table, UNRESTRICTED, ENGINE);
    expect(kinds.of(read('email=eq.1'), table, UNRESTRICTED, ENGINE)).toBe(row);
    const page = kinds.of(read('pg=3'), table, UNRESTRICTED, ENGINE);
    expect(kinds.of(read('pg=0'), table, UNRESTRICTED, ENGINE)).toBe(page);
    expect(page).not.toBe(row);
    expect(kinds.of(read('id=eq.5'), makeTable({ ...FACTS, kind: 'table', key: ['id'] }), UNRESTRICTED, ENGINE)).not.toBe(row);
    expect([row?.isPipelined, page?.isPipelined]).toEqual([true, true]);
  });

  test('is of the party of its like in other tables, if it takes as long there', () => {
    const kinds = new BriefKinds();
    const other = makeTable({ ...FACTS, name: 'other', kind: 'table', key: ['id'] });
    const partyOf = (request: AutoRequest, of: Table, access = UNRESTRICTED) => kinds.of(request, of, access, ENGINE)?.party;
    const requests = [read('id=eq.5'), read('pg=3'), insert()];
    const parties = requests.map((request) => partyOf(request, table));
    expect(requests.map((request) => partyOf(request, other))).toEqual(parties);
    expect([new Set(parties).size, parties.includes(undefined)]).toEqual([3, false]);
    expect(kinds.of(read('$expand=items'), table, UNRESTRICTED, ENGINE)?.party).toBeUndefined();
  });

  test('rests when one of them held up others, and for longer when that happens again soon', () => {
    let now = 5000;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    try {
      const kind = new BriefKind({ isProven: true });
      const restsFor = (): number => {
        const from = now;
        kind.heldUpOthers();
        // Whoever is stopped beside it says nothing new.
        kind.heldUpOthers();
        for (let i = 0; i < 8; i++) kind.took(1);
        while (!kind.isPipelined && now < from + 200_000) now += 500;
        return now - from;
      };
      expect([restsFor(), restsFor(), restsFor()]).toEqual([1000, 2000, 4000]);
      now += 39_000;
      expect(restsFor()).toBe(8000);
      now += 80_000;
      expect(restsFor()).toBe(1000);
      for (let i = 0; i < 9; i++) restsFor();
      expect(restsFor()).toBe(60_000);
      expect(kind.isPipelined).toBe(true);
      kind.heldUpOthers();
      now += 60_000;
      for (let i = 0; i < 7; i++) kind.took(1);
      expect(kind.isPipelined).toBe(false);
      kind.took(1);
      expect(kind.isPipelined).toBe(true);
    } finally {
      clock.mockRestore();
    }
  });

  test('has to show that it is brief where rules may leave some of many rows, and each persona by itself', () => {
    const accessWith = (view: Table): Access => {
      const right = { view, isBroken: false };
      const restriction = { subject: { persona: 'p' }, rightsOn: () => ({ rights: { read: right } }) };
      return { key: 'p', restriction, isBlind: false } as unknown as Access;
    };
    const mine = accessWith({ ...table });
    const kinds = new BriefKinds();
    const page = kinds.of(read('ps=20'), table, mine, ENGINE);
    expect(page?.isPipelined).toBe(false);
    for (let i = 0; i < 8; i++) page?.took(2);
    expect(page?.isPipelined).toBe(true);
    expect(kinds.of(read('ps=20'), table, accessWith({ ...table }), ENGINE)?.isPipelined).toBe(false);
    expect(kinds.of(read('id=eq.5'), table, mine, ENGINE)?.isPipelined).toBe(true);
  });

  test('is not shared when it has been slow, until it is quick again', () => {
    const kind = new BriefKind({ isProven: true });
    kind.wentTogether(8, 70);
    expect(kind.isPipelined).toBe(true);
    kind.wentTogether(8, 90);
    expect(kind.isPipelined).toBe(false);
    for (let i = 0; i < 7; i++) kind.took(9);
    kind.took(11);
    for (let i = 0; i < 7; i++) kind.took(9);
    expect(kind.isPipelined).toBe(false);
    kind.took(9);
    expect(kind.isPipelined).toBe(true);
  });

  test('is never shared again when one of them was not fit for it', () => {
    const kind = new BriefKind({ isProven: true });
    kind.neverShare();
    for (let i = 0; i < 20; i++) kind.took(1);
    expect(kind.isPipelined).toBe(false);
  });

  test('of writes has to show that it is brief, and again when one of them needed more than a statement', () => {
    const kind = new BriefKind({ isProven: false, writes: true });
    for (let round = 0; round < 2; round++) {
      expect(kind.isPipelined).toBe(false);
      for (let i = 0; i < 8; i++) kind.took(1);
      expect(kind.isPipelined).toBe(true);
      kind.needsOwn();
    }
    const reads = new BriefKind({ isProven: true });
    reads.needsOwn();
    for (let i = 0; i < 8; i++) reads.took(1);
    expect([kind.yields, reads.yields, reads.isPipelined]).toEqual([true, false, false]);
  });

  test('of inserts that are written as one takes its time, and no disk matters', () => {
    const merging = { ...engineWith([], false), mergesWrites: ({ storage }: Table) => storage === 'MergeTree' };
    const merged = makeTable({ ...FACTS, storage: 'MergeTree', kind: 'table', key: ['id'] });
    const kinds = new BriefKinds();
    const of = (request: AutoRequest, to = merged) => kinds.of(request, to, UNRESTRICTED, merging);
    const kind = of(insert());
    expect([kind?.inOne?.enough, kind?.isPipelined]).toEqual([2, false]);
    for (let i = 0; i < 8; i++) kind?.took(190);
    for (let i = 0; i < 100; i++) kind?.wentTogether(16, 200);
    expect(kind?.isPipelined).toBe(true);
    for (const other of [
      { dryRun: true },
      { maxAffected: 1 },
      { upsert: 'primary key' },
      { body: Buffer.alloc(5000) },
      { returning: [] },
    ] as const)
      expect(of(insert(other as Partial<InsertRequest>))).toBeUndefined();
    expect(of(insert(), table)).toBeUndefined();
    const alone = { ...merging, capabilities: { ...merging.capabilities, pipelining: false } };
    expect(kinds.of(read('id=eq.5'), merged, UNRESTRICTED, alone)).toBeUndefined();
  });

  test('of changes that are done as one are those of rows by what the table is sorted by', () => {
    const merging = { ...engineWith([], false), mergesWrites: ({ storage }: Table) => storage === 'MergeTree' };
    const sorted = makeTable({ ...FACTS, storage: 'MergeTree', kind: 'table', key: ['id', 'part'], keyRepeats: true, unique: [] });
    const kinds = new BriefKinds();
    const { capabilities } = merging;
    const of = (request: AutoRequest, to = sorted, access: Access = UNRESTRICTED) =>
      kinds.of(request, to, access, { ...merging, capabilities: { ...capabilities, pipelining: false } });
    const where = (query: string) => ({ filters: read(query).filters });
    const byId = of(remove({ where: where('id=eq.5') }));
    expect([byId?.inOne?.enough, byId?.isPipelined]).toEqual([1, true]);
    byId?.took(5000);
    byId?.wentTogether(16, 60_000);
    expect(byId?.isPipelined).toBe(true);
    expect(of(update({ where: where('part=eq.5&id=eq.1') }))).toBe(byId);
    for (const query of ['name=eq.5', 'id=eq.5&name=eq.5', 'id=gt.5', 'id=in.(5,6)', 'id=ne.5'])
      expect([query, of(remove({ where: where(query) }))]).toEqual([query, undefined]);
    for (const other of [{ maxAffected: 1 }, { where: ROW }] as const) expect(of(update({ where: where('id=eq.5'), ...other }))).toBe(byId);
    for (const other of [{ dryRun: true }, { returning: [] }, { ifMatch: [] }] as const)
      expect(of(update({ where: where('id=eq.5'), ...(other as unknown as Partial<UpdateRequest>) }))).toBeUndefined();
    expect(of(update({ where: where('id=eq.5'), changes: { body: Buffer.alloc(5000) } }))).toBeUndefined();
    expect(of(remove({ where: where('id=eq.5') }), table)).toBeUndefined();
    const restricted = { ...UNRESTRICTED, restriction: {} } as unknown as Access;
    expect(of(remove({ where: where('id=eq.5') }), sorted, restricted)).toBeUndefined();
  });

  test('of writes is not shared for a while when even the quickest waited for a disk', () => {
    const kind = new BriefKind({ isProven: true, writes: true });
    const share = (ms: number): void => kind.wentTogether(4, ms);
    for (let i = 0; i < 15; i++) share(8);
    share(1);
    expect(kind.isPipelined).toBe(true);
    for (let i = 0; i < 16; i++) share(4);
    expect(kind.isPipelined).toBe(false);
    for (let i = 0; i < 1999; i++) kind.took(1);
    expect(kind.isPipelined).toBe(false);
    kind.took(1);
    expect(kind.isPipelined).toBe(true);
    // Reads wait for nothing of the kind, and one by itself says nothing.
    const reads = new BriefKind({ isProven: true });
    for (let i = 0; i < 100; i++) reads.wentTogether(4, 8);
    for (let i = 0; i < 100; i++) kind.wentTogether(1, 8);
    expect([reads.isPipelined, kind.isPipelined]).toEqual([true, true]);
  });
});
