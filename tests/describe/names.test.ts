// Names in documents: they fit every generator of clients, and no two objects share one.
import { describe, expect, it } from 'vitest';
import { endpointName, tableName } from '../../src/describe/names.ts';

const ALLOWED = /^[A-Za-z_][A-Za-z0-9_.]*$/;

/** All words of at most this length, of characters that the escapes consist of. */
function wordsOf(characters: string, length: number): readonly string[] {
  if (length === 0) return [];
  const shorter = wordsOf(characters, length - 1);
  return [...characters, ...shorter.flatMap((word) => [...characters].map((character) => word + character))];
}

describe('names in documents', () => {
  it('keep plain names and escape other characters', () => {
    expect(tableName('pg', 'shop.sales', 'order-items')).toBe('pg.shop_2e_sales.order_2d_items');
    expect(tableName('pg', 'shop', 'a/insert')).toBe('pg.shop.a_2f_insert');
    expect(tableName('pg', 'shop', 'order_2d_items')).toBe('pg.shop.order_5f_2d_items');
    expect(endpointName('customers/{id}/orders')).toBe('customers.__id.orders');
  });

  it('of tables differ when the tables differ', () => {
    const words = [...new Set([...wordsOf('_-2dé', 5), ...wordsOf('_-5fz./', 4)])];
    const names = words.map((word) => tableName('pg', 'shop', word));
    expect(new Set(names).size).toBe(words.length);
    expect(names.filter((name) => !ALLOWED.test(name))).toEqual([]);
  });

  it('of endpoints differ when the uris differ', () => {
    const segments = wordsOf('_-2d', 4);
    const uris = [...segments, ...wordsOf('_2d', 3).flatMap((word) => [`{${word}}`, `a/{${word}}`, `a/${word}`])];
    const names = uris.map((uri) => `call.get.${endpointName(uri)}`);
    expect(new Set(names).size).toBe(uris.length);
    expect(names.filter((name) => !ALLOWED.test(name))).toEqual([]);
  });
});
