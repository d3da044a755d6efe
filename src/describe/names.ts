/**
 * Names in documents, made from names in databases without collisions. Pure.
 * Letters, digits and `_` stay; every other character becomes its code point between hyphens.
 */

/** `order-items` becomes `order-2d-items`. */
function plainWord(word: string): string {
  return word.replace(/[^A-Za-z0-9_]/gu, (character) => `-${(character.codePointAt(0) ?? 0).toString(16)}-`);
}

/** `pg/shop/orders` becomes `pg.shop.orders`. */
export function tableName(ref: string): string {
  return ref.split('/').map(plainWord).join('.');
}

/** `reports/{year}` becomes `reports.~year`. */
export function endpointName(uri: string): string {
  return uri
    .split('/')
    .map((segment) => (segment.startsWith('{') ? `~${plainWord(segment.slice(1, -1))}` : plainWord(segment)))
    .join('.');
}

/** Parameters of queries. Columns with such a name are quoted. */
const RESERVED: ReadonlySet<string> = new Set(['pg', 'ps', 'format', 'set', 'version', 'pwt']);

/** The name of a column as it is written in a query. */
export function columnInQuery(name: string): string {
  const isPlain = !RESERVED.has(name) && !/^[$"]/.test(name);
  return isPlain ? name : `"${name.replace(/["\\]/g, '\\$&')}"`;
}
