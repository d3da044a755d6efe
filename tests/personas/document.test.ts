// The document of a persona: its contents, and all its problems with positions and statuses.
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../src/errors.ts';
import { readPersona, type SourceType } from '../../src/personas/document.ts';

const isType = (type: string): boolean => ['pg', 'ms', 'ma', 'ch'].includes(type);
const read = (text: string, type: SourceType = 'yaml') => readPersona(text, type, isType).persona;

function refusal(text: string, type: SourceType = 'yaml'): string {
  try {
    read(text, type);
  } catch (error) {
    if (error instanceof ApiError) return `${error.status} ${error.message}`;
    throw error;
  }
  throw new Error('it was not refused');
}

const WHOLE = `persona: support
about: People who answer customers
roles: [support, support-lead]
rank: 10
tables:
  pg/shop/orders:
    read:
      columns: [id, status, placed_at, note]
      rows: ['status=ne.deleted', 'region=in.?:claims.regions', '$or=(a=eq.1,$null=b)']
      mask: {note: '***', status: null}
      max_page_size: 200
    insert:
      columns: [customer_id, status]
      set: {created_by: '?:user_id', tries: 3, price: 0.10, ok: true, none: null}
    update:
      except: [status]
      rows: ['owner_id=eq.?:user_id']
    delete:
      rows: ['owner_id=eq.?:user_id', 'at=bw.?:claims.from.?:claims.to']
  pg/shop/*: {read: true, insert: {}, update: false}
  ms/shop/a/b: {}
`;

describe('a document', () => {
  test('is read completely', () => {
    const persona = read(WHOLE);
    expect(persona).toMatchObject({
      persona: 'support',
      about: 'People who answer customers',
      roles: ['support', 'support-lead'],
      rank: 10,
    });
    const [orders, others, odd] = persona.tables;
    expect(orders).toMatchObject({
      type: 'pg',
      database: 'shop',
      table: 'orders',
      grants: {
        read: {
          columns: ['id', 'status', 'placed_at', 'note'],
          rows: ['status=ne.deleted', 'region=in.?:claims.regions', '$or=(a=eq.1,$null=b)'],
          mask: new Map([
            ['note', '***'],
            ['status', null],
          ]),
          maxPageSize: 200,
        },
        update: { except: ['status'], rows: ['owner_id=eq.?:user_id'] },
        delete: { rows: ['owner_id=eq.?:user_id', 'at=bw.?:claims.from.?:claims.to'] },
      },
    });
    expect(orders?.grants.insert?.set.get('created_by')).toEqual({ from: 'caller', name: 'user_id' });
    expect(orders?.grants.insert?.set.get('tries')).toEqual({ from: 'document', value: 3 });
    expect(orders?.grants.insert?.set.get('price')).toMatchObject({ value: { text: '0.10' } });
    expect(orders?.grants.insert?.set.get('none')).toEqual({ from: 'document', value: null });
    expect(Object.keys(others?.grants ?? {})).toEqual(['read', 'insert']);
    expect(odd).toMatchObject({ type: 'ms', database: 'shop', table: 'a/b', grants: {} });
  });

  test('may be JSON, and has defaults', () => {
    expect(read('{"persona":"a","roles":["x"],"tables":{"ch/d/t":{"read":true}}}', 'json')).toMatchObject({ rank: 100, about: '' });
  });

  test('can be put as it was returned by get', () => {
    expect(read('{persona: a, roles: [x], tables: {}, updated_at: "2024-01-01T00:00:00Z", user_id: 01J}').persona).toBe('a');
  });

  test('reports all problems with their positions', () => {
    const said = refusal(`persona: Support
colour: red
roles: []
rank: ten
tables:
  pg/orders: {read: true}
  xx/shop/t: {read: true}
  pg/shop/orders:
    reed: true
    read: {columns: [id], except: [x], rows: ['id=is.1', 'a', 'b=eq.?:nobody'], mask: {a: 1}, max_page_size: 0}
    insert: {rows: ['a=eq.1'], set: {a: '?:claims.', b: [1]}}
    update: yes
`);
    expect(said).toMatch(/^400 /);
    for (const place of [
      'persona (line 1, column 1)',
      'colour (line 2, column 1)',
      'roles (line 3',
      'rank (line 4',
      'tables.pg/orders (line 6, column 3)',
      'tables.xx/shop/t (line 7',
      'tables.pg/shop/orders.reed (line 9',
      'tables.pg/shop/orders.read.except (line 10',
      'tables.pg/shop/orders.read.rows[0] (line 10',
      'tables.pg/shop/orders.read.rows[1] (line 10',
      'tables.pg/shop/orders.read.rows[2] (line 10',
      'tables.pg/shop/orders.read.mask.a (line 10',
      'tables.pg/shop/orders.read.max_page_size (line 10',
      'tables.pg/shop/orders.insert.rows (line 11',
      'tables.pg/shop/orders.insert.set.a (line 11',
      'tables.pg/shop/orders.insert.set.b (line 11',
      'tables.pg/shop/orders.update (line 12',
    ])
      expect(said).toContain(place);
  });

  test.each([
    ['', '400'],
    ['[]', '400 .*the document .*mapping'],
    ['a: &x 1\nb: *x', '400 .*aliases'],
    ['a: !!str 1', '400 .*tags'],
    ['a: 1\na: 2', '400 .*unique'],
    ['persona: a', '400 .*roles .*is missing'],
    [`persona: a\nroles: [x]\nabout: ${'x'.repeat(501)}\ntables: {}`, '400 .*about'],
    [`persona: ${'x'.repeat(64)}\nroles: [x]\ntables: {}`, '400 .*63'],
    ['{persona: a, roles: [x], tables: {pg/d/*: {read: {columns: [a], rows: ["a=eq.1"]}}}}', '422 .*columns.*rows'],
    ['{persona: a, roles: [x], tables: {pg/d/*: {insert: {set: {a: 1}}}}}', '422 '],
    ['{persona: a, roles: [x], tables: {pg/d/t: {insert: {columns: [a], set: {a: 1}}}}}', '422 .*set\\.a'],
    ['{persona: a, roles: [x], tables: {pg/d/t: {update: {columns: [a, b], rows: ["$or=(b=eq.1,c=eq.2)"]}}}}', '422 .*columns\\[1\\].*"b"'],
  ])('%j is rejected', (text, why) => {
    expect(refusal(text)).toMatch(new RegExp(`^(?:${why})`, 's'));
  });

  test('is rejected if it is not the JSON that it claims to be', () => {
    expect(refusal('persona: a', 'json')).toMatch(/^400 .*JSON/);
    expect(refusal('{"persona":"A","roles":["x"],"tables":{}}', 'json')).toMatch(/^400 .*persona must/);
  });
});
