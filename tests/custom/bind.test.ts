// SQL templates: slots, literals, rejected statements. No value changes the SQL of a statement.
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Engine } from '../../src/engines/contract/engine.ts';
import { ENGINES } from '../../src/engines/index.ts';
import type { DbType } from '../../src/model/entry.ts';
import { parseTemplate } from '../../src/sql/template/parse-template.ts';
import { SqlProblem, scanSql } from '../../src/sql/template/scan.ts';
import type { Template } from '../../src/sql/template/template.ts';
import type { SlotType } from '../../src/sql/template/template-binder.ts';
import { Decimal, type PlainValue } from '../../src/util/text/decimal.ts';

const engineOf = (name: string): Engine => ENGINES.named(name) ?? ENGINES.fallback;
const parse = (text: string, engine: string): Template => parseTemplate(text, engineOf(engine).syntax);

function bind(type: DbType, text: string, values: Record<string, PlainValue> = {}) {
  const { statement, params } = engineOf(type)
    .templateBinder(parse(text, type))
    .bind((path) => values[path.text] ?? null);
  return { text: statement.text, params, casts: statement.types.map(({ cast }) => cast) };
}

const slots = (text: string, engine: string): string[] => parse(text, engine).slots.map(({ path }) => path.text);

describe('slots in a template', () => {
  test.each<[string, string, string[]]>([
    ['postgres', 'SELECT ?:a, ?:input.b, ?:step_0.c, ?:step_0[2].d', ['a', 'input.b', 'step_0.c', 'step_0[2].d']],
    ['postgres', 'SELECT ?:id, ?:id2', ['id', 'id2']],
    ['postgres', "SELECT '?:a', '%?:b%', E'\\'?:c', '''?:d'''", ['a', 'b', 'c', 'd']],
    ['postgres', "SELECT '?:name.jpg', '?:input.x.y'", ['name', 'input.x.y']],
    ['postgres', 'SELECT ?:a::int, b::text, c:d', ['a']],
    ['postgres', "SELECT j ? 'k', j ?| array['a'], j ?& array['b'], j ? ?:k, j ??:l", ['k', 'l']],
    ['postgres', 'SELECT "?:no", $$?:no$$, $t$ $$ ?:no $t$ -- ?:no\n, /* ?:no /* ?:no */ ?:no */ ?:yes', ['yes']],
    ['postgres', "SELECT '\\', ?:a", ['a']],
    ['mysql', "SELECT '\\'?:a', \"?:b\", `?:no`, '\\?:no'", ['a', 'b']],
    ['mysql', 'SELECT 1 # ?:no\n, 2 -- ?:no\n, 5--?:a, /* ?:no /* */ ?:b', ['a', 'b']],
    ['clickhouse', "SELECT a ? b : c, x ?:y, '\\'?:a', `\\`?:no`, {z:String}", ['y', 'a']],
    ['clickhouse', 'SELECT 1 # ?:no\n, $h$?:no$h$, /* /* */ ?:no */ ?:b', ['b']],
  ])('%s: %s', (engine, text, expected) => {
    expect(slots(text, engine)).toEqual(expected);
  });

  test('leave a statement without slots unchanged', () => {
    const text = "SELECT a, 'it''s', $$x$$, \"q\" -- end\nFROM t /* c */ WHERE a ?| b";
    expect(bind('pg', text)).toMatchObject({ text, params: [] });
  });
});

describe('invalid templates', () => {
  test.each<[string, string, RegExp]>([
    ['postgres', '', /no statement/],
    ['postgres', ' -- nothing\n', /no statement/],
    ['postgres', 'SELECT 1; SELECT 2', /one statement/],
    ['postgres', "SELECT 'a", /not closed/],
    ['postgres', 'SELECT "a', /not closed/],
    ['postgres', 'SELECT $x$ a $y$', /not closed/],
    ['postgres', 'SELECT /* /* */', /not closed/],
    ['postgres', 'SELECT $1', /write \?:name/],
    ['postgres', "SELECT B'?:a'", /cannot have parameters/],
    ['postgres', 'COMMIT', /one transaction/],
    ['mysql', 'START TRANSACTION', /one transaction/],
    ['mysql', 'SELECT ?', /write \?:name/],
    ['mysql', 'SELECT /*!50000 ?:a */ 1', /cannot have parameters/],
    ['mysql', "SELECT x'?:a'", /cannot have parameters/],
    ['clickhouse', 'SELECT {p1:String}', /write \?:name/],
  ])('%s: %s', (engine, text, why) => {
    expect(() => parse(text, engine)).toThrow(SqlProblem);
    expect(() => parse(text, engine)).toThrow(why);
  });

  test.each(['SELECT 1;', 'SELECT 1 ; -- done', 'SELECT 1;;'])('may end with a semicolon: %s', (text) => {
    expect(bind('pg', text).text).not.toContain(';');
  });
});

describe('binding on PostgreSQL', () => {
  test('supports literals, lists, casts and tests for NULL', () => {
    const bound = bind(
      'pg',
      "SELECT '%?:q%' WHERE a IN (?:l) AND b NOT IN (?:l) AND (?:n IS NULL OR n = ?:n) AND d >= DATE '?:d' LIMIT?:k",
      {
        q: 'x',
        l: [1, null, 'a"b\\'],
        n: 5,
        d: '2024-01-01',
        k: '10',
      },
    );
    expect(bound.text).toBe(
      "SELECT ('%' || $1::text || '%') WHERE a = ANY ($2) AND b <> ALL ($3) AND ($4::text IS NULL OR n = $5) AND d >= CAST($6 AS date) LIMIT $7",
    );
    expect(bound.params).toEqual(['x', '{"1",NULL,"a\\"b\\\\"}', '{"1",NULL,"a\\"b\\\\"}', '5', '5', '2024-01-01', '10']);
  });

  test('binds a list among other values, an array, and JSON', () => {
    const bound = bind('pg', 'SELECT ?:j WHERE a IN (0, ?:l, ?:e) AND b = ANY(?:l) AND c && ?:l::int[]', {
      j: new Map([['a', [1]]]),
      l: [1, 2],
      e: [],
    });
    expect(bound.text).toBe('SELECT $1 WHERE a IN (0, $2, $3, NULL) AND b = ANY($4) AND c && $5::int[]');
    expect(bound.params).toEqual(['{"a":[1]}', '1', '2', '{"1","2"}', '{"1","2"}']);
  });
});

describe('declared types on PostgreSQL', () => {
  const TYPES: Readonly<Record<string, SlotType>> = {
    i: 'integer',
    n: 'number',
    b: 'boolean',
    d: 'date',
    t: 'timestamp',
    u: 'uuid',
    l: 'integer[]',
  };
  const textOf = (text: string): string =>
    engineOf('pg')
      .templateBinder(parse(text, 'pg'), ({ text: name }) => TYPES[name])
      .bind(() => null)
      .statement.text.replace(/CAST\((\$\d+) AS ([\w[\]]+)\)/g, '$1~$2');

  it.each([
    ['SELECT 200 * (1 + ?:n / 100)', 'SELECT 200 * (1 + $1~numeric / 100)'],
    ['SELECT (?:i) % 7, -?:n, 2^ ?:i', 'SELECT ($1~int8) % 7, -$2~numeric, 2^ $3~int8'],
    ['SELECT ?:i, ?:n AS n, ?:b flag, ?:u', 'SELECT $1~int8, $2~numeric AS n, $3~bool flag, $4~uuid'],
    ['SELECT DISTINCT ?:d, count(*) FROM t', 'SELECT DISTINCT $1~date, count(*) FROM t'],
    ['SELECT a IS DISTINCT FROM b, ?:i FROM t', 'SELECT a IS DISTINCT FROM b, $1~int8 FROM t'],
    ['SELECT x FROM (SELECT ?:t AS x) y', 'SELECT x FROM (SELECT $1~timestamptz AS x) y'],
    ['SELECT ARRAY[?:i, ?:n], GREATEST(?:i, -1)', 'SELECT ARRAY[$1~int8, $2~numeric], GREATEST($3~int8, -1)'],
    ['SELECT round(?:n, ?:i), jsonb_build_object(?:i, ?:n)', 'SELECT round($1~numeric, $2), jsonb_build_object($3~int8, $4~numeric)'],
    ['SELECT CASE WHEN a THEN ?:n ELSE 0 END / 3', 'SELECT CASE WHEN a THEN $1~numeric ELSE 0 END / 3'],
    ['SELECT unnest(?:l), 1 WHERE ?:i = ANY(?:l)', 'SELECT unnest($1~int8[]), 1 WHERE $2~int8 = ANY($3)'],
    ['SELECT 1 WHERE ?:i > ?:n AND ?:n <= 5', 'SELECT 1 WHERE $1~int8 > $2~numeric AND $3~numeric <= 5'],
    ['SELECT 1 WHERE ?:n BETWEEN 1 AND 5 OR ?:i IN (1, 2)', 'SELECT 1 WHERE $1~numeric BETWEEN 1 AND 5 OR $2~int8 IN (1, 2)'],
    ['UPDATE t SET a = a * ?:n WHERE id = ?:i', 'UPDATE t SET a = a * $1~numeric WHERE id = $2'],
  ])('%s', (text, bound) => {
    expect(textOf(text)).toBe(bound);
  });

  it.each([
    'SELECT a FROM t WHERE a = ?:i AND b > ?:n AND ?:d < c AND u = ?:u LIMIT ?:i OFFSET ?:i',
    'SELECT a FROM t WHERE a BETWEEN ?:d AND ?:d AND b * 2 > ?:n AND x IN (1, ?:i)',
    "SELECT a FROM t WHERE doc->>'a' = ?:i AND doc->'b' @> ?:n AND doc #>> ?:l = 'x'",
    'INSERT INTO t (a, b) VALUES (?:i, ?:n) ON CONFLICT (a) DO UPDATE SET b = ?:n',
    'INSERT INTO t (a, b) SELECT ?:i, ?:n FROM u',
    'SELECT ?:i UNION ALL SELECT name FROM t',
    'SELECT left(name, ?:i), substr(name, ?:i, ?:i), lower(?:s), ?:s FROM t',
    'SELECT COALESCE(?:i, id), NULLIF(name, ?:i), ?:s::int FROM t',
    "SELECT CASE WHEN a THEN ?:i ELSE 'none' END, CASE a WHEN 1 THEN b ELSE ?:n END FROM t",
    'SELECT ?:i::int, 5 * ?:i::int, name || ?:i FROM t',
  ])('leaves the server to infer: %s', (text) => {
    expect(textOf(text)).not.toContain('~');
  });
});

describe('binding on MySQL', () => {
  test('derives types from the values, except in comparisons and counts', () => {
    const values = { i: 5, big: 2n ** 64n - 1n, d: new Decimal('0.10'), f: 0.5, b: true, n: null, s: 'x' };
    const bound = bind(
      'ms',
      "SELECT ?:i, ?:big, ?:d, ?:f, ?:b, ?:n, ?:s, '?:i' WHERE a = ?:i AND b BETWEEN ?:d AND ?:f LIMIT ?:i OFFSET ?:i",
      values,
    );
    expect(bound.text).toBe('SELECT ?, ?, ?, ?, ?, ?, ?, ? WHERE a = ? AND b BETWEEN ? AND ? LIMIT ? OFFSET ?');
    expect(bound.casts.join(' ')).toBe('signed unsigned decimal double signed text text text text text text signed signed');
    expect(bind('ms', 'UPDATE t SET a = ?:i WHERE b = ?:i', values).casts).toEqual(['signed', 'text']);
  });

  test('pads lists to few lengths and lets an empty list match nothing', () => {
    const text = 'SELECT 1 WHERE a IN (?:l) AND b NOT IN (?:e)';
    expect(bind('ma', text, { l: [1, 2, 3, 4, 5], e: [] })).toMatchObject({
      text: 'SELECT 1 WHERE a IN (?, ?, ?, ?, ?, ?) AND b NOT IN (SELECT NULL FROM DUAL WHERE FALSE)',
      params: ['1', '2', '3', '4', '5', '5'],
    });
  });

  test('supports literals and rejects an invalid count', () => {
    expect(bind('ms', "SELECT 'a?:x''b', DATE '?:d'", { x: 1, d: '2024-01-01' }).text).toBe(
      "SELECT CONCAT('a', ?, '''b'), CAST(? AS DATE)",
    );
    expect(() => bind('ms', 'SELECT 1 LIMIT ?:n', { n: '1 OR 1' })).toThrow(/number of rows/);
    expect(() => bind('ms', "SELECT '%?:l%'", { l: [1] })).toThrow(/inside a literal/);
  });
});

describe('binding on ClickHouse', () => {
  test('derives types from the values', () => {
    const values = { i: 5, big: 2n ** 64n - 1n, d: new Decimal('0.10'), f: 0.5, b: true, s: 'x', l: [1, null], m: ['a', 1] };
    const bound = bind('ch', "SELECT ?:i, ?:big, ?:d, ?:f, ?:b, ?:n, ?:s, '?:i', ?:m, '%?:s%' WHERE a IN (?:l) LIMIT ?:i", values);
    expect(bound.text).toBe(
      "SELECT {p1:Int64}, {p2:UInt64}, {p3:Decimal(38, 2)}, {p4:Float64}, {p5:Bool}, NULL, {p6:String}, {p7:String}, {p8:Array(String)}, concat('%', {p9:String}, '%') WHERE a IN {p10:Array(Nullable(Int64))} LIMIT {p11:UInt64}",
    );
    expect(bound.params).toEqual(['5', '18446744073709551615', '0.10', '0.5', 'true', 'x', '5', '["a","1"]', 'x', '[1,null]', '5']);
  });
});

describe('facts of a statement', () => {
  test.each([
    ['SELECT count(*) FROM t WHERE a IN (1)', true],
    ['INSERT INTO s.t (a, b) VALUES (?:a, lower(?:b)) RETURNING a', true],
    ['WITH x (a) AS (SELECT 1) SELECT sum(a) OVER (PARTITION BY b) FROM x AS y(a)', true],
    ["SELECT t @@ to_tsquery('x'), j @> '{}'", true],
    ["SELECT set_config('a', 'b', false)", false],
    ["SELECT \"set_config\"('a', 'b', false)", false],
    ['SELECT * INTO TEMP x FROM t', false],
    ['SET search_path = x', false],
    ['CREATE TEMP TABLE x (a int)', false],
    ['SELECT @a := 5', false],
  ])('%s', (text, harmless) => {
    expect(parse(text, text.includes('@a') ? 'mysql' : 'postgres').facts.harmless).toBe(harmless);
  });

  test.each([
    ['SELECT 1', true],
    ['(SELECT 1) UNION (SELECT 2)', true],
    ['WITH x AS (DELETE FROM t RETURNING a) SELECT * FROM x', false],
    ['INSERT INTO t VALUES (1)', false],
    ['TRUNCATE t', false],
  ])('%s reads: %s', (text, reads) => {
    expect(parse(text, 'postgres').facts.reads).toBe(reads);
  });
});

const engines: readonly string[] = ['postgres', 'mysql', 'clickhouse'];
const fragments = [
  "'",
  '"',
  '`',
  '$$',
  '$a$',
  '--',
  '-- ',
  '/*',
  '*/',
  '/*!',
  '#',
  '\\',
  '?:a',
  '?:b.c',
  '??',
  '?|',
  ';',
  'E',
  'x',
  ' ',
  '\n',
  '1',
  '(',
  ')',
  'IN',
  'NOT',
  'LIMIT',
  '=',
  'é',
  '😀',
  '::int',
];

test('the tokens of any text concatenate to the text', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...engines),
      fc.array(fc.oneof(fc.constantFrom(...fragments), fc.string({ unit: 'grapheme' }))),
      (engine, pieces) => {
        const text = pieces.join('');
        try {
          expect(
            scanSql(text, engineOf(engine).syntax)
              .map((token) => token.text)
              .join(''),
          ).toBe(text);
        } catch (error) {
          if (!(error instanceof SqlProblem)) throw error;
        }
      },
    ),
    { numRuns: 3_000 },
  );
});

const scalar = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom("' OR 1=1 --", "\\' OR 1=1 #", '?:other', '$1', '*/ DROP TABLE t /*', '{p1:String}', "'||version()||'"),
);

test('the text of a statement is the same for all values of a type', () => {
  const statement = "SELECT ?:a, '?:b', '%?:c%x?:a' FROM t WHERE d = ?:d AND e IN (?:e) AND f NOT IN (1, ?:f) LIMIT ?:g /* ?:h */";
  fc.assert(
    fc.property(fc.constantFrom<DbType>('pg', 'ms', 'ma', 'ch'), scalar, scalar, scalar, scalar, fc.nat(), (type, a, b, c, d, g) => {
      const hostile = bind(type, statement, { a, b, c, d, e: [a, b], f: c, g });
      const tame = bind(type, statement, { a: 'a', b: 'a', c: 'a', d: 'a', e: ['a', 'a'], f: 'a', g: 1 });
      expect(hostile.text).toBe(tame.text);
      expect(hostile.casts).toEqual(tame.casts);
      expect(hostile.params).toContain(a);
      expect(hostile.params).toContain(d);
    }),
    { numRuns: 3_000 },
  );
});

test('binding a slot leaves all other text unchanged', () => {
  const around = fc
    .array(fc.constantFrom('SELECT', 'a', ' ', "'it''s'", '"q"', '/* c */', '(', ')', ',', '=', '$$ ?:x $$', '\n', '::text', 'IN'))
    .map((p) => p.join(' '));
  fc.assert(
    fc.property(around, around, (before, after) => {
      const { parts } = parse(`SELECT ${before} ?:v ${after}`, 'postgres');
      const fixed = parts.map((part) => (part.kind === 'text' ? part.text : part.kind === 'in' ? 'IN ( ?:v )' : '?:v')).join('');
      expect(fixed.replace(/\s+/g, '')).toBe(`SELECT ${before} ?:v ${after}`.replace(/\s+/g, ''));
    }),
  );
});
