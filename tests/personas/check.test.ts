// Queries of a deploy: few tables are read individually, many at once, and an unreachable database
// only once.
import { expect, test } from 'vitest';
import { DbFailure } from '../../src/engines/contract/engine.ts';
import type { Engines } from '../../src/engines/registry.ts';
import type { CatalogCache } from '../../src/engines/schema/catalog-cache.ts';
import type { ProjectContext } from '../../src/model/project.ts';
import { makeTable, type Table } from '../../src/model/table.ts';
import { type CheckParts, checkPersona } from '../../src/personas/check.ts';
import { readPersona } from '../../src/personas/document.ts';
import { column } from './memory-tables.ts';

const table = (name: string): Table =>
  makeTable({ schema: 's', name, kind: 'table', storage: '', transactional: true, columns: [column('id', 'int')], key: [] });

/** A database with these tables; `asked` records the queries. */
function database(names: readonly string[], isSilent = false): CheckParts & { readonly asked: string[] } {
  const asked: string[] = [];
  const ask = async <T>(what: string, answer: T): Promise<T> => {
    asked.push(what);
    if (isSilent) throw new DbFailure('unreachable', 'nobody there');
    return answer;
  };
  const catalog = {
    read: ({ table: name }: { table: string }) => ask(name, names.includes(name) ? table(name) : undefined),
    describeSchema: () => ask('all', new Map(names.map((name) => [name, table(name)]))),
  };
  const engine = { type: 'pg', capabilities: { schemas: true, defaultSchema: 'public' } };
  return {
    asked,
    catalog: catalog as unknown as CatalogCache,
    engines: { find: () => engine } as unknown as Engines,
    context: { entries: new Map([['pg/shop', { id: 'e', type: 'pg' }]]), unreadable: new Map() } as unknown as ProjectContext,
  };
}

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `t${i}`);

async function check(tables: readonly string[], parts: CheckParts, grants: unknown = { read: { columns: ['id'] } }) {
  const document = { persona: 'p', roles: ['r'], tables: Object.fromEntries(tables.map((name) => [`pg/shop/${name}`, grants])) };
  const { persona, reader } = readPersona(JSON.stringify(document), 'json', () => true);
  const warnings = await checkPersona(persona, reader, parts);
  return { warnings, reader };
}

test('few tables are read individually, a thousand at once', async () => {
  const few = database(names(1000));
  (await check(names(3), few)).reader.finish();
  expect(few.asked).toEqual(['t0', 't1', 't2']);
  const many = database(names(1000));
  (await check(names(1000), many)).reader.finish();
  expect(many.asked).toEqual(['all']);
});

test('missing tables and columns are reported in the order of the document', async () => {
  const { reader } = await check(names(101), database(names(100)), { read: { columns: ['gone'] } });
  expect(() => reader.finish()).toThrow(/t0\.read\.columns\[0\].*t1\.read\.columns\[0\].* and \d+ more/s);
  const missing = database(names(100));
  const found = await check([...names(100), 'absent'], missing);
  expect(() => found.reader.finish()).toThrow(/absent is a table that the database does not have/);
  expect(missing.asked).toEqual(['all', 'absent']);
});

test('an unreachable database is a warning, and is queried once', async () => {
  for (const count of [3, 1000]) {
    const silent = database([], true);
    const { warnings, reader } = await check(names(count), silent);
    reader.finish();
    expect(warnings).toEqual([expect.stringContaining('pg/shop cannot be reached')]);
    expect(silent.asked.length).toBeLessThanOrEqual(8);
  }
});
