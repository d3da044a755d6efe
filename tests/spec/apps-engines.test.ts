// Apps compared with real databases: tables, columns, relations, aggregates, and forms that write.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENGINE_NAMES } from '../support/engines.ts';
import { type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';
import { createShop, type Shop } from './shop-tables.ts';

const PATH = '/svc/app/v1';
const YAML = { 'content-type': 'application/x-yaml' };

interface Report {
  readonly valid: boolean;
  readonly problems: readonly { readonly path: string; readonly message: string }[];
  readonly warnings: readonly string[];
}

describe.each(ENGINE_NAMES)('an app on %s', (engine) => {
  let service: Service;
  let shop: Shop;
  let project: TestProject;

  beforeAll(async () => {
    service = await sharedService();
    shop = await createShop(engine);
    const dead = shop.database.entry({ db_name: 'dead', host_details: [{ host: '127.0.0.1', port: '1' }] });
    project = await setUpProject(service, [shop.entry, dead]);
  });
  afterAll(async () => {
    await service?.stop();
    await shop?.database.drop();
  });

  /** Checks blocks in which `$db` is the database. */
  async function check(blocks: string, inputs = ''): Promise<Report> {
    const body = `app: a\ntitle: A\npermission: [reader]\n${inputs}blocks:\n${blocks}`;
    const ref = `${shop.database.dbType}/${shop.database.name}`;
    const dead = `${shop.database.dbType}/dead`;
    const response = await service.request('POST', `${PATH}/check`, {
      headers: { ...project.headers, ...YAML },
      body: body.replaceAll('$db', ref).replaceAll('$dead', dead),
    });
    expect(response.status).toBe(200);
    return response.json();
  }
  const pathsOf = async (blocks: string, inputs?: string): Promise<readonly string[]> =>
    (await check(blocks, inputs)).problems.map(({ path }) => path);

  it('is valid with everything that its tables have', async () => {
    const inputs =
      'inputs: {from: {type: timestamp}, ids: {type: array, items: {type: integer}}, name: {type: string, options: {from: $db/customer, value: name, order: [name.asc]}}}\n';
    const report = await check(
      `  - metric: {from: $db/orders, filters: ['placed_at=ge.?:from', 'id=in.?:ids', 'status=li.?:name'], value: sum.total, trend: placed_at.month, compare: {value: count}}
  - metric: {from: $db/orders, filters: ['placed_at=bw.?:from.?:from', '$or=(id=eq.1,$null=total)'], value: status}
  - metric: {from: $db/orders, agg: ['n:count'], value: n}
  - chart: {from: $db/orders, group: ['month:placed_at.month', status], agg: ['revenue:sum.total'], having: ['revenue=gt.1'], order: [revenue.desc], kind: bar, x: month, y: revenue, series: status}
  - table: {from: $db/orders, expand: ['customer($select=id,name)', 'item($order=line.asc)'], columns: [id, customer.name, item], filters: ['$has=customer(name=eq.?:name)'], order: [placed_at.desc, id], link: {app: a, inputs: {name: '?:row.status'}}, actions: [{delete: $db/orders, key: '?:row.id'}]}
  - record: {from: $db/item, key: [1, '?:from'], fields: [quantity, product.name], expand: [product]}
  - form: {insert: $db/orders, fields: [id, customer_id, status, total, placed_at]}
  - form: {update: $db/orders, key: 1, fields: [{name: status, enum: [open, paid]}]}
`,
      inputs,
    );
    expect(report).toEqual({ valid: true, problems: [], warnings: [] });
  });

  it.each([
    ['an unknown table', '  - table: {from: $db/nothing}', ['blocks[0].table.from']],
    [
      'unknown columns',
      '  - table: {from: $db/orders, columns: [id, nope, customer.name]}',
      ['blocks[0].table.columns[1]', 'blocks[0].table.columns[2]'],
    ],
    [
      'an unknown column of a filter',
      "  - table: {from: $db/orders, filters: ['nope=eq.1', '$or=(id=eq.1,no=eq.2)']}",
      ['blocks[0].table.filters[0]', 'blocks[0].table.filters[1]'],
    ],
    [
      'an unknown column with a label',
      '  - table: {from: $db/orders, columns: [{name: nope, label: No}]}',
      ['blocks[0].table.columns[0].name'],
    ],
    ['a value that does not fit', "  - table: {from: $db/orders, filters: ['id=eq.abc']}", ['blocks[0].table.filters[0]']],
    ['a search in numbers', "  - table: {from: $db/orders, filters: ['id=li.?:q']}", ['blocks[0].table.filters[0]']],
    ['an unknown column of the order', '  - table: {from: $db/orders, order: [nope.desc]}', ['blocks[0].table.order[0]']],
    ['an unknown relation', '  - table: {from: $db/orders, expand: [tag]}', ['blocks[0].table.expand[0]']],
    ['an unknown relation of a filter', "  - table: {from: $db/orders, filters: ['$has=tag']}", ['blocks[0].table.filters[0]']],
    [
      'an unknown related column',
      '  - table: {from: $db/orders, expand: [customer], columns: [customer.nope]}',
      ['blocks[0].table.columns[0]'],
    ],
    ['a sum of texts', '  - metric: {from: $db/orders, value: sum.status}', ['blocks[0].metric.value']],
    ['an average of times', '  - metric: {from: $db/orders, value: avg.placed_at}', ['blocks[0].metric.value']],
    ['an unknown metric', '  - metric: {from: $db/orders, value: nope}', ['blocks[0].metric.value']],
    ['a trend of numbers', '  - metric: {from: $db/orders, value: count, trend: total.month}', ['blocks[0].metric.trend']],
    [
      'an unknown comparison',
      "  - metric: {from: $db/orders, value: count, compare: {filters: ['nope=eq.1']}}",
      ['blocks[0].metric.compare.filters[0]'],
    ],
    [
      'an aggregate that does not fit',
      "  - chart: {from: $db/orders, group: [status], agg: ['sum.status'], kind: bar, x: status, y: n}",
      ['blocks[0].chart.agg[0]'],
    ],
    [
      'columns beside groups',
      "  - chart: {from: $db/orders, group: [status], agg: ['n:count'], kind: bar, x: id, y: total}",
      ['blocks[0].chart.x', 'blocks[0].chart.y'],
    ],
    [
      'an unknown group',
      "  - chart: {from: $db/orders, group: [nope], agg: ['n:count'], kind: bar, x: nope, y: n}",
      ['blocks[0].chart.group[0]'],
    ],
    [
      'a part of a number',
      "  - chart: {from: $db/orders, group: ['total.month'], agg: ['n:count'], kind: bar, x: total_month, y: n}",
      ['blocks[0].chart.group[0]'],
    ],
    [
      'an unknown column of having',
      "  - chart: {from: $db/orders, group: [status], agg: ['n:count'], having: ['m=gt.1'], kind: bar, x: status, y: n}",
      ['blocks[0].chart.having[0]'],
    ],
    [
      'an unknown column of a row',
      "  - table: {from: $db/orders, link: {app: a, inputs: {q: '?:row.nope'}}}",
      ['blocks[0].table.link.inputs.q'],
    ],
    ['a key of another length', '  - record: {from: $db/item, key: 1}', ['blocks[0].record.key']],
    [
      'unknown fields',
      '  - form: {update: $db/orders, key: 1, fields: [nope], values: {no: 1}}',
      ['blocks[0].form.fields[0]', 'blocks[0].form.values.no'],
    ],
    ['an insert without a required column', '  - form: {insert: $db/customer, fields: [id, name]}', ['blocks[0].form.insert']],
    [
      'a field of another type',
      '  - form: {update: $db/orders, key: 1, fields: [{name: id, type: date}]}',
      ['blocks[0].form.fields[0].type'],
    ],
    [
      'unknown options',
      '  - form: {update: $db/orders, key: 1, fields: [{name: status, options: {from: $db/tag, value: nope}}]}',
      ['blocks[0].form.fields[0].options.value'],
    ],
  ])('is rejected with %s', async (_, blocks, paths) => {
    expect((await pathsOf(blocks, 'inputs: {q: {type: string}}\n')).toSorted()).toEqual(paths);
  });

  it('is stored with a warning when a database cannot be reached', async () => {
    const report = await check('  - table: {from: $dead/orders, columns: [nope]}\n  - table: {from: $dead/other}\n');
    expect(report).toEqual({ valid: true, problems: [], warnings: [expect.stringContaining('dead cannot be reached')] });
  });
});
