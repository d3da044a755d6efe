// `$has` and `$hasnot` over HTTP on each engine: reads, writes, groups and errors.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENGINE_NAMES } from '../support/engines.ts';
import { type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';
import { createShop, type Shop } from './shop-tables.ts';
import { type ErrorBody, TableClient } from './users-table.ts';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service?.stop());

describe.each(ENGINE_NAMES)('$has on %s', (engine) => {
  let shop: Shop;
  let project: TestProject;
  const table = (name: string): TableClient => new TableClient(service, project, shop.database, name);

  beforeAll(async () => {
    shop = await createShop(engine);
    project = await setUpProject(service, [shop.entry]);
  });
  afterAll(() => shop?.database.drop());

  const found: readonly (readonly [string, string, readonly number[]])[] = [
    ['customer', '$has=orders', [1, 2]],
    ['customer', '$hasnot=orders', [3]],
    ['customer', '$has=orders(status=eq.paid)', [1]],
    ['customer', '$has=orders(status=eq.open;total=gt.5)', [1]],
    ['customer', '$hasnot=orders(status=eq.paid)', [2, 3]],
    ['customer', '$has=orders&$hasnot=profile', [2]],
    ['customer', '$has=orders(status=eq.open)&$has=orders(status=eq.paid)', [1]],
    ['customer', '$or=($hasnot=orders,$has=orders(status=eq.paid))', [1, 3]],
    ['customer', '$not=($has=orders)', [3]],
    ['orders', '$has=customer(name=eq.Ada)', [1, 2]],
    ['orders', '$hasnot=customer(name=eq.Ada)', [3, 4]],
    ['orders', '$not=($has=customer(name=eq.Ada))', [3, 4]],
    ['customer', '$has=orders($has=item($has=product(name=eq.pad)))', [1]],
    ['customer', '$hasnot=orders($hasnot=item)', [1, 2, 3]],
    ['product', '$has=tag!product_tag(label=eq.new)', [1, 2]],
    ['product', '$hasnot=tag!product_tag(label=eq.old)', [2, 3]],
    ['employee', '$has=employee!manager_id.many', [1, 2]],
    ['employee', '$hasnot=employee!manager_id.one', [1]],
    ['employee', '$has=employee!manager_id.one($has=employee!manager_id.one)', [4]],
    ['parcel', '$has=customer!receiver_id(id=eq.1)', [2]],
    ['visit', '$has=place(people=gt.2050000)', [1, 4]],
    ['visit', '$hasnot=place', [3]],
    ['customer', '$has=place!trip(city=eq.Wien)', [1]],
    ['customer', '$hasnot=place!trip', [3]],
    ['visit', '$has=place($has=customer!trip(id=eq.2))', [1, 4]],
  ];
  it.each(found)('%s: %s', async (name, query, ids) => {
    expect(await table(name).ids(`${query}&$select=id`)).toEqual(ids);
  });

  it('filters counts, and can be combined with $expand', async () => {
    const answer = await table('customer').get(
      'pg=0&ps=1&$has=orders&$count=exact&$select=id&$expand=orders($select=id;$hasnot=item(line=eq.3))',
    );
    expect(answer.headers['x-total-count']).toBe('2');
    expect(answer.json()).toEqual([{ id: 1, orders: [{ id: 2 }] }]);
  });

  it('filters aggregates and groups', async () => {
    const sums = (query: string) => table('customer').get(`pg=0&ps=9&$agg=count,first:min.id&${query}`);
    expect((await sums('$has=orders')).json()).toEqual([{ count: 2, first: 1 }]);
    expect((await sums('$or=($hasnot=orders,id=eq.2)')).json()).toEqual([{ count: 2, first: 2 }]);
    expect((await sums('$group=id&$hasnot=orders')).json()).toEqual([{ id: 3, count: 1, first: 3 }]);
    expect((await sums('$has=nothing')).status).toBe(400);
  });

  it('filters writes, and satisfies the requirement of a filter', async () => {
    const orders = table('orders');
    const put = await orders.send('PUT', 'set=status.seen&$has=customer(name=eq.Ada)');
    expect([put.status, put.text]).toEqual([200, '{"rows_affected":2}']);
    expect(await orders.ids('status=eq.seen&$select=id')).toEqual([1, 2]);
    // The update may make a row stop matching its own filter; each row is still updated exactly
    // once.
    const patch = await orders.send('PATCH', '$has=customer(name=eq.Ada)&status=eq.seen', { body: { status: 'done', total: 7 } });
    expect([patch.status, patch.text]).toEqual([200, '{"rows_affected":2}']);
    expect(await orders.ids('status=eq.done&total=eq.7&$select=id')).toEqual([1, 2]);
    const employees = table('employee');
    const deleted = await employees.send('DELETE', '$has=employee!manager_id.one(name=eq.Fay)');
    expect([deleted.status, deleted.text]).toEqual([200, '{"rows_affected":1}']);
    expect(await employees.ids('$select=id')).toEqual([1, 2, 3]);
    const last = await employees.send('DELETE', '$hasnot=employee!manager_id.many&$has=employee!manager_id.one&$dry_run=false');
    expect(last.text).toBe('{"rows_affected":2}');
    const none = await table('visit').send('DELETE', '$not=($has=place)&id=gt.3');
    expect(none.text).toBe('{"rows_affected":0}');
  });

  const refused: readonly (readonly [string, string, RegExp])[] = [
    ['customer', '$has=nowhere', /no relation to nowhere; it has relations to .*orders/],
    ['parcel', '$has=customer', /customer!sender_id/],
    ['customer', '$has=orders(nope=eq.1)', /nope/],
    ['customer', '$has=orders($select=id)', /\$select/],
    ['customer', '$has=a:orders', /alias/],
    ['customer', '$has=', /\$has/],
  ];
  it.each(refused)('%s: %s is 400', async (name, query, words) => {
    const answer = await table(name).get(`pg=0&ps=1&${query}`);
    expect([answer.status, answer.json<ErrorBody>().message]).toEqual([400, expect.stringMatching(words)]);
  });
});
