// `$expand` over HTTP on each engine: kinds, hints, junctions, options, nesting, truncation,
// formats and errors.
import { deserialize } from 'bson';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ENGINE_NAMES } from '../support/engines.ts';
import { type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';
import { createShop, type Shop } from './shop-tables.ts';
import { type ErrorBody, TableClient } from './users-table.ts';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service?.stop());

type Row = Record<string, unknown>;

describe.each(ENGINE_NAMES)('$expand on %s', (engine) => {
  let shop: Shop;
  let project: TestProject;
  const table = (name: string): TableClient => new TableClient(service, project, shop.database, name);
  const rows = (name: string, query: string): Promise<Row[]> => table(name).rows<Row>(query);

  beforeAll(async () => {
    shop = await createShop(engine);
    project = await setUpProject(service, [shop.entry]);
  });
  afterAll(() => shop?.database.drop());

  it('returns the referenced row, or null', async () => {
    const orders = await rows('orders', '$expand=customer&$select=id');
    expect(orders).toEqual([
      { id: 1, customer: { id: 1, code: 'ada', name: 'Ada' } },
      { id: 2, customer: { id: 1, code: 'ada', name: 'Ada' } },
      { id: 3, customer: { id: 2, code: 'bob', name: 'Bob, the "second"' } },
      { id: 4, customer: null },
    ]);
  });

  it('returns the referencing rows in the order of their key, with exact values', async () => {
    const [ada, bob, cy] = await rows('customer', '$expand=orders&$select=name');
    expect(ada).toMatchObject({ name: 'Ada', orders: [{ id: 1 }, { id: 2 }] });
    expect(bob).toMatchObject({ orders: [{ id: 3 }] });
    expect(cy).toEqual({ name: 'Cy', orders: [] });
    const text = (await table('customer').get('pg=0&ps=1&$expand=orders&$select=name')).text;
    expect(text).toMatch(
      /^\[\{"name":"Ada","orders":\[\{"id":1,"customer_id":1,"status":"open","total":10(\.0000)?,"placed_at":"2024-01-02T03:04:05\.678Z?"\},/,
    );
  });

  it('returns one referencing row if the foreign key is unique', async () => {
    const [ada, bob] = await rows('customer', '$expand=profile($select=bio)&$select=id');
    const bio = { bio: 'likes <b>; & "quotes"' };
    const isMany = engine === 'clickhouse';
    expect([ada, bob]).toEqual([
      { id: 1, profile: isMany ? [bio] : bio },
      { id: 2, profile: isMany ? [] : null },
    ]);
  });

  it.each(['$order', '$select'])('rejects %s without a value as at the top', async (name) => {
    const top = await table('customer').get(`pg=0&ps=3&${name}`);
    const nested = await table('customer').get(`pg=0&ps=3&$expand=orders(${name})`);
    expect([top.status, nested.status]).toEqual([400, 400]);
  });

  it('accepts hints, aliases and quotes', async () => {
    const [first, , third] = await rows(
      'parcel',
      '$expand=from:customer!sender_id($select=id),"to:":"customer"!"receiver_id"($select=name)&$select=id',
    );
    expect(first).toEqual({ id: 1, from: { id: 1 }, 'to:': { name: 'Bob, the "second"' } });
    expect(third).toEqual({ id: 3, from: { id: 1 }, 'to:': null });
    const [ada] = await rows('customer', '$expand=sent:parcel!sender_id($select=id),got:parcel!receiver_id($select=id)&$select=id');
    expect(ada).toEqual({ id: 1, sent: [{ id: 1 }, { id: 3 }], got: [{ id: 2 }] });
  });

  it('follows junctions, and foreign keys to the same table', async () => {
    const products = await rows('product', '$expand=tags:tag!product_tag($select=label)&$select=id');
    expect(products).toEqual([
      { id: 1, tags: [{ label: 'new' }, { label: 'old' }] },
      { id: 2, tags: [{ label: 'new' }] },
      { id: 3, tags: [] },
    ]);
    const people = await rows(
      'employee',
      '$expand=boss:employee!manager_id.one($select=name),staff:employee!manager_id.many($select=name)&$select=id',
    );
    expect(people).toEqual([
      { id: 1, boss: null, staff: [{ name: 'Fay' }, { name: 'Gus' }] },
      { id: 2, boss: { name: 'Eve' }, staff: [{ name: 'Hal' }] },
      { id: 3, boss: { name: 'Eve' }, staff: [] },
      { id: 4, boss: { name: 'Fay' }, staff: [] },
    ]);
  });

  it('follows keys of two columns', async () => {
    const visits = await rows('visit', '$expand=place($select=people)&$select=id');
    expect(visits.map(({ place }) => place)).toEqual([{ people: 2100000 }, { people: 2000000 }, null, { people: 2100000 }]);
    const places = await rows('place', '$expand=visit($select=id)&$select=city');
    expect(places).toEqual([
      { city: 'Wien', visit: [{ id: 2 }] },
      { city: 'Paris', visit: [{ id: 1 }, { id: 4 }] },
    ]);
  });

  it('follows junctions whose keys have several columns, in both directions', async () => {
    const customers = await rows('customer', '$expand=seen:place!trip($select=city)&$select=id');
    expect(customers).toEqual([
      { id: 1, seen: [{ city: 'Wien' }, { city: 'Paris' }] },
      { id: 2, seen: [{ city: 'Paris' }] },
      { id: 3, seen: [] },
    ]);
    const places = await rows('place', '$expand=guests:customer!trip($select=id;$order=id.desc;$ps=1)&$select=city');
    expect(places).toEqual([
      { city: 'Wien', guests: [{ id: 1 }] },
      { city: 'Paris', guests: [{ id: 2 }] },
    ]);
    const deep = await rows('visit', '$expand=place($select=city;$expand=customer!trip($select=id))&$select=id&id=eq.1');
    expect(deep).toEqual([{ id: 1, place: { city: 'Paris', customer: [{ id: 1 }, { id: 2 }] } }]);
  });

  it('accepts filters, order and size, and reports truncation', async () => {
    const answer = await table('customer').get('pg=0&ps=10&$select=id&$expand=orders($select=id;$order=id.desc;$ps=1)');
    expect(answer.headers['x-expand-truncated']).toBe('orders');
    expect(answer.json()).toEqual([
      { id: 1, orders: [{ id: 2 }] },
      { id: 2, orders: [{ id: 3 }] },
      { id: 3, orders: [] },
    ]);
    const filtered = await table('customer').get(
      'pg=0&ps=10&$select=id&$expand=orders($select=id;status=in.open,lost;$or=(total=gt.1,$null=total))',
    );
    expect(filtered.headers['x-expand-truncated']).toBeUndefined();
    expect(filtered.json()).toEqual([
      { id: 1, orders: [{ id: 1 }] },
      { id: 2, orders: [] },
      { id: 3, orders: [] },
    ]);
  });

  it('nests', async () => {
    const query =
      '$select=id&id=eq.1&$expand=orders($select=id;$ps=1;$expand=item($select=line;$ps=2;$expand=product($select=name,price)))';
    const answer = await table('customer').get(`pg=0&ps=5&${query}`);
    expect(answer.headers['x-expand-truncated']).toBe('orders, orders.item');
    const exact = answer.text.replace('"price":1.5,', '"price":1.5000,').replace('"price":1.5}', '"price":1.5000}');
    expect(exact).toBe(
      '[{"id":1,"orders":[{"id":1,"item":[{"line":1,"product":{"name":"pen","price":1.5000}},{"line":2,"product":{"name":"ink","price":1234567890123456.7891}}]}]}]',
    );
  });

  it('works on a single row, which then has no ETag', async () => {
    const path = `${project.autoPath(shop.database.dbType, shop.database.name, 'orders')}/1`;
    const get = (query: string) => service.request('GET', `${path}?${query}`, { headers: project.headers });
    const answer = await get('$select=id&$expand=customer($select=name),item($select=line;$ps=1)');
    expect([answer.status, answer.json()]).toEqual([200, { id: 1, customer: { name: 'Ada' }, item: [{ line: 1 }] }]);
    expect([answer.headers['etag'], answer.headers['x-expand-truncated']]).toEqual([undefined, 'item']);
    const yaml = await get('$select=id&$expand=customer($select=name),item($select=line;$ps=1)&format=yaml');
    expect(parse(yaml.text)).toEqual({ id: 1, customer: { name: 'Ada' }, item: [{ line: 1 }] });
    const missing = await service.request('GET', `${path}9?$expand=customer`, { headers: project.headers });
    expect(missing.status).toBe(404);
  });

  it('can be combined with counts and cursors', async () => {
    const first = await table('orders').get('pg=0&ps=2&$after=&$count=exact&$select=status&$expand=customer($select=id)');
    expect(first.json()).toEqual([
      { status: 'open', customer: { id: 1 } },
      { status: 'paid', customer: { id: 1 } },
    ]);
    expect(first.headers['x-total-count']).toBe('4');
    const next = await table('orders').get(
      `pg=0&ps=2&$after=${first.headers['x-next-cursor']}&$select=status&$expand=customer($select=id)`,
    );
    expect(next.json()).toEqual([
      { status: 'open', customer: { id: 2 } },
      { status: 'lost', customer: null },
    ]);
  });

  const nested =
    'pg=0&ps=1&$select=id&$expand=customer($select=id,name),item($select=line,quantity;$ps=2;$expand=product($select=price))&id=eq.1';
  it('is nested in XML, YAML and BSON, and a JSON string in CSV', async () => {
    const xml = (await table('orders').get(`${nested}&format=xml`)).text.replaceAll('1.5000', '1.5');
    expect(xml).toBe(
      '<?xml version="1.0" encoding="UTF-8"?><response><row><id>1</id><customer><id>1</id><name>Ada</name></customer><item>' +
        '<row><line>1</line><quantity>5</quantity><product><price>1.5</price></product></row>' +
        '<row><line>2</line><quantity>1</quantity><product><price>1234567890123456.7891</price></product></row></item></row></response>',
    );
    const none = (await table('orders').get('pg=0&ps=1&$select=id&$expand=customer,item&id=eq.4&format=xml')).text;
    expect(none).toContain('<row><id>4</id><customer nil="true"/><item></item></row>');
    const csv = (await table('orders').get(`${nested}&format=csv`)).text.replaceAll('1.5000', '1.5');
    expect(csv).toBe(
      'id,customer,item\r\n1,"{""id"":1,""name"":""Ada""}","[{""line"":1,""quantity"":5,""product"":{""price"":1.5}},' +
        '{""line"":2,""quantity"":1,""product"":{""price"":1234567890123456.7891}}]"\r\n',
    );
    const yaml = (await table('orders').get(`${nested}&format=yaml`)).text;
    const { item, ...rest } = (parse(yaml, { intAsBigInt: false }) as Row[])[0] as Row;
    expect(rest).toEqual({ id: 1, customer: { id: 1, name: 'Ada' } });
    expect(item).toEqual([
      { line: 1, quantity: 5, product: { price: 1.5 } },
      { line: 2, quantity: 1, product: { price: Number('1234567890123456.7891') } },
    ]);
    const bytes = (await table('orders').get(`${nested}&format=bson`)).body;
    const bson = JSON.parse(JSON.stringify(deserialize(bytes)));
    expect(bson.rows[0].customer).toEqual({ id: 1, name: 'Ada' });
    expect(bson.rows[0].item[1]).toEqual({ line: 2, quantity: 1, product: { price: { $numberDecimal: '1234567890123456.7891' } } });
  });

  const refused: readonly (readonly [string, string, RegExp])[] = [
    ['orders', '$expand=nowhere', /no relation to nowhere; it has relations to .*customer/],
    ['orders', '$expand=tag', /no relation to tag/],
    ['parcel', '$expand=customer', /customer!sender_id, customer!receiver_id|customer!receiver_id, customer!sender_id/],
    ['parcel', '$expand=customer!nope', /customer!nope.*customer!(sender|receiver)_id/],
    ['product', '$expand=tag', /tag!product_tag/],
    ['employee', '$expand=employee', /employee!manager_id\.one, employee!manager_id\.many/],
    ['employee', '$expand=boss:employee!manager_id', /employee!manager_id\.one, employee!manager_id\.many/],
    ['orders', '$expand=status:customer', /status.*a column/],
    ['orders', '$expand=customer,customer', /customer.*another item/],
    ['orders', '$expand=customer($ps=1)', /\$ps/],
    ['customer', '$expand=orders($ps=0)', /\$ps/],
    ['customer', '$expand=orders($ps=10001)', /\$ps/],
    ['customer', '$expand=orders($select=nope)', /nope/],
    ['customer', '$expand=orders(nope=eq.1)', /nope/],
    ['customer', '$expand=orders($count=exact)', /\$count/],
    ['customer', '$expand=orders(status=eq.x', /parentheses/],
    ['customer', '$expand=', /\$expand/],
    ['customer', '$expand=orders()', /\$expand/],
    ['customer', '$expand=orders,,profile', /empty/],
    ['customer', '$expand=a:b:orders', /form/],
    ['customer', '$expand=orders($expand=item($expand=product($expand=item)))', /three|3 levels/],
    ['customer', `$expand=${Array.from({ length: 11 }, (_, i) => `a${i}:orders`).join()}`, /10 items/],
  ];
  it.each(refused)('%s: %s is 400', async (name, query, words) => {
    const answer = await table(name).get(`pg=0&ps=1&${query}`);
    expect([answer.status, answer.json<ErrorBody>().message]).toEqual([400, expect.stringMatching(words)]);
  });
});
