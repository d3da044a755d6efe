/**
 * `npm start -- postgres://…`: registers a database beside the demo, and prints requests for its
 * tables.
 */
import { ENGINES } from '../../engines/index.ts';
import { entryFromUrl, type UrlEntry } from './database-url.ts';
import { type DemoClient, type DemoIds, messageOf } from './demo-client.ts';

const ENTRY = 'system/api/v1/project/database';
const SHOWN = 3;

export interface BesideDemo {
  readonly entry: UrlEntry;
  /** Tables to show; empty if the database cannot be used. */
  readonly tables: readonly string[];
  readonly problem: string | undefined;
}

export async function registerDatabase(client: DemoClient, ids: DemoIds, url: string): Promise<BesideDemo> {
  const entry = entryFromUrl(url, ENGINES);
  const project = (await client.send('GET', `system/api/v1/project?project_id=${ids.project_id}`, ids)) as {
    databases: { db_type: string; db_name: string }[];
  };
  const isKnown = project.databases.some(({ db_type, db_name }) => db_type === entry.db_type && db_name === entry.db_name);
  await client.send(isKnown ? 'PUT' : 'POST', ENTRY, ids, entry);
  const query = `type=${entry.db_type}&name=${encodeURIComponent(entry.db_name)}`;
  const trial = await client.request('GET', `${ENTRY}/test?${query}`, ids);
  if (trial.status >= 300) return { entry, tables: [], problem: messageOf(trial) };
  const list = await client.request(
    'GET',
    `rest/meta/v1/table/list?type=${entry.db_type}&schema=${encodeURIComponent(entry.db_name)}`,
    ids,
  );
  if (list.status >= 300) return { entry, tables: [], problem: messageOf(list) };
  return { entry, tables: (list.body as { table: string }[]).slice(0, SHOWN).map(({ table }) => table), problem: undefined };
}
