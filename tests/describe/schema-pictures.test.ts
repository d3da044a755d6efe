// When a schema is looked at, and how: whole the first time, with its stamp the second time, by its stamp alone from then on.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SchemaPictures } from '../../src/describe/schema-snapshots.ts';
import type { Survey, SurveyOptions } from '../../src/engines/contract/engine.ts';
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
  let stamp = 'one';
  const table = (name: string) => makeTable({ schema: 's', name, kind: 'table', storage: '', transactional: true, columns: [], key: [] });
  const catalog = {
    survey: async (_connection: unknown, _schema: unknown, { wantsStamp = false }: SurveyOptions): Promise<Survey> => {
      asked.push(wantsStamp ? 'survey with its stamp' : 'survey');
      return { tables: [table(stamp)], keys: [], stamp: wantsStamp ? stamp : undefined };
    },
    stampAll: async () => {
      asked.push('stamp');
      return stamp;
    },
  };
  const pool = { acquire: async () => ({}), release: () => undefined };
  const pictures = new SchemaPictures({ pool: () => pool, engine: () => ({ catalog }) } as unknown as Connections);
  const find = () => pictures.find({ entry: { id: 'e', type: 'pg' }, schema: undefined } as unknown as Located);
  return { asked, find, change: (next: string) => (stamp = next) };
}

test('it is read whole, then with its stamp, and again only when its stamp is another', async () => {
  const { asked, find, change } = schema();
  const first = await find();
  expect(await find()).toBe(first);
  expect(asked).toEqual(['survey']);
  for (let i = 0; i < 3; i++) {
    vi.advanceTimersByTime(FIVE_SECONDS + 1);
    expect(await find()).toBe(first);
  }
  expect(asked).toEqual(['survey', 'survey with its stamp', 'stamp', 'stamp']);
  change('two');
  vi.advanceTimersByTime(FIVE_SECONDS + 1);
  expect(await find()).toMatchObject({ kind: 'seen', tables: [{ name: 'two' }] });
  expect(asked.slice(4)).toEqual(['stamp', 'survey with its stamp']);
});
