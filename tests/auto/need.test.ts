// What kind of connection a request asks the pool for.
import { expect, test } from 'vitest';
import { needOf } from '../../src/auto/execute/acquire-options.ts';
import { parseDelete, parseInsert, parsePatch, parseRead, parseUpdate } from '../../src/auto/request/parse-request.ts';
import type { AutoRequest } from '../../src/auto/request/request.ts';
import { clickhouseEngine } from '../../src/engines/clickhouse/index.ts';
import { postgresEngine } from '../../src/engines/postgres/index.ts';
import { parseQuery } from '../../src/util/text/query.ts';

const rows = (size: number): Buffer => Buffer.from(`[{"id":1,"name":"${'x'.repeat(size)}"}]`);
const REQUESTS: readonly (readonly [string, AutoRequest, string, string])[] = [
  ['a page', parseRead(parseQuery('pg=0&ps=20'), 1000), 'light', 'light'],
  ['a few new rows', parseInsert([], rows(10)), 'light', 'light'],
  ['many new rows', parseInsert([], rows(20_000)), 'bulky', 'bulky'],
  ['changes of a few rows', parsePatch([], rows(10)), 'light', 'background'],
  ['changes of many rows', parsePatch([], rows(20_000)), 'bulky', 'bulky'],
  ['an update', parseUpdate(parseQuery('id=eq.1&set=name.x')), 'light', 'background'],
  ['a delete', parseDelete(parseQuery('id=eq.1')), 'light', 'background'],
];

test.each(REQUESTS)('%s', (_, request, elsewhere, onClickhouse) => {
  const said = (engine: typeof postgresEngine): string => {
    const { bulky, inBackground } = needOf(request, engine);
    return bulky === true ? 'bulky' : inBackground === true ? 'background' : 'light';
  };
  expect([said(postgresEngine), said(clickhouseEngine)]).toEqual([elsewhere, onClickhouse]);
});
