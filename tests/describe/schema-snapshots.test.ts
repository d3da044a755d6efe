// When a schema is looked at, and how: whole the first time, with its fingerprint the second time, by its fingerprint alone from then on.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SchemaSnapshots } from '../../src/describe/schema-snapshots.ts';
import type { SchemaDescription, SchemaReadOptions } from '../../src/engines/contract/engine.ts';
import type { Connections } from '../../src/engines/pool/connections.ts';
import type { Located } from '../../src/model/database-name.ts';
import { makeTable } from '../../src/model/table.ts';

const FIVE_SECONDS = 5000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function schema() {
  const asked: string[] = [];
  let fingerprint = 'one';
  const table = (name: string) => makeTable({ schema: 's', name, kind: 'table', storage: '', transactional: true, columns: [], key: [] });
  const catalog = {
    describeSchema: async (
      _connection: unknown,
      _schema: unknown,
      { withFingerprint = false }: SchemaReadOptions,
    ): Promise<SchemaDescription> => {
      asked.push(withFingerprint ? 'describeSchema with its fingerprint' : 'describeSchema');
      return { tables: [table(fingerprint)], keys: [], fingerprint: withFingerprint ? fingerprint : undefined };
    },
    schemaFingerprint: async () => {
      asked.push('fingerprint');
      return fingerprint;
    },
  };
  const pool = { acquire: async () => ({}), release: () => undefined };
  const pictures = new SchemaSnapshots({ pool: () => pool, engine: () => ({ catalog }) } as unknown as Connections);
  const find = () => pictures.find({ entry: { id: 'e', type: 'pg' }, schema: undefined } as unknown as Located);
  return { asked, find, change: (next: string) => (fingerprint = next) };
}

test('it is read whole, then with its fingerprint, and again only when its fingerprint is another', async () => {
  const { asked, find, change } = schema();
  const first = await find();
  expect(await find()).toBe(first);
  expect(asked).toEqual(['describeSchema']);
  for (let i = 0; i < 3; i++) {
    vi.advanceTimersByTime(FIVE_SECONDS + 1);
    expect(await find()).toBe(first);
  }
  expect(asked).toEqual(['describeSchema', 'describeSchema with its fingerprint', 'fingerprint', 'fingerprint']);
  change('two');
  vi.advanceTimersByTime(FIVE_SECONDS + 1);
  expect(await find()).toMatchObject({ kind: 'seen', tables: [{ name: 'two' }] });
  expect(asked.slice(4)).toEqual(['fingerprint', 'describeSchema with its fingerprint']);
});
