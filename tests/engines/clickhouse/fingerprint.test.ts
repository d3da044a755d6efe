// The fingerprint of a table can be read over both ports.
import { describe, expect, test } from 'vitest';
import { clickhouseCatalog } from '../../../src/engines/clickhouse/dialect/catalog.ts';
import { clickhouseEngine } from '../../../src/engines/clickhouse/index.ts';
import { createDatabase } from '../../support/engines.ts';
import { dialling, entryFor, PORTS, RUN } from './support.ts';

describe.each(PORTS)('over %s', (_, port) => {
  test('reads the fingerprint of a table, and none for a view or a missing table', async () => {
    const database = await createDatabase('clickhouse');
    const connection = await clickhouseEngine.connect(entryFor(database.name), dialling(port));
    const fingerprint = (table: string, schema?: string): Promise<string | undefined> | undefined =>
      clickhouseCatalog.fingerprint?.(connection, { schema, table }, RUN);
    try {
      await database.run('CREATE TABLE `odd ``name` (id Int32) ENGINE = MergeTree ORDER BY id');
      await database.run('CREATE VIEW seen AS SELECT 1 AS one');
      const text = await fingerprint('odd `name');
      expect(text).toMatch(/^CREATE TABLE .*`id` Int32/s);
      expect(await fingerprint('odd `name', database.name)).toBe(text);
      expect(await fingerprint('seen')).toBeUndefined();
      expect(await fingerprint('never')).toBeUndefined();
      await database.run('ALTER TABLE `odd ``name` ADD COLUMN more Int32, MODIFY ORDER BY (id, more)');
      expect(await fingerprint('odd `name')).not.toBe(text);
      expect(
        (await clickhouseCatalog.describe(connection, { schema: undefined, table: 'odd `name' }, RUN))?.sortedBy.map(({ name }) => name),
      ).toEqual(['id', 'more']);
      expect(connection.usable).toBe(true);
    } finally {
      connection.close();
      await database.drop();
    }
  });
});
