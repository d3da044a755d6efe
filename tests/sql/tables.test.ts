// The tables that a statement names, found without a catalog.
import { expect, test } from 'vitest';
import { ENGINES } from '../../src/engines/index.ts';
import { parseTemplate } from '../../src/sql/template/parse-template.ts';

const CASES: [sql: string, tables: readonly string[], engine?: string][] = [
  ['SELECT 1', []],
  ['SELECT * FROM a', ['a']],
  ['SELECT * FROM a, b x, s.c AS y', ['a', 'b', 's.c']],
  ['SELECT * FROM a JOIN b ON a.id = b.id, c', ['a', 'b', 'c']],
  ['SELECT * FROM a JOIN b ON a.id = b.id AND b.n IN (1, 2), c JOIN d USING (x, y), e WHERE a.x = 1', ['a', 'b', 'c', 'd', 'e']],
  ['SELECT * FROM (a CROSS JOIN b), (SELECT x, y FROM c, d ORDER BY x, y) AS q, e', ['a', 'b', 'c', 'd', 'e']],
  ['SELECT x, y FROM a GROUP BY x, y HAVING count(*) > 1 ORDER BY x, y LIMIT 1', ['a']],
  ['SELECT f(x, y), (SELECT z FROM b) FROM a', ['a', 'b']],
  ['SELECT * FROM generate_series(1, 5) AS n, a', ['a']],
  ['SELECT * FROM a, LATERAL (SELECT x, y FROM b) AS q, c', ['a', 'b', 'c']],
  ['SELECT * FROM (VALUES (1, 2), (3, 4)) AS v, a', ['a']],
  ['SELECT extract(year FROM x), y FROM a WHERE x IS DISTINCT FROM y', ['a']],
  ['WITH w AS (SELECT * FROM a, b) SELECT * FROM w, c', ['a', 'b', 'c']],
  ['SELECT * FROM a FOR UPDATE OF x, y', ['a']],
  ['SELECT * FROM a UNION SELECT x, y FROM b, c', ['a', 'b', 'c']],
  ['INSERT INTO a (x, y) SELECT p, q FROM b, c', ['a', 'b', 'c']],
  ['INSERT INTO a (x, y) VALUES (1, 2) ON CONFLICT (x) DO UPDATE SET x = 1, y = 2 RETURNING x, y', ['a']],
  ['INSERT INTO a SELECT * FROM b ON DUPLICATE KEY UPDATE x = 1, y = 2', ['a', 'b'], 'mysql'],
  ['UPDATE a SET x = 1, y = 2 FROM b, c WHERE a.x = b.x', ['a', 'b', 'c']],
  ['UPDATE a, b SET a.x = 1, b.y = 2', ['a', 'b'], 'mysql'],
  ['UPDATE LOW_PRIORITY IGNORE `a b` SET x = 1', ['a b'], 'mysql'],
  ['DELETE FROM a USING b, c WHERE a.x = b.x', ['a', 'b', 'c']],
  ['DELETE a FROM a JOIN b USING (x, y) WHERE b.z = 1', ['a', 'b'], 'mysql'],
  ['MERGE INTO a USING b ON a.x = b.x WHEN MATCHED THEN UPDATE SET y = 1, z = 2', ['a', 'b']],
  ['SELECT convert(x USING utf8mb4), y FROM a', ['a'], 'mysql'],
  ['SELECT * FROM a ARRAY JOIN tags, names JOIN b ON a.x = b.x', ['a', 'b'], 'clickhouse'],
  ['SELECT * FROM "a,b" /* FROM c */ -- FROM d\n, e', ['a,b', 'e']],
];

test.each<[string, readonly string[], string?]>(CASES)('%s', (sql, tables, engine = 'postgres') => {
  const syntax = ENGINES.named(engine)?.syntax;
  if (syntax === undefined) throw new Error(`there is no engine ${engine}`);
  expect(parseTemplate(sql, syntax).tables).toEqual(tables);
});
