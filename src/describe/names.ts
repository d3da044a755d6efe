/**
 * Names in documents, made from names in databases without collisions. Pure.
 * Letters, digits and `_` stay; every other character becomes its code point between hyphens.
 */

/** `order-items` becomes `order-2d-items`. */
export function plainWord(word: string): string {
  return word.replace(/[^A-Za-z0-9_]/gu, (character) => `-${(character.codePointAt(0) ?? 0).toString(16)}-`);
}

/** The table `orders` of `pg/shop` becomes `pg.shop.orders`. A slash in a name is escaped. */
export function tableName(...parts: readonly [type: string, database: string, table: string]): string {
  return parts.map(plainWord).join('.');
}

/** `reports/{year}` becomes `reports.~year`. */
export function endpointName(uri: string): string {
  return uri
    .split('/')
    .map((segment) => (segment.startsWith('{') ? `~${plainWord(segment.slice(1, -1))}` : plainWord(segment)))
    .join('.');
}

/**
 * The same name without hyphens and tildes, which some generators of clients reject in operation
 * ids: `pg.shop.order..2d.items`, `reports..year`.
 */
export function operationName(name: string): string {
  return name.replace(/-([0-9a-f]+)-/g, '..$1.').replaceAll('~', '.');
}

/** Parameters of queries. Columns with such a name are quoted. */
const RESERVED: ReadonlySet<string> = new Set(['pg', 'ps', 'format', 'set', 'version', 'pwt']);

/** The name of a column as it is written in a query. */
export function columnInQuery(name: string): string {
  const isPlain = !RESERVED.has(name) && !/^[$"]/.test(name);
  return isPlain ? name : `"${name.replace(/["\\]/g, '\\$&')}"`;
}
