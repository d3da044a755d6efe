// Cached descriptions of tables that are requested now and then are refreshed in the background, so
// that no request waits for the catalog.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ENGINE_NAMES } from '../../support/engines.ts';
import { eventually } from '../../support/patience.ts';
import { Session } from './session.ts';

/** Older than that is not used; a request would look first. */
const MAX_AGE_MS = 5000;

test.concurrent.each(ENGINE_NAMES)(
  'on %s a table that is requested again stays cached for a while, and one requested once does not',
  async (name) => {
    const session = await Session.open(name);
    try {
      for (const table of ['again', 'once'])
        await session.database.run(
          `CREATE TABLE ${table} (id int ${name === 'clickhouse' ? ') ENGINE = MergeTree ORDER BY id' : 'PRIMARY KEY)'}`,
        );
      await session.ids('again', []);
      await session.ids('once', []);
      // Old enough that the next request triggers a refresh in the background. The elapsed time is
      // what is under test.
      await sleep(4100);
      await session.ids('again', []);
      await eventually(() => expect(session.descriptionAge('again')).toBeLessThan(4000));
      await sleep(2 * MAX_AGE_MS);
      await eventually(() => expect(session.descriptionAge('again')).toBeLessThan(MAX_AGE_MS));
      expect(session.descriptionAge('once')).toBeGreaterThan(MAX_AGE_MS);
    } finally {
      await session.close();
    }
  },
);
