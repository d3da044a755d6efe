// Metamorphic relations between responses, for columns without a common oracle: default collations,
// enums, UUIDs, NaN and infinities. A few cases run over HTTP against the oracle.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QueryParameter } from '../../../src/util/text/query.ts';
import { TableClient } from '../../spec/users-table.ts';
import { ENGINE_NAMES, type EngineName } from '../../support/engines.ts';
import { type Service, setUpProject, sharedService } from '../../support/service.ts';
import { times } from '../../support/times.ts';
import { parameterOf, quoted, worldOf } from './cases.ts';
import { differs } from './differences.ts';
import { LOGICAL_TYPES, type LogicalType, type LogicalValue, texts } from './logical-types.ts';
import { type LogicalColumn, type LogicalRow, matching, ordered } from './oracle.ts';
import { bodyOf, Session } from './session.ts';

const SEED = Number(process.env['MILLRACE_TEST_SEED'] ?? Date.now() % 2 ** 31);
const TABLES: Readonly<Record<EngineName, number>> = {
  postgres: times(1, 10),
  mysql: times(1, 10),
  mariadb: times(1, 10),
  clickhouse: 1,
};
const ROWS = 25;
const HTTP_TABLES = times(1, 10);
const HTTP_CASES = 20;

function like(name: string): LogicalType {
  const found = LOGICAL_TYPES.find((type) => type.name === name);
  if (found === undefined) throw new Error(`no logical type ${name}`);
  return found;
}

const MIXED = ['b', 'A', 'c', 'a', 'B'];
const SPECIAL = ['NaN', 'Infinity', '-Infinity', '0', '-1.5', '1e300'];

/** Columns that each engine orders and compares in its own way. */
function ownWays(engine: EngineName): readonly LogicalColumn[] {
  const collated: LogicalType = {
    ...like('text'),
    declared: { postgres: 'text', mysql: 'varchar(200)', mariadb: 'varchar(200)', clickhouse: 'String' },
    stored: fc.oneof(texts, fc.constantFrom('a', 'A', 'á', 'a ', 'ß', 'ss', 'I', 'ı', 'Å', 'Å')),
  };
  const labels = MIXED.slice(0, 3).map((label) => `'${label}'`);
  const anyEnum: LogicalType = {
    ...like('text'),
    declared: { postgres: 'mixed', mysql: `enum(${labels})`, mariadb: `enum(${labels})`, clickhouse: "Enum8('b' = 1, 'A' = 2, 'c' = 3)" },
    stored: fc.constantFrom(...MIXED.slice(0, 3)),
  };
  const floats: LogicalType = {
    ...like('double'),
    stored: fc.constantFrom<LogicalValue>(...SPECIAL),
    json: (value) => JSON.stringify(value),
    read: String,
  };
  const types = engine === 'mysql' || engine === 'mariadb' ? [collated, anyEnum, like('uuid')] : [collated, anyEnum, like('uuid'), floats];
  return types.map((type, index) => ({ name: `c${index}`, type, nullable: true }));
}

describe.each(ENGINE_NAMES)('metamorphic relations on %s', (engine) => {
  let session: Session;
  const columns = ownWays(engine);

  beforeAll(async () => {
    session = await Session.open(engine);
    if (engine === 'postgres') await session.database.run(`CREATE TYPE mixed AS ENUM (${MIXED.slice(0, 3).map((label) => `'${label}'`)})`);
  });

  afterAll(() => session?.close());

  const cells = columns.map(({ type }) => fc.option(type.stored, { nil: null, freq: 4 }));
  const tables = fc.array(fc.tuple(...cells), { minLength: ROWS, maxLength: ROWS });

  it(`hold for ${TABLES[engine]} random tables, seed ${SEED}`, { timeout: 600_000 }, async () => {
    for (const values of fc.sample(tables, { numRuns: TABLES[engine], seed: SEED })) {
      const rows = values.map((row, index): LogicalRow => ({ id: index + 1, values: row }));
      const table = await session.createTable(columns, 'keyed');
      expect(await session.insert(table, columns, rows)).toBe(ROWS);
      const ids = async (...query: readonly QueryParameter[]): Promise<readonly number[]> =>
        (await session.ids(table, query)).sort((a, b) => a - b);
      const all = await ids();
      for (const [column, { name, type }] of columns.entries()) {
        const nulls = await ids({ name: '$null', value: name });
        expect(nulls).toEqual(rows.filter((row) => row.values[column] === null).map(({ id }) => id));
        for (const value of new Set(rows.slice(0, 6).flatMap((row) => row.values[column] ?? []))) {
          const text = quoted(type.text(value));
          const given = (op: string, operand = text): Promise<readonly number[]> => ids({ name, value: `${op}.${operand}` });
          const why = `${engine} ${type.declared[engine]} ${text}`;
          const [eq, ne, lt, gt] = [await given('eq'), await given('ne'), await given('lt'), await given('gt')];
          const union = (...sets: readonly (readonly number[])[]): readonly number[] => sets.flat().sort((a, b) => a - b);
          expect(await given('in'), why).toEqual(eq);
          expect(await given('nin'), why).toEqual(ne);
          expect(union(eq, ne, nulls), why).toEqual(all);
          expect(union(lt, eq, gt, nulls), why).toEqual(all);
          expect(await given('le'), why).toEqual(union(lt, eq));
          expect(await given('ge'), why).toEqual(union(gt, eq));
          expect(await given('bw', `${text}.${text}`), why).toEqual(eq);
          expect(await ids({ name: '$not', value: `(${name}=eq.${text})` }), why).toEqual(ne);
          if (!type.isText) continue;
          expect(union(await given('li'), await given('nli'), nulls), why).toEqual(all);
          const contains = new Set(await given('li'));
          expect(
            (await given('rli')).every((id) => contains.has(id)),
            why,
          ).toBe(true);
          expect((await given('il')).length, why).toBeGreaterThanOrEqual([...contains].length);
        }
        await checkPaging(session, table, name);
      }
      await session.database.run(`DROP TABLE ${table}`);
    }
  });
});

/** By number and by cursor, up and down: the same rows in the same order as in one piece. */
async function checkPaging(session: Session, table: string, column: string): Promise<void> {
  for (const direction of ['asc', 'desc'])
    for (const size of [1, 4]) {
      const query = [
        { name: '$order', value: `${column}.${direction}` },
        { name: '$select', value: 'id' },
      ];
      const whole = await session.ids(table, query.slice(0, 1));
      const keyset: number[] = [];
      for (let cursor: string | undefined = '', pages = 0; cursor !== undefined && pages <= ROWS; pages++) {
        const page: Awaited<ReturnType<Session['read']>> = await session.read(table, [
          ...query,
          { name: 'pg', value: '0' },
          { name: 'ps', value: String(size) },
          { name: '$after', value: cursor },
        ]);
        keyset.push(...page.rows.map(([id]) => Number(id)));
        cursor = page.cursor;
      }
      expect(keyset, `cursors by ${column} ${direction}`).toEqual(whole);
      const numbered: number[] = [];
      for (let page = 0; page * size < ROWS; page++) {
        const { rows } = await session.read(table, [...query, { name: 'pg', value: String(page) }, { name: 'ps', value: String(size) }]);
        numbered.push(...rows.map(([id]) => Number(id)));
      }
      expect(numbered, `pages by ${column} ${direction}`).toEqual(whole);
    }
}

describe('metamorphic relations over HTTP', () => {
  const sessions: Session[] = [];
  let service: Service;

  beforeAll(async () => {
    for (const engine of ENGINE_NAMES) sessions.push(await Session.open(engine));
    service = await sharedService();
  });

  afterAll(async () => {
    await service?.stop();
    for (const session of sessions) await session.close();
  });

  it(`hold for ${HTTP_TABLES} tables with ${HTTP_CASES} filters on every engine, seed ${SEED}`, async () => {
    const project = await setUpProject(
      service,
      sessions.map(({ database }) => database.entry()),
    );
    for (const world of fc.sample(worldOf({ cases: HTTP_CASES, writes: 0 }), { numRuns: HTTP_TABLES, seed: SEED }))
      for (const session of sessions) {
        const { engine } = session;
        const columns = world.columns.filter(({ type }) => !differs(engine, type.name, 'absent') && !differs(engine, type.name, 'order'));
        if (columns.length < world.columns.length) continue;
        const table = await session.createTable(columns, 'keyed');
        const client = new TableClient(service, project, session.database, table);
        if (world.rows.length > 0) {
          const posted = await client.send('POST', '', {
            body: bodyOf(columns, world.rows),
            headers: { 'content-type': 'application/json' },
          });
          expect(posted.text).toBe(`{"rows_affected":${world.rows.length}}`);
        }
        for (const { filters } of world.cases) {
          const query = filters
            .map((filter) => parameterOf(filter, columns))
            .map(({ name, value }) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
            .join('&');
          const wanted = ordered(matching(world.rows, filters, columns), [{ column: undefined, direction: 'asc' }], columns).map(
            ({ id }) => id,
          );
          expect(await client.ids(query), `${engine} ${query}`).toEqual(wanted);
        }
      }
  });
});
