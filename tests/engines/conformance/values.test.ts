// POST accepts what GET returns: random values of every type of each engine are written, read, and
// written again over HTTP. The same rows are then read in the other four formats.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type JsonCell, JsonNumber, parseRows, RawJson } from '../../../src/util/json/json.ts';
import { readBsonRows, readCsv, readXml, xmlColumn, yamlEntries } from '../../formats/support.ts';
import { TableClient } from '../../spec/users-table.ts';
import { createDatabase, ENGINE_NAMES, type EngineName, type TestDatabase } from '../../support/engines.ts';
import { type Service, setUpProject, sharedService } from '../../support/service.ts';
import { times } from '../../support/times.ts';
import { plainText, plainYaml, sameNested, wrongBson, yamlOf } from './plain-values.ts';
import { PREPARATIONS, VALUE_TYPES } from './value-types.ts';

const ROUNDS = times(1, 5);
const ROWS = 40;

function createStatement(engine: EngineName, table: string): string {
  const key = engine === 'clickhouse' ? 'id Int32' : 'id int PRIMARY KEY';
  const nullable = engine === 'clickhouse' ? '' : ' NULL';
  const columns = VALUE_TYPES[engine].map(({ declared }, index) => `c${index} ${declared}${nullable}`);
  return `CREATE TABLE ${table} (${[key, ...columns].join(', ')})${engine === 'clickhouse' ? ' ENGINE = MergeTree ORDER BY id' : ''}`;
}

/** The cells of each row as JSON. */
function cellsOf(body: Buffer): string[][] {
  const rows: string[][] = [];
  parseRows(body, { maxDepth: 64 }, (_, keys, row) => void rows.push(keys.map((__, i) => jsonText(row.cell(i)))));
  return rows;
}

function jsonText(cell: JsonCell): string {
  return cell instanceof JsonNumber || cell instanceof RawJson ? cell.text : JSON.stringify(cell);
}

describe.each(ENGINE_NAMES)('values of %s', (engine) => {
  const types = VALUE_TYPES[engine];
  let database: TestDatabase;
  let service: Service;
  let first: TableClient;
  let second: TableClient;

  beforeAll(async () => {
    database = await createDatabase(engine);
    for (const statement of PREPARATIONS[engine]) await database.run(statement);
    await database.run(createStatement(engine, 'first'));
    await database.run(createStatement(engine, 'second'));
    service = await sharedService();
    const project = await setUpProject(service, [database.entry()]);
    first = new TableClient(service, project, database, 'first');
    second = new TableClient(service, project, database, 'second');
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  const arbitraryRows = fc.array(fc.tuple(...types.map(({ values }) => values)), { minLength: ROWS, maxLength: ROWS });
  const seed = Number(process.env['MILLRACE_TEST_SEED'] ?? Date.now() % 2 ** 31);

  it(`are returned as they were posted, ${ROUNDS} times ${ROWS} rows with ${types.length} types each, seed ${seed}`, async () => {
    for (const rows of fc.sample(arbitraryRows, { numRuns: ROUNDS, seed })) {
      for (const table of ['first', 'second']) await database.run(`TRUNCATE TABLE ${table}`);
      const body = rows.map((cells, id) => `{"id":${id},${cells.map((cell, index) => `"c${index}":${cell}`).join()}}`);
      const posted = await first.send('POST', '', { body: `[${body.join()}]`, headers: { 'content-type': 'application/json' } });
      expect(posted.text).toBe(`{"rows_affected":${ROWS}}`);
      const got = await first.get(`pg=0&ps=${ROWS}`);
      expect(got.status, got.text.slice(0, 500)).toBe(200);
      const differences = cellsOf(got.body).flatMap(([, ...cells], row) =>
        cells.flatMap((cell, index) => {
          const given = rows[row]?.[index] ?? '';
          const { declared = '', same = Object.is } = types[index] ?? {};
          return cell === given || same(given, cell) || (/^[[{]/.test(given) && sameNested(given, cell))
            ? []
            : [`${declared}: ${given} came back as ${cell}`];
        }),
      );
      expect([...new Set(differences)].slice(0, 40)).toEqual([]);
      const again = await second.send('POST', '', { body: got.body, headers: { 'content-type': 'application/json' } });
      expect(again.text).toBe(`{"rows_affected":${ROWS}}`);
      expect((await second.get(`pg=0&ps=${ROWS}`)).text).toBe(got.text);
    }
  });

  it('can be set by PUT as GET returns them', async () => {
    const [row = []] = fc.sample(fc.tuple(...types.map(({ values }) => values.filter((value) => value !== 'null'))), { numRuns: 1, seed });
    await database.run('TRUNCATE TABLE first');
    const body = `{"id":1,${row.map((cell, index) => `"c${index}":${cell}`).join()}}`;
    expect((await first.send('POST', '', { body: `[${body}]`, headers: { 'content-type': 'application/json' } })).text).toBe(
      '{"rows_affected":1}',
    );
    const [[, ...before] = []] = cellsOf((await first.get('pg=0&ps=1')).body);
    const problems: string[] = [];
    for (const [index, cell] of before.entries()) {
      const text = types[index]?.holdsJson === true ? cell : (plainText(cell) ?? '');
      const response = await first.send('PUT', `id=eq.1&set=c${index}.${encodeURIComponent(text)}`);
      if (response.text !== '{"rows_affected":1}') problems.push(`${types[index]?.declared} ${text}: ${response.text}`);
    }
    expect(problems).toEqual([]);
    expect(cellsOf((await first.get('pg=0&ps=1')).body)[0]?.slice(1)).toEqual(before);
  });

  it('are equal in every format', async () => {
    const [rows = []] = fc.sample(arbitraryRows, { numRuns: 1, seed });
    await database.run('TRUNCATE TABLE first');
    const body = rows.map((cells, id) => `{"id":${id},${cells.map((cell, index) => `"c${index}":${cell}`).join()}}`);
    await first.send('POST', '', { body: `[${body.join()}]`, headers: { 'content-type': 'application/json' } });
    const read = async (format: string): Promise<Buffer> => (await first.get(`pg=0&ps=${ROWS}&format=${format}`)).body;
    const json = cellsOf(await read('json'));
    // In a JSON column a string is JSON, with its quotes; in any other column it is the plain
    // string.
    const texts = json.map((row) => row.map((cell, i) => (types[i - 1]?.holdsJson === true && cell !== 'null' ? cell : plainText(cell))));

    const [, ...csv] = readCsv((await read('csv')).toString());
    expect(csv).toEqual(texts);

    const xml = readXml((await read('xml')).toString()).children.map(({ children }) => children.map((child) => xmlColumn(child)[1]));
    // XML cannot hold most control characters; each is one replacement character.
    expect(xml).toEqual(
      texts.map((row) => row.map((cell) => cell?.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd') ?? null)),
    );

    const yaml = yamlEntries((await read('yaml')).toString(), '1.2') as [string, unknown][][];
    expect(yaml.map((row) => row.map(([, value]) => plainYaml(value)))).toEqual(json.map((row) => row.map(yamlOf)));

    const bson = readBsonRows(await read('bson')).map((row) => Object.values(row));
    const wrong = bson.flatMap((row, i) =>
      row.flatMap((value, j) => wrongBson(value, json[i]?.[j] ?? '')?.concat(`, of ${types[j - 1]?.declared}`) ?? []),
    );
    expect([...new Set(wrong)]).toEqual([]);
  });
});
