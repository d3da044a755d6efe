// The cache of records: one load for concurrent readers, no stale values, a hard bound.
import { describe, expect, test } from 'vitest';
import { RecordCache } from '../../src/store/cache.ts';

interface Box {
  readonly value: string;
}

/** A cache whose loads the test completes. */
function manual(most: number) {
  const loads: { key: string; end: (value: Box | undefined) => void; fail: (cause: Error) => void }[] = [];
  const cache = new RecordCache<Box>(most, (key) => new Promise((end, fail) => loads.push({ key, end, fail })));
  return { cache, loads };
}

describe('a record cache', () => {
  test('loads a record once for concurrent readers, then returns it at once', async () => {
    const { cache, loads } = manual(10);
    const asked = [cache.get('a'), cache.get('a')];
    expect(loads).toHaveLength(1);
    const box = { value: 'x' };
    loads[0]?.end(box);
    expect(await Promise.all(asked)).toEqual([box, box]);
    expect(cache.get('a')).toBe(box);
  });

  test('discards a record that changed while it was loaded, and lets no later reader join that load', async () => {
    const { cache, loads } = manual(10);
    const before = cache.get('a');
    cache.drop('a');
    const after = cache.get('a');
    expect(loads).toHaveLength(2);
    loads[1]?.end({ value: 'new' });
    expect(await after).toEqual({ value: 'new' });
    loads[0]?.end({ value: 'old' });
    expect(await before).toEqual({ value: 'old' });
    expect(cache.get('a')).toEqual({ value: 'new' });
    cache.clear();
    expect(cache.get('a')).toBeInstanceOf(Promise);
  });

  test('loads again after a failure', async () => {
    const { cache, loads } = manual(10);
    const failing = cache.get('a');
    loads[0]?.fail(new Error('out of reach'));
    await expect(failing).rejects.toThrow('out of reach');
    expect(cache.get('a')).toBeInstanceOf(Promise);
    expect(loads).toHaveLength(2);
  });

  test('keeps recently used records and stays bounded when missing records are requested', async () => {
    let loads = 0;
    const cache = new RecordCache<Box>(100, async (key) => {
      loads += 1;
      return key.startsWith('no') ? undefined : { value: key };
    });
    for (let i = 0; i < 1_000; i += 1) {
      await cache.get('used');
      await cache.get(`other ${i}`);
    }
    expect(loads).toBe(1_001);
    for (let i = 0; i < 5_000; i += 1) await cache.get(`no ${i}`);
    expect(cache.get('used')).toEqual({ value: 'used' });
    expect(cache.get('no 4999')).toBeUndefined();
    expect(cache.get('other 0')).toBeInstanceOf(Promise);
  });
});
