// Memory after a request: the catalog cache keeps only the name of the table, and the pool keeps
// nothing of the request that opened or used a connection.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { ENGINES } from '../../../src/engines/index.ts';
import { Connections } from '../../../src/engines/pool/connections.ts';
import { HostPolicy } from '../../../src/engines/pool/hosts.ts';
import { CatalogCache, type TableId } from '../../../src/engines/schema/catalog-cache.ts';
import { entryTo } from '../../support/connection.ts';
import { createDatabase, ENGINE_NAMES } from '../../support/engines.ts';
import { eventually } from '../../support/patience.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

test.each(ENGINE_NAMES)('on %s neither the cached table nor the connection keeps a request in memory', async (name) => {
  const database = await createDatabase(name);
  const connections = new Connections(ENGINES, new HostPolicy([]));
  try {
    await database.run(`CREATE TABLE things (id int ${name === 'clickhouse' ? ') ENGINE = MergeTree ORDER BY id' : 'PRIMARY KEY)'}`);
    const catalog = new CatalogCache(connections);
    const entry = entryTo(database);
    /** A request with a signal of its own, as it looks for a table and opens a connection. */
    const ask = async (): Promise<readonly WeakRef<object>[]> => {
      const { signal } = new AbortController();
      const wanted: TableId & { readonly signal: AbortSignal } = { entry, schema: undefined, table: 'things', signal };
      const pool = connections.pool(entry, 'auto');
      const connection = await pool.acquire({ signal });
      await connection.run({ text: 'SELECT 1', types: [] }, [], { timeoutMs: 10_000, signal });
      pool.release(connection);
      await catalog.find(wanted);
      expect((await catalog.refresh(wanted))?.name).toBe('things');
      return [new WeakRef(wanted), new WeakRef(signal)];
    };
    const kept = await ask();
    expect(connections.hasIdle(entry, 'auto')).toBe(true);
    await eventually(() => {
      collect();
      expect(kept.map((ref) => ref.deref() !== undefined)).toEqual([false, false]);
    });
  } finally {
    connections.close();
    await database.drop();
  }
});
