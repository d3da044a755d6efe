// The document of an app: what is a fault of its text, and where each fault is reported.
import { describe, expect, it } from 'vitest';
import { readApp } from '../../src/apps/document/document.ts';
import { inOrder } from '../../src/apps/document/problems.ts';
import { UnreadableApp } from '../../src/apps/document/source.ts';
import { ENGINES } from '../../src/engines/index.ts';
import { runToEnd } from '../../src/util/concurrency/slices.ts';
import { writeJson } from '../../src/util/json/json.ts';

const HEAD = 'app: sales\ntitle: Sales\npermission: [sales]\n';

function problemsOf(text: string, type: 'yaml' | 'json' = 'yaml'): string[] {
  try {
    const { malformed } = runToEnd(readApp(text, type, ENGINES));
    return inOrder({ malformed, refused: [] }).map(({ path, line, column, message }) => `${line}:${column} ${path}: ${message}`);
  } catch (error) {
    if (error instanceof UnreadableApp) return error.problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
    throw error;
  }
}

/** Problems of blocks that begin in line 5. */
const inBlocks = (blocks: string, inputs = ''): string[] => problemsOf(`${HEAD}${inputs}blocks:\n${blocks}`);

const FULL = `app: sales-board
title: Sales
description: Revenue by month
permission: [sales, admin]
locale: de-DE
timezone: Europe/Berlin
refresh: 60
inputs:
  from:     {type: date, default: this-year, label: From}
  category: {type: string, label: Category, options: {from: pg/shop/products, value: category}}
  ids:      {type: array, items: {type: integer}, hidden: true}
blocks:
  - text: '## Sales by month'
  - row:
      - metric: {from: reports/sales, params: {from: '?:from'}, value: sum.revenue, label: Revenue, format: currency.EUR, trend: month}
      - metric: {from: pg/shop/orders, filters: ['placed_at=ge.?:from'], value: count, label: Orders, compare: {filters: ['placed_at=lt.?:from'], label: before}}
        span: 2
  - chart: {from: reports/sales, params: {from: '?:from'}, kind: bar, x: month, y: revenue, series: category, stack: true, format: currency.EUR}
  - table: {from: pg/shop/orders, columns: [id, status, {name: placed_at, format: date}], filters: ['placed_at=ge.?:from', 'id=in.?:ids'], order: [placed_at.desc], link: {app: order, inputs: {id: '?:row.id'}}}
    id: orders
  - form:  {call: orders, fields: [customer_id, product_id, quantity], button: Place order, confirm: 'Place this order?'}
  - tabs:
      - {title: One, blocks: [{text: a}]}
      - {title: Two, blocks: [{record: {from: pg/shop/orders, key: '?:from'}}]}
`;

describe('the document of an app', () => {
  it('is read with the ids of its blocks when it has no fault', () => {
    const { document, malformed } = runToEnd(readApp(FULL, 'yaml', ENGINES));
    expect(malformed).toEqual([]);
    const ids = (blocks: typeof document.blocks): unknown[] =>
      blocks.map(({ id, blocks: nested }) => (nested.length > 0 ? [id, ...ids(nested)] : id));
    expect(ids(document.blocks)).toEqual(['b1', [undefined, 'b2', 'b3'], 'b4', 'orders', 'b5', ['tabs1', 'b6', 'b7']]);
  });

  it('may repeat a value with an alias, whose faults are at its anchor', () => {
    const table = (columns: string): string => `  - table: {from: r, columns: ${columns}}\n`;
    expect(inBlocks(table('&c [a, b]') + table('*c'))).toEqual([]);
    expect(inBlocks(table('&c [a, a]') + table('*c'))).toEqual(['5:38 blocks[0].table.columns[1]: names the column "a" again']);
  });

  it('keeps versions and numbers as they are written', () => {
    const chart = 'chart: {from: r, version: 1.10, params: {n: 9007199254740993, d: 0.10, version: 2}, kind: bar, x: a, y: b}';
    const { document } = runToEnd(readApp(`${HEAD}blocks: [{${chart}}]`, 'yaml', ENGINES));
    expect(writeJson(document.value)).toContain('"version":"1.10","params":{"n":9007199254740993,"d":0.10,"version":2}');
  });

  it('is read from JSON with places in the JSON', () => {
    const text =
      '{\n "app": "a", "title": "A", "permission": ["x"],\n "blocks": [{"chart": {"from": "r", "kind": "donut", "x": "a", "y": "b"}}]}';
    expect(problemsOf(text, 'json')).toEqual(['3:37 blocks[0].chart.kind: must be one of line, bar, area, pie, scatter']);
  });

  it.each([
    ['missing fields', 'title: A\n', ['1:1 app: is missing', '1:1 permission: is missing', '1:1 blocks: is missing']],
    ['a bad name', HEAD.replace('sales\n', 'Sales\n'), [expect.stringContaining('1:1 app: must begin'), expect.stringContaining('blocks')]],
    ['an unknown field', `${HEAD}blocks: [{text: a}]\nsize: 1\n`, [expect.stringContaining('5:1 size: is unknown; known are app, title')]],
    ['a number as title', `${HEAD.replace('Sales', '5')}blocks: [{text: a}]`, ['2:1 title: must be a string']],
    [
      'an empty permission',
      `app: a\ntitle: A\npermission: []\nblocks: [{text: a}]`,
      ['3:1 permission: must be a list with at least one item'],
    ],
    ['a bad locale', `${HEAD}locale: deutsch_DE\nblocks: [{text: a}]`, ['4:1 locale: must be a language tag, such as de-DE']],
    ['a bad time zone', `${HEAD}timezone: Mars/Base\nblocks: [{text: a}]`, [expect.stringContaining('4:1 timezone: must be local')]],
    ['a refresh that is too fast', `${HEAD}refresh: 4\nblocks: [{text: a}]`, ['4:1 refresh: must be a whole number from 5 to 86400']],
    ['a tag', `${HEAD}blocks: !!seq [{text: a}]`, [expect.stringContaining('4:')]],
    ['an alias without an anchor', 'a: *a', [expect.stringContaining('has no anchor before it')]],
    [
      'aliases that multiply',
      `a: &a [${'x,'.repeat(500)}]\nb: &b [${'*a,'.repeat(20)}]\nc: [${'*b,'.repeat(20)}]`,
      [expect.stringContaining('aliases stand for too many values')],
    ],
    ['a repeated key', `${HEAD}title: B\nblocks: [{text: a}]`, [expect.stringContaining('4:1')]],
    ['broken YAML', 'app: [', [expect.stringMatching(/^\d+:\d+ /)]],
    ['broken JSON in YAML', '- a', ['1:1 : must be a mapping']],
  ])('is rejected with %s', (_, text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });

  it.each([
    ['tabs', '{\n\t"app":\t"a",\n\t"title": "A",\r\n\t"permission": ["x"],\n\t"blocks": [\n\t\t{"text": "a"}\n\t]\n}\n'],
    ['escapes', '{"app":"a","title":"\\u00e9\\/\\ud83d\\ude00","permission":["x"],"blocks":[{"text":"a: {b} # c - *d &e !f %g @h"}]}'],
    ['empty values', '{"app":"a","title":"A","permission":["x"],"inputs":{},"blocks":[{"text":""}]}'],
  ])('is read from JSON with %s', (_, text) => {
    expect(problemsOf(text, 'json')).toEqual([]);
  });

  it('is rejected with the place when its JSON is broken', () => {
    expect(problemsOf('{"app": "a",\n "title": }', 'json')).toEqual([expect.stringMatching(/^2:11 /)]);
  });
});

describe('a block', () => {
  it.each([
    ['no kind', '  - {id: a}', ['5:5 blocks[0]: must have one of text, metric, chart, table, record, form, row, tabs']],
    ['an unknown kind', '  - graph: {}', [expect.stringContaining('5:5 blocks[0].graph: is neither a kind of block')]],
    ['two kinds', '  - text: a\n    chart: {}', ['6:5 blocks[0].chart: does not go with text: a block has one kind']],
    ['a repeated id', '  - {text: a, id: x}\n  - {text: b, id: x}', ['6:15 blocks[1].id: has the id "x" of another block']],
    ['a span outside of a row', '  - {text: a, span: 2}', ['5:15 blocks[0].span: belongs to blocks in a row']],
    ['a span that is too wide', '  - row: [{text: a, span: 5}]', ['5:21 blocks[0].row[0].span: must be a whole number from 1 to 4']],
    [
      'an unknown chart',
      '  - chart: {from: r, kind: donut, x: a, y: b}',
      ['5:22 blocks[0].chart.kind: must be one of line, bar, area, pie, scatter'],
    ],
    ['no x', '  - chart: {from: r, kind: bar, y: b}', ['5:5 blocks[0].chart.x: is missing']],
    [
      'several y with series',
      '  - chart: {from: r, kind: bar, x: a, y: [b, c], series: d}',
      ['5:39 blocks[0].chart.y: must be one column, because there is a series'],
    ],
    [
      'a stacked line',
      '  - chart: {from: r, kind: line, x: a, y: b, stack: true}',
      ['5:46 blocks[0].chart.stack: belongs to charts of the kind bar and area'],
    ],
    [
      'a bad format',
      '  - metric: {from: r, value: count, format: money}',
      [expect.stringContaining('5:37 blocks[0].metric.format: is not a format')],
    ],
    [
      'filters of an endpoint',
      "  - table: {from: reports/sales, filters: ['a=eq.1']}",
      ['5:34 blocks[0].table.filters: belongs to tables, and from is not one'],
    ],
    [
      'parameters of a table',
      '  - table: {from: pg/shop/orders, params: {a: 1}}',
      ['5:35 blocks[0].table.params: belongs to endpoints, and from is not one'],
    ],
    [
      'a bad filter',
      "  - table: {from: pg/shop/orders, filters: ['a=equals.1']}",
      [expect.stringContaining('5:45 blocks[0].table.filters[0]: is not valid: ')],
    ],
    [
      'a bad group',
      "  - table: {from: pg/shop/orders, agg: ['median.a']}",
      [expect.stringContaining('blocks[0].table.agg[0]: is not valid: ')],
    ],
    [
      'groups with related rows',
      '  - table: {from: pg/shop/orders, group: [a], expand: [b]}',
      ['5:47 blocks[0].table.expand: does not go with group and agg'],
    ],
    [
      'having without groups',
      "  - table: {from: pg/shop/orders, having: ['a=gt.1']}",
      ['5:35 blocks[0].table.having: goes with group or agg'],
    ],
    [
      'a bad relation',
      "  - table: {from: pg/shop/orders, expand: ['customers(']}",
      [expect.stringContaining('blocks[0].table.expand[0]: is not valid: ')],
    ],
    ['a repeated column', '  - table: {from: r, columns: [a, a]}', ['5:35 blocks[0].table.columns[1]: names the column "a" again']],
    ['a size that is too large', '  - table: {from: r, size: 201}', ['5:22 blocks[0].table.size: must be a whole number from 1 to 200']],
    [
      'an unknown export',
      '  - table: {from: r, export: [pdf]}',
      ['5:31 blocks[0].table.export[0]: must be one of csv, json, xml, yaml, bson'],
    ],
    ['a record of an endpoint', '  - record: {from: r, key: 1}', [expect.stringContaining('5:14 blocks[0].record.from: must be a table')]],
    ['a record without a key', '  - record: {from: pg/shop/orders}', ['5:5 blocks[0].record.key: is missing']],
    ['a form without a target', '  - form: {button: Go}', ['5:5 blocks[0].form: must have one of call, insert, update, delete']],
    [
      'a form with two targets',
      '  - form: {call: a, insert: pg/shop/orders}',
      [expect.stringContaining('blocks[0].form.insert: does not go with call'), expect.stringContaining('unknown')],
    ],
    ['an update without a key', '  - form: {update: pg/shop/orders}', ['5:5 blocks[0].form.key: is missing']],
    ['a repeated field', '  - form: {call: a, fields: [x, {name: x}]}', ['5:33 blocks[0].form.fields[1]: names the field "x" again']],
    [
      'a field with a value',
      '  - form: {call: a, fields: [x], values: {x: 1}}',
      ['5:43 blocks[0].form.values.x: is a field too: either the form shows it or it has a value'],
    ],
    [
      'an unknown input',
      "  - chart: {from: r, params: {a: '?:b'}, kind: bar, x: a, y: b}",
      ['5:31 blocks[0].chart.params.a: uses "?:b", which is not the name of an input'],
    ],
    [
      'an unknown input in a filter',
      "  - table: {from: pg/shop/orders, filters: ['a=bw.?:b.?:c']}",
      [expect.stringContaining('"?:b"'), expect.stringContaining('"?:c"')],
    ],
    [
      'a row where there is none',
      "  - metric: {from: r, value: count, link: {app: a, inputs: {id: '?:row.id'}}}",
      [expect.stringContaining('there is no row here')],
    ],
    ['a link without an app', '  - table: {from: r, link: {inputs: {}}}', ['5:22 blocks[0].table.link.app: is missing']],
    ['an empty row', '  - row: []', ['5:5 blocks[0].row: must be a list with at least one item']],
    ['a tab without a title', '  - tabs: [{blocks: [{text: a}]}]', ['5:12 blocks[0].tabs[0].title: is missing']],
    ['four levels', '  - row: [{row: [{row: [{text: a}]}]}]', ['5:25 blocks[0].row[0].row[0].row[0]: is nested deeper than 3 levels']],
  ])('is rejected with %s', (_, blocks, problems) => {
    expect(inBlocks(blocks)).toEqual(problems);
  });

  it('is rejected from the 101st on', () => {
    expect(inBlocks('  - text: a\n'.repeat(100))).toEqual([]);
    expect(inBlocks('  - text: a\n'.repeat(101))).toEqual(['105:5 blocks[100]: is one block too many; there may be 100']);
  });

  it('has at most 40 fields in a form', () => {
    const form = (count: number) => `  - form: {call: a, fields: [${Array.from({ length: count }, (_, index) => `f${index}`)}]}`;
    expect(inBlocks(form(40))).toEqual([]);
    expect(inBlocks(form(41))).toEqual(['5:21 blocks[0].form.fields: must have at most 40 fields']);
  });
});

describe('an input', () => {
  const inputs = (text: string) => inBlocks('  - text: a', `inputs: ${text}\n`);

  it.each([
    ['{a: {type: object}}', [expect.stringContaining('4:14 inputs.a.type: must be one of string, integer')]],
    ['{a: {type: money}}', [expect.stringContaining('inputs.a.type: must be one of string, integer')]],
    ['{a: {}}', ['4:10 inputs.a.type: is missing']],
    ['{pwt: {type: string}}', ['4:10 inputs.pwt: must not be named app, pwt, format, version']],
    ['{A: {type: string}}', [expect.stringContaining('4:10 inputs.A: must begin with a lower-case letter')]],
    ['{a: {type: string, size: 3}}', [expect.stringContaining('inputs.a.size: is unknown; known are type, required')]],
    ['{a: {type: string, maximum: 3}}', [expect.stringContaining('inputs.a.maximum: is unknown')]],
    ['{a: {type: integer, default: x}}', ['4:29 inputs.a.default: must be a whole number']],
    ['{a: {type: integer, maximum: 3, default: 4}}', ['4:41 inputs.a.default: must be at most 3']],
    ['{a: {type: string, enum: [x], default: y}}', ['4:39 inputs.a.default: must be one of x']],
    ['{a: {type: date, default: tomorrow}}', [expect.stringContaining('inputs.a.default: must be a date')]],
    ['{a: {type: array}}', ['4:10 inputs.a.items: is missing']],
    ['{a: {type: string, hidden: 1}}', ['4:28 inputs.a.hidden: must be true or false']],
    ['{a: {type: string, options: {from: pg/shop/orders}}}', ['4:28 inputs.a.options.value: is missing']],
    ['[a]', ['4:1 inputs: must be a mapping of names to declarations']],
  ])('is rejected as %s', (text, problems) => {
    expect(inputs(text)).toEqual(problems);
  });

  it.each(['today', 'today-30d', 'today+2w', 'today-1m', 'today-3y', 'this-month', 'this-quarter', 'this-year', '2024-02-29'])(
    'has the default %s as a date',
    (date) => {
      expect(inputs(`{a: {type: date, default: ${date}}}`)).toEqual([]);
    },
  );

  it('is one of at most 30', () => {
    const many = (count: number) => `{${Array.from({ length: count }, (_, index) => `i${index}: {type: string}`)}}`;
    expect(inputs(many(30))).toEqual([]);
    expect(inputs(many(31))).toEqual(['4:1 inputs: must have at most 30 inputs']);
  });
});
