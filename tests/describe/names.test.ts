// Names in documents: they fit every generator of clients, and no two objects share one.
import { describe, expect, it } from 'vitest';
import { endpointName, operationName, tableName } from '../../src/describe/names.ts';

const COMPONENT = /^[A-Za-z_][A-Za-z0-9_.-]*$/;
const OPERATION = /^[A-Za-z_][A-Za-z0-9_.]*$/;

/** All words of at most this length, of characters that the escapes consist of. */
function wordsOf(characters: string, length: number): readonly string[] {
  if (length === 0) return [];
  const shorter = wordsOf(characters, length - 1);
  return [...characters, ...shorter.flatMap((word) => [...characters].map((character) => word + character))];
}

describe('names in documents', () => {
  it('keep plain names and escape other characters', () => {
    expect(tableName('pg', 'shop.sales', 'order-items')).toBe('pg.shop-2e-sales.order-2d-items');
    expect(tableName('pg', 'a_2d_b', 'a/insert')).toBe('pg.a_2d_b.a-2f-insert');
    expect(operationName('pg.shop.order-2d-items.read')).toBe('pg.shop.order..2d.items.read');
    expect(operationName(endpointName('customers/{id}/orders'))).toBe('customers..id.orders');
  });

  it('of tables differ when the tables differ', () => {
    const words = [...new Set([...wordsOf('_-2dé', 5), ...wordsOf('_-5fz./', 4)])];
    const names = words.map((word) => tableName('pg', 'shop', word));
    const operations = names.flatMap((name) => ['read', 'row.read'].map((operation) => operationName(`${name}.${operation}`)));
    expect([new Set(names).size, new Set(operations).size]).toEqual([words.length, 2 * words.length]);
    expect([...names.filter((name) => !COMPONENT.test(name)), ...operations.filter((name) => !OPERATION.test(name))]).toEqual([]);
  });

  it('of endpoints differ when the uris differ', () => {
    const segments = wordsOf('_-2d~', 4);
    const uris = [...segments, ...wordsOf('_d', 3).flatMap((word) => [`{${word}}`, `a/{${word}}`, `a/${word}`, `-/{${word}}/2`])];
    const names = uris.map((uri) => operationName(`call.get.${endpointName(uri)}`));
    expect(new Set(names).size).toBe(uris.length);
    expect(names.filter((name) => !OPERATION.test(name))).toEqual([]);
  });
});
