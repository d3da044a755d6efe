// Which reads may share a connection: those that take about as long as any other of their table.
import { describe, expect, test } from 'vitest';
import { type Access, UNRESTRICTED } from '../../src/auto/access.ts';
import { BriefKind, BriefKinds } from '../../src/auto/brief.ts';
import { type AutoRequest, parseDelete, parseRead, parseReadRow } from '../../src/auto/request.ts';
import { type Column, makeTable, type Table } from '../../src/model/table.ts';
import type { QueryParameter } from '../../src/util/query.ts';

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

function isBrief(request: AutoRequest, of: Table, access: Access = UNRESTRICTED): boolean {
  return new BriefKinds().of(request, of, access) !== undefined;
}

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

  test('a write', () => {
    expect(isBrief(parseDelete([{ name: 'id', value: 'eq.5' }]), table)).toBe(false);
  });
});

describe('a kind of brief reads', () => {
  test('is that of the rows of a table, or of its pages', () => {
    const kinds = new BriefKinds();
    const row = kinds.of(read('id=eq.5'), table, UNRESTRICTED);
    expect(kinds.of(read('email=eq.1'), table, UNRESTRICTED)).toBe(row);
    const page = kinds.of(read('pg=3'), table, UNRESTRICTED);
    expect(kinds.of(read('pg=0'), table, UNRESTRICTED)).toBe(page);
    expect(page).not.toBe(row);
    expect(kinds.of(read('id=eq.5'), makeTable({ ...FACTS, kind: 'table', key: ['id'] }), UNRESTRICTED)).not.toBe(row);
    expect([row?.isShared, page?.isShared]).toEqual([true, true]);
  });

  test('has to show that it is brief where rules may leave some of many rows, and each persona by itself', () => {
    const accessWith = (view: Table): Access => {
      const right = { view, isBroken: false };
      const restriction = { subject: { persona: 'p' }, rightsOn: () => ({ rights: { read: right } }) };
      return { key: 'p', restriction, isBlind: false } as unknown as Access;
    };
    const mine = accessWith({ ...table });
    const kinds = new BriefKinds();
    const page = kinds.of(read('ps=20'), table, mine);
    expect(page?.isShared).toBe(false);
    for (let i = 0; i < 8; i++) page?.took(2, false);
    expect(page?.isShared).toBe(true);
    expect(kinds.of(read('ps=20'), table, accessWith({ ...table }))?.isShared).toBe(false);
    expect(kinds.of(read('id=eq.5'), table, mine)?.isShared).toBe(true);
  });

  test('is not shared when it has been slow, until it is quick again', () => {
    const kind = new BriefKind(true);
    kind.took(70, true);
    expect(kind.isShared).toBe(true);
    kind.took(90, true);
    expect(kind.isShared).toBe(false);
    for (let i = 0; i < 7; i++) kind.took(9, false);
    kind.took(11, false);
    for (let i = 0; i < 7; i++) kind.took(9, false);
    expect(kind.isShared).toBe(false);
    kind.took(9, false);
    expect(kind.isShared).toBe(true);
  });

  test('is never shared again when one of them was not fit for it', () => {
    const kind = new BriefKind(true);
    kind.neverShare();
    for (let i = 0; i < 20; i++) kind.took(1, false);
    expect(kind.isShared).toBe(false);
  });
});
