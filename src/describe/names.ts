/**
 * Names in documents, made from names in databases so that two different ones never meet: letters, digits and `_` stay, everything else is its
 * code point between hyphens. Knows nothing of what is named.
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

/** Names that mean something else in a query; a column of such a name is quoted. */
const RESERVED: ReadonlySet<string> = new Set(['pg', 'ps', 'format', 'set', 'version', 'pwt']);

/** A column as a query names it. */
export function columnInQuery(name: string): string {
  const isPlain = !RESERVED.has(name) && !/^[$"]/.test(name);
  return isPlain ? name : `"${name.replace(/["\\]/g, '\\$&')}"`;
}
