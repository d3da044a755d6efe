/**
 * Names in documents, made from names in databases without collisions. Pure.
 * Letters, digits and `_` stay; every other character becomes its code point between underscores.
 */

/** An underscore that would read as the beginning of a code point is escaped, too. */
const ESCAPED = /_(?=[0-9a-f]+[^A-Za-z0-9])|[^A-Za-z0-9_]/gu;
const escaped = (character: string): string => `_${(character.codePointAt(0) ?? 0).toString(16)}_`;

/** `order-items` becomes `order_2d_items`. */
export function plainWord(word: string): string {
  return word.replace(ESCAPED, escaped);
}

/** The table `orders` of `pg/shop` becomes `pg.shop.orders`. A slash in a name is escaped. */
export function tableName(...parts: readonly [type: string, database: string, table: string]): string {
  return parts.map(plainWord).join('.');
}

/** `reports/{year}` becomes `reports.__year`. Other segments do not begin with two underscores. */
export function endpointName(uri: string): string {
  return uri
    .split('/')
    .map((segment) => (segment.startsWith('{') ? `__${plainWord(segment.slice(1, -1))}` : plainWord(segment).replace(/^_(?=_)/, escaped)))
    .join('.');
}

/** Parameters of queries. Columns with such a name are quoted. */
const RESERVED: ReadonlySet<string> = new Set(['pg', 'ps', 'format', 'set', 'version', 'pwt']);

/** The name of a column as it is written in a query. */
export function columnInQuery(name: string): string {
  const isPlain = !RESERVED.has(name) && !/^[$"]/.test(name);
  return isPlain ? name : `"${name.replace(/["\\]/g, '\\$&')}"`;
}
