// A table that changes between the reads of its fingerprint and of its columns, and then changes
// back. The cache must not keep one description under the fingerprint of the other.
import { expect, test } from 'vitest';
import type { Engine } from '../../../src/engines/contract/engine.ts';
import { OWN_ENGINES } from '../../../src/engines/index.ts';
import { Connections } from '../../../src/engines/pool/connections.ts';
import { HostPolicy } from '../../../src/engines/pool/hosts.ts';
import { Engines } from '../../../src/engines/registry.ts';
import { CatalogCache } from '../../../src/engines/schema/catalog-cache.ts';
import { entryTo } from '../../support/connection.ts';
import { createDatabase, ENGINE_NAMES, type EngineName, type TestDatabase } from '../../support/engines.ts';

const WANTED = { schema: undefined, table: 'things' };

/** Its column has one name or the other. */
async function create(database: TestDatabase): Promise<(name: 'a' | 'b') => Promise<void>> {
  await database.run(`CREATE TABLE things (id int, a int) ${database.engine === 'clickhouse' ? 'ENGINE = MergeTree ORDER BY id' : ''}`);
  return async (name) => {
    await database.run(`ALTER TABLE things RENAME COLUMN ${name === 'a' ? 'b' : 'a'} TO ${name}`);
  };
}

/** The engines as they are, save that something happens before a table is described. */
function interrupted(before: () => Promise<void>): Engines {
  const interrupt = (engine: Engine): Engine => {
    const { catalog } = engine;
    const describe: typeof catalog.describe = async (...args) => {
      await before();
      return catalog.describe(...args);
    };
    return { ...engine, catalog: { ...catalog, describe } };
  };
  const [first, ...others] = OWN_ENGINES;
  return new Engines([interrupt(first), ...others.map(interrupt)]);
}

async function looking(name: EngineName, test: (known: () => Promise<string>, change: Change, next: Next) => Promise<void>): Promise<void> {
  const database = await createDatabase(name);
  let before = async (): Promise<void> => {};
  const connections = new Connections(
    interrupted(() => before()),
    new HostPolicy([]),
  );
  try {
    const change = await create(database);
    const catalog = new CatalogCache(connections);
    const entry = entryTo(database);
    const known = async (): Promise<string> => (await catalog.refresh({ entry, ...WANTED }))?.columns[1]?.name ?? '';
    await test(known, change, (work) => {
      before = async () => {
        before = async () => {};
        await work();
      };
    });
  } finally {
    connections.close();
    await database.drop();
  }
}

type Change = (name: 'a' | 'b') => Promise<void>;
/** Registers work that runs before the table is described the next time. */
type Next = (work: () => Promise<void>) => void;

test.each(ENGINE_NAMES)('on %s a table that changes back before it is described is cached correctly', async (name) => {
  await looking(name, async (known, change, next) => {
    // The second look is the first with a fingerprint.
    expect([await known(), await known()]).toEqual(['a', 'a']);
    await change('b');
    next(() => change('a'));
    expect(await known()).toBe('a');
    await change('b');
    expect(await known()).toBe('b');
  });
});

test.each(ENGINE_NAMES)('on %s a table that changes while it is described and then changes back is cached correctly', async (name) => {
  await looking(name, async (known, change, next) => {
    expect(await known()).toBe('a');
    next(() => change('b'));
    expect(await known()).toBe('b');
    await change('a');
    expect(await known()).toBe('a');
  });
});
