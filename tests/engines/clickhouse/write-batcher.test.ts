/** Group commit of inserts: a few inserts for many callers, and the outcome of each is its own. */
import { describe, expect, test } from 'vitest';
import { type PendingInsert, WriteBatcher } from '../../../src/engines/clickhouse/write-batcher.ts';
import { DbFailure } from '../../../src/engines/contract/engine.ts';

const OPTIONS = { timeoutMs: 1000 };

/** A batcher, and a table whose inserts are completed or refused by the test. */
function table() {
  const batcher = new WriteBatcher();
  const batches: { readonly size: number; take(): void; refuse(failure: DbFailure): void }[] = [];
  const insert: PendingInsert['insert'] = (blocks) =>
    new Promise((resolve, reject) => void batches.push({ size: blocks.length, take: resolve, refuse: reject }));
  const add = (text = 'INSERT', signal?: AbortSignal) =>
    batcher.insert({ text, block: { columns: [], rows: 1 }, options: { ...OPTIONS, signal }, insert });
  return { batches, add };
}
const refused = (effect: 'nothing' | 'unknown') => new DbFailure('constraint', 'no', { effect });
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('a write batcher', () => {
  test('sends two inserts at once, and merges those that wait for them', async () => {
    const { batches, add } = table();
    const inserts = Array.from({ length: 6 }, () => add());
    expect(batches.map(({ size }) => size)).toEqual([1, 1]);
    batches[0]?.take();
    await settled();
    expect(batches.map(({ size }) => size)).toEqual([1, 1, 4]);
    for (const batch of batches) batch.take();
    await Promise.all(inserts);
  });

  test('sends inserts that have waited too long, even while others run', async () => {
    const { batches, add } = table();
    const inserts = Array.from({ length: 4 }, () => add());
    await expect.poll(() => batches.length).toBe(3);
    for (const batch of batches) batch.take();
    await Promise.all(inserts);
  });

  test('keeps other columns apart', () => {
    const { batches, add } = table();
    for (const text of ['a', 'b', 'a', 'b']) void add(text);
    expect(batches).toHaveLength(4);
  });

  test('sends each insert alone if a batch was refused without effect', async () => {
    const { batches, add } = table();
    const inserts = Array.from({ length: 5 }, () => add());
    const ends = Promise.allSettled(inserts);
    batches[0]?.take();
    batches[1]?.take();
    await settled();
    batches[2]?.refuse(refused('nothing'));
    await settled();
    expect(batches.map(({ size }) => size)).toEqual([1, 1, 3, 1, 1, 1]);
    batches[3]?.take();
    batches[4]?.refuse(refused('nothing'));
    batches[5]?.take();
    expect((await ends).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  });

  test('repeats nothing if the effect of a batch is unknown, and batches nothing for a while', async () => {
    const { batches, add } = table();
    const ends = Promise.allSettled(Array.from({ length: 4 }, () => add()));
    batches[0]?.take();
    batches[1]?.take();
    await settled();
    batches[2]?.refuse(refused('unknown'));
    expect((await ends).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
    for (let i = 0; i < 5; i++) void add();
    expect(batches.slice(3).map(({ size }) => size)).toEqual([1, 1, 1, 1, 1]);
  });

  test('leaves out callers who have disconnected', async () => {
    const { batches, add } = table();
    void add();
    void add();
    const gone = new AbortController();
    const leaves = expect(add('INSERT', gone.signal)).rejects.toMatchObject({ kind: 'cancelled' });
    void add();
    gone.abort();
    batches[0]?.take();
    await leaves;
    expect(batches.map(({ size }) => size)).toEqual([1, 1, 1]);
  });
});
