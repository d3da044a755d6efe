// Freshness of schema snapshots, and the cost of an unchanged schema for its database.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SchemaSnapshots } from '../../src/describe/schema-snapshots.ts';
import type { SchemaDescription, SchemaReadOptions } from '../../src/engines/contract/engine.ts';
import type { Connections } from '../../src/engines/pool/connections.ts';
import type { Located } from '../../src/model/database-name.ts';
import { makeTable } from '../../src/model/table.ts';

const MAX_AGE_MS = 5000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setImmediate'] }));
afterEach(() => void vi.useRealTimers());

/** A schema with one table, whose name is also its fingerprint. */
function schema() {
  const reads: string[] = [];
  let name = 'one';
  const table = () => makeTable({ schema: 's', name, kind: 'table', storage: '', transactional: true, columns: [], key: [] });
  const catalog = {
    describeSchema: async (_c: unknown, _s: unknown, { withFingerprint = false }: SchemaReadOptions): Promise<SchemaDescription> => {
      reads.push(withFingerprint ? 'description and fingerprint' : 'description');
      return { tables: [table()], keys: [], fingerprint: withFingerprint ? name : undefined };
    },
    schemaFingerprint: async () => {
      reads.push('fingerprint');
      return name;
    },
  };
  const pool = { acquire: async () => ({}), release: () => undefined };
  const snapshots = new SchemaSnapshots({ pool: () => pool, engine: () => ({ catalog }) } as unknown as Connections);
  const located = { entry: { id: 'e', type: 'pg' }, schema: undefined } as unknown as Located;
  return {
    reads,
    find: (since?: number) => snapshots.find(located, since),
    change: (next: string) => {
      name = next;
    },
  };
}

describe('SchemaSnapshots', () => {
  it('returns the same snapshot while nothing changes, and reads only the fingerprint again', async () => {
    const { reads, find } = schema();
    const first = await find();
    expect(await find()).toBe(first);
    expect(reads).toEqual(['description']);
    for (let i = 0; i < 3; i++) {
      vi.advanceTimersByTime(MAX_AGE_MS + 1);
      expect(await find()).toBe(first);
    }
    expect(reads).toEqual(['description', 'description and fingerprint', 'fingerprint', 'fingerprint']);
  });

  it('shows a change after at most five seconds', async () => {
    const { find, change } = schema();
    await find();
    change('two');
    vi.advanceTimersByTime(MAX_AGE_MS + 1);
    expect(await find()).toMatchObject({ kind: 'seen', tables: [{ name: 'two' }] });
  });

  it('shows a change at once to a caller that needs a newer snapshot', async () => {
    const { find, change } = schema();
    await find();
    change('two');
    vi.advanceTimersByTime(1);
    expect(await find(performance.now())).toMatchObject({ kind: 'seen', tables: [{ name: 'two' }] });
  });

  it('shares one read among concurrent callers', async () => {
    const { reads, find } = schema();
    const [first, second] = await Promise.all([find(), find()]);
    expect(second).toBe(first);
    expect(reads).toEqual(['description']);
  });
});
