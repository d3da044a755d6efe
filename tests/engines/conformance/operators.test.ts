// Every operator on every type of column, with NULLs, by GET, PUT and DELETE over HTTP, compared
// with the oracle. Then every type of each engine is filtered by the values that GET returns.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type JsonCell, JsonNumber, parseRows, RawJson } from '../../../src/util/json/json.ts';
import { type ErrorBody, TableClient } from '../../spec/users-table.ts';
import { createDatabase, ENGINE_NAMES, type EngineName, type TestDatabase } from '../../support/engines.ts';
import { type Service, setUpProject, sharedService } from '../../support/service.ts';
import { sampled } from '../../support/times.ts';
import { parameterOf, quoted } from './cases.ts';
import { differs } from './differences.ts';
import { ENUM_LABELS, LOGICAL_TYPES, type LogicalType } from './logical-types.ts';
import { type Filter, type LogicalColumn, type LogicalRow, matching, ORDER_OPERATORS, TEXT_OPERATORS } from './oracle.ts';
import { bodyOf, createStatement } from './session.ts';
import { PREPARATIONS, VALUE_TYPES } from './value-types.ts';

/** The same values in every run. */
const SEED = 4;
const FULL_ROWS = 6;

const typesOf = (engine: EngineName): readonly LogicalType[] => LOGICAL_TYPES.filter(({ name }) => !differs(engine, name, 'absent'));

const mark = LOGICAL_TYPES.find(({ name }) => name === 'int');

function columnsOf(engine: EngineName): readonly LogicalColumn[] {
  const columns = typesOf(engine).map((type) => ({ name: `c_${type.name}`, type, nullable: true }));
  return mark === undefined ? columns : [...columns, { name: 'mark', type: mark, nullable: true }];
}

/** Rows with values in every column, and two with NULL in every other one or in all. */
function rowsOf(columns: readonly LogicalColumn[]): readonly LogicalRow[] {
  const samples = columns.map(({ type, name }) => (name === 'mark' ? [] : fc.sample(type.stored, { numRuns: FULL_ROWS + 1, seed: SEED })));
  return Array.from({ length: FULL_ROWS + 2 }, (_, index) => ({
    id: index + 1,
    values: samples.map((values, column) =>
      index > FULL_ROWS || (index === FULL_ROWS && column % 2 === 0) ? null : (values[index] ?? null),
    ),
  }));
}

function filtersOf(
  engine: EngineName,
  columns: readonly LogicalColumn[],
  rows: readonly LogicalRow[],
): readonly (readonly [string, Filter])[] {
  return columns.flatMap(({ name, type }, column) => {
    if (name === 'mark') return [];
    const value = (index: number) => rows[index]?.values[column] ?? 0;
    const [low, high] = type.compare(value(1), value(4)) < 0 ? [value(1), value(4)] : [value(4), value(1)];
    const operators = [...ORDER_OPERATORS, ...(type.isText ? TEXT_OPERATORS : [])].filter(
      (op) => !(differs(engine, type.name, 'order') && ['lt', 'gt', 'le', 'ge', 'bw'].includes(op)),
    );
    const comparisons = operators.map((op): readonly [string, Filter] => {
      const values = op === 'bw' ? [low, high] : op === 'in' || op === 'nin' ? [value(0), value(3)] : [value(2)];
      return [`${op} on ${type.name}`, { op, column, values }];
    });
    return [
      ...comparisons,
      [`$null on ${type.name}`, { op: 'null', column }],
      [`$notnull on ${type.name}`, { op: 'notnull', column }],
      [`$not of eq on ${type.name}`, { op: 'not', of: [{ op: 'eq', column, values: [value(2)] }] }],
    ] as const;
  });
}

/**
 * ClickHouse mutations take about 100 times as long as a read, so only every third filter is used
 * for writes.
 */
const WRITES_EVERY: Readonly<Record<EngineName, number>> = { postgres: 1, mysql: 1, mariadb: 1, clickhouse: 3 };

/** Types that their engine cannot compare, or that have no one text to be compared by. */
const NOT_COMPARABLE: Readonly<Record<EngineName, RegExp>> = {
  postgres: /^(json|.*\[\]|pair|point|line|lseg|box|path|polygon|circle)$/,
  mysql: /^(json|point|linestring|polygon|geometry)$/,
  mariadb: /^(json|point|linestring|polygon|geometry)$/,
  clickhouse: /^(Map\(.*|JSON)$/,
};

describe.each(ENGINE_NAMES)('operators on %s', (engine) => {
  const columns = columnsOf(engine);
  const rows = rowsOf(columns);
  let database: TestDatabase;
  let service: Service;
  let things: TableClient;
  let values: TableClient;

  beforeAll(async () => {
    database = await createDatabase(engine);
    if (engine === 'postgres')
      await database.run(
        `CREATE SCHEMA other; CREATE TYPE color AS ENUM (${ENUM_LABELS.map((label) => `'${label.replaceAll("'", "''")}'`)})`,
      );
    await database.run(createStatement(engine, 'things', columns, 'keyed'));
    service = await sharedService();
    const project = await setUpProject(service, [database.entry()]);
    things = new TableClient(service, project, database, 'things');
    values = new TableClient(service, project, database, 'all_types');
    const posted = await things.send('POST', '', { body: bodyOf(columns, rows), headers: { 'content-type': 'application/json' } });
    expect(posted.text).toBe(`{"rows_affected":${rows.length}}`);
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  const query = (filter: Filter): string => {
    const { name, value } = parameterOf(filter, columns);
    return `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  };

  let round = 0;
  it.each(sampled(9, filtersOf(engine, columns, rows)))('%s', async (_, filter) => {
    const matched = matching(rows, [filter], columns).map(({ id }) => id);
    expect(await things.ids(query(filter)), 'GET').toEqual(matched);

    round++;
    if (round % WRITES_EVERY[engine] !== 0) return;
    const put = await things.send('PUT', `${query(filter)}&set=mark.${round}`);
    expect(put.text, 'PUT').toBe(`{"rows_affected":${matched.length}}`);
    expect(await things.ids(`mark=eq.${round}`), 'rows that PUT changed').toEqual(matched);

    const deleted = await things.send('DELETE', query(filter));
    expect(deleted.text, 'DELETE').toBe(`{"rows_affected":${matched.length}}`);
    expect(await things.ids(''), 'rows that DELETE left').toEqual(rows.map(({ id }) => id).filter((id) => !matched.includes(id)));
    const back = rows.filter(({ id }) => matched.includes(id));
    if (back.length > 0) await things.send('POST', '', { body: bodyOf(columns, back), headers: { 'content-type': 'application/json' } });
    expect(await things.ids('')).toEqual(rows.map(({ id }) => id));
  });

  it.each(
    sampled(
      4,
      typesOf(engine).filter(({ isText }) => !isText),
    ),
  )('li, rli, nli and il on $name are refused', async ({ name }) => {
    // The text of a UUID on an engine without such a type is text.
    if (name === 'uuid' && engine === 'mysql') return;
    for (const op of TEXT_OPERATORS)
      for (const [method, more] of [
        ['GET', '&pg=0&ps=1'],
        ['PUT', '&set=mark.1'],
        ['DELETE', ''],
      ] as const) {
        const response = await things.send(method, `c_${name}=${op}.1${more}`);
        expect(response.status, `${method} ${op}`).toBe(400);
        expect(response.json<ErrorBody>().message).toContain(`c_${name}`);
      }
    expect(await things.ids('')).toHaveLength(rows.length);
  });

  it('every type is filtered by the values that GET returns, or reported as not comparable', async () => {
    const types = VALUE_TYPES[engine];
    for (const statement of PREPARATIONS[engine].map((text) => text.replace('TYPE color', 'TYPE other.color')))
      await database.run(statement);
    const key = engine === 'clickhouse' ? 'id Int32' : 'id int PRIMARY KEY';
    const declared = types.map(
      (type, index) => `c${index} ${type.declared.replace(/^color/, 'other.color')}${engine === 'clickhouse' ? '' : ' NULL'}`,
    );
    await database.run(
      `CREATE TABLE all_types (${[key, ...declared].join(', ')})${engine === 'clickhouse' ? ' ENGINE = MergeTree ORDER BY id' : ''}`,
    );
    const sample = types.map(
      (type) =>
        fc.sample(
          type.values.filter((value) => value !== 'null' && !/NaN|Infinity/.test(value)),
          { numRuns: 1, seed: SEED },
        )[0],
    );
    const body = `[{"id":1,${sample.map((cell, index) => `"c${index}":${cell}`).join()}}]`;
    expect((await values.send('POST', '', { body, headers: { 'content-type': 'application/json' } })).text).toBe('{"rows_affected":1}');
    const cells: JsonCell[] = [];
    parseRows((await values.get('pg=0&ps=1')).body, { maxDepth: 64 }, (_, keys, row) => {
      for (let i = 1; i < keys.length; i++) cells.push(row.cell(i));
    });
    const problems: string[] = [];
    for (const [index, cell] of cells.entries()) {
      const text = cell instanceof JsonNumber || cell instanceof RawJson ? cell.text : String(cell);
      const response = await values.get(`pg=0&ps=2&$select=id&c${index}=${encodeURIComponent(`eq.${quoted(text)}`)}`);
      const type = types[index]?.declared ?? '';
      const wanted = NOT_COMPARABLE[engine].test(type) ? /^\{"code":400,.*cannot be compared/ : /^\[\{"id":1\}\]$/;
      if (!wanted.test(response.text)) problems.push(`${type} eq ${text}: ${response.text}`);
    }
    expect(problems).toEqual([]);
  });
});
