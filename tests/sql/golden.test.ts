// The SQL of every operator on every column kind, and of every plan, for all dialects, as golden
// files. `npx vitest run tests/sql -u` writes the files again; review the differences.
// differences.
import { describe, expect, test } from 'vitest';
import { UNRESTRICTED } from '../../src/auto/plan/access.ts';
import { planRequest } from '../../src/auto/plan/plan.ts';
import { parseDelete, parseRead, parseUpdate } from '../../src/auto/request/parse-request.ts';
import type { AutoRequest } from '../../src/auto/request/request.ts';
import { planRows, readBatch } from '../../src/auto/rows/insert-body.ts';
import { clickhouseDialect } from '../../src/engines/clickhouse/dialect/dialect.ts';
import { compileInKeyOrder } from '../../src/engines/clickhouse/dialect/key-order.ts';
import type { ClickhouseStatement } from '../../src/engines/clickhouse/statement.ts';
import { ENGINES } from '../../src/engines/index.ts';
import type { Column, Table } from '../../src/model/table.ts';
import { TIME_PARTS } from '../../src/sql/aggregates.ts';
import { compileCount, compileDelete, compileInsert, compileSelect, compileUpdate } from '../../src/sql/compile/compile.ts';
import { compileGroupCount, compileGroups } from '../../src/sql/compile/compile-groups.ts';
import { compilePage } from '../../src/sql/compile/compile-page.ts';
import type { BoundStatement, Dialect } from '../../src/sql/dialect.ts';
import { OPERATORS, type Operator } from '../../src/sql/operators.ts';
import type { StatementParam } from '../../src/sql/statement.ts';
import { bytesOf } from '../../src/util/bytes/buffer-pool.ts';
import { parseQuery } from '../../src/util/text/query.ts';
import { DIALECTS, type DialectName, kindsTable, VALUES } from './kinds-table.ts';

const quoted = (text: string): string => encodeURIComponent(`"${text.replace(/["\\]/g, '\\$&')}"`);

/**
 * `eq."x"`, `bw."x"."y"`, `in."x","y"`: all values are quoted, so that splitting does not matter.
 */
function expressionOf(op: Operator, [low, high]: readonly [string, string]): string {
  const { values } = OPERATORS[op];
  if (values === 'one') return `${op}.${quoted(low)}`;
  return `${op}.${quoted(low)}${values === 'range' ? '.' : ','}${quoted(high)}`;
}

function shown(value: StatementParam): string {
  if (value === null) return 'NULL';
  return typeof value === 'string' ? JSON.stringify(value) : `0x${Buffer.from(bytesOf(value)).toString('hex')}`;
}

const bound = ({ statement, params }: BoundStatement): string =>
  params.map((value, i) => `${shown(value)} ${statement.types[i]?.kind}`).join(', ');

/** All SQL of a statement: some engines count before they write, or choose between statements. */
const textsOf = (statement: ClickhouseStatement): readonly string[] =>
  statement.counted === undefined ? [statement.text] : [statement.counted.count, statement.text, ...statement.counted.otherwise];

const written = (query: BoundStatement): string => `${textsOf(query.statement).join('\n   or ')}\n   ${bound(query)}`.trimEnd();

/** The comparison and its bound values. */
function comparison(ready: BoundStatement): string {
  const where = /WHERE (.*?)(?: ORDER BY .*| LIMIT .*)?$/s.exec(textsOf(ready.statement)[0] ?? '')?.[1];
  return `${where}   <- ${bound(ready)}`;
}

/** The SQL of a dialect, or its rejection. */
function attempt(work: () => string): string {
  try {
    return work();
  } catch (error) {
    return `refused: ${(error as Error).message}`;
  }
}

class Golden {
  readonly #lines: string[] = [];
  readonly #dialect: Dialect;
  readonly #table: Table;

  constructor(name: DialectName) {
    const engine = ENGINES.find(name);
    if (engine === undefined) throw new Error(`no engine ${name}`);
    this.#dialect = engine.dialect;
    this.#table = kindsTable(name);
  }

  /** The comparison in a read of the column, and in a write. */
  filter(column: Column, op: Operator): void {
    const filter = `%22${column.name}%22=${expressionOf(op, VALUES[column.kind])}`;
    const read = attempt(() => {
      const request = parseRead(parseQuery(`pg=0&ps=20&$select=id,${column.name}&${filter}`), 10_000);
      return comparison(this.#first(request)).replace(/, "20" int$/, '');
    });
    const strict = attempt(() => comparison(this.#first(parseDelete(parseQuery(filter)))));
    this.#lines.push(`${op} on ${column.kind}: ${read}`);
    if (strict !== read) this.#lines.push(`   strictly: ${strict}`);
  }

  read(title: string, query: string): void {
    this.#add(title, () => this.#statements(parseRead(parseQuery(query), 10_000)));
  }

  update(column: Column): void {
    const query = `id=eq.1&set=${column.name}.${encodeURIComponent(VALUES[column.kind][1])}`;
    this.#add(`PUT ${column.kind}`, () => this.#statements(parseUpdate(parseQuery(query))));
  }

  insert(title: string, body: unknown, upsert: boolean): void {
    this.#add(title, () => {
      const batch = readBatch(Buffer.from(JSON.stringify(body)), this.#table, 'test');
      if (batch instanceof Promise) throw new Error('a small body is read at once');
      const plans = planRows(
        batch,
        { table: this.#table, upsert: upsert ? this.#table.primaryKey : undefined, access: UNRESTRICTED },
        this.#table.transactional,
      );
      return plans.flatMap((plan) => compileInsert(plan, this.#dialect));
    });
  }

  #statements(request: AutoRequest): readonly BoundStatement[] {
    const plan = planRequest(request, this.#table, UNRESTRICTED);
    switch (plan.do) {
      case 'read': {
        const count = plan.count === undefined ? [] : [compileCount(plan.count, this.#dialect)];
        const quick = this.#dialect === clickhouseDialect ? compileInKeyOrder(plan.select) : undefined;
        return [...count, compilePage(plan.select, this.#dialect), ...(quick === undefined ? [] : [quick])];
      }
      case 'write': {
        const { write } = plan;
        return [write.do === 'update' ? compileUpdate(write.plan, this.#dialect) : compileDelete(write.plan, this.#dialect)];
      }
      case 'group':
        return [
          ...(plan.count === 'exact' ? [compileGroupCount(plan.groups, this.#dialect)] : []),
          compileGroups(plan.groups, this.#dialect),
        ];
      case 'row':
      case 'expanded row':
        return [compileSelect(plan.select, this.#dialect)];
      case 'insert':
      case 'patch':
        throw new Error('rows of a body are planned when they are read');
    }
  }

  #first(request: AutoRequest): BoundStatement {
    const [statement] = this.#statements(request);
    if (statement === undefined) throw new Error('no statement');
    return statement;
  }

  get columns(): readonly Column[] {
    return this.#table.columns;
  }

  get text(): string {
    return `${this.#lines.join('\n')}\n`;
  }

  #add(title: string, work: () => readonly BoundStatement[]): void {
    this.#lines.push(
      `## ${title}`,
      attempt(() => work().map(written).join('\n   then ')),
    );
  }
}

describe.each(DIALECTS)('%s', (name) => {
  test('operators', async () => {
    const golden = new Golden(name);
    for (const column of golden.columns.slice(1)) for (const op of Object.keys(OPERATORS)) golden.filter(column, op as Operator);
    await expect(golden.text).toMatchFileSnapshot(`golden/${name}-operators.sql`);
  });

  test('plans', async () => {
    const golden = new Golden(name);
    golden.read('a page', 'pg=0&ps=20');
    golden.read('a later page', 'pg=3&ps=20');
    golden.read('a page so late that a number cannot say it', 'pg=9999999999&ps=10000');
    golden.read('a page far behind', 'pg=250&ps=20');
    golden.read('a page far behind, the other way round, some columns', 'pg=250&ps=20&$order=id.desc&$select=text');
    golden.read('a page far behind of what matches', 'pg=250&ps=20&int=gt.5');
    golden.read('a page far behind by another column', 'pg=250&ps=20&$order=int');
    golden.read('a page far behind that is large', 'pg=50&ps=100');
    golden.read('columns', 'pg=0&ps=20&$select=text,id');
    golden.read('one row', 'pg=0&ps=1&id=eq.7');
    golden.read('groups', `pg=0&ps=20&$or=(id=eq.1,$and=(id=gt.2,text=li.x),$not=(id=in.4,5))`);
    golden.read('nulls', 'pg=0&ps=20&$null=text&$notnull=int');
    golden.read('the same column twice', 'pg=0&ps=20&id=gt.1&id=lt.9');
    for (const { name: column, sortable } of golden.columns)
      if (sortable) golden.read(`order by ${column}`, `pg=0&ps=20&$order=${column},id.desc&$select=id`);
    golden.read('the first page by cursor', 'pg=0&ps=20&$after=&$select=text');
    golden.read('count', 'pg=0&ps=1&$select=id&$count=exact');
    golden.read('count of a filter', 'pg=0&ps=1&$select=id&$count=exact&int=gt.5');
    golden.read(
      'sums of everything',
      'pg=0&ps=20&$agg=count,count.text,countd.text,sum.int,sum.decimal,sum.float,avg.int,avg.decimal,avg.float,min.date,max.text',
    );
    golden.read('groups, in order', 'pg=1&ps=20&$group=text,int&$agg=total:sum.decimal&$order=total.desc&int=gt.5&$count=exact');
    golden.read(
      'having',
      'pg=0&ps=20&$group=text&$agg=count,total:sum.int&$having=(total=gt.100,$or=(count=ge.2,text=li.x),$notnull=total)',
    );
    for (const part of TIME_PARTS)
      golden.read(`by ${part}`, `pg=0&ps=20&$group=date.${part === 'hour' || part === 'minute' ? 'day' : part},timestamptz.${part}`);
    for (const column of golden.columns.slice(1)) golden.update(column);
    const row = { id: 1, text: 'a', int: 5 };
    golden.insert('POST of a row', [row], false);
    golden.insert('POST of rows', [row, { ...row, id: 2 }, { ...row, id: 3, text: null }], false);
    golden.insert('POST of rows with different keys', [row, { id: 2 }], false);
    golden.insert('upsert of a row', [row], true);
    golden.insert('upsert of rows', [row, { ...row, id: 2 }], true);
    await expect(golden.text).toMatchFileSnapshot(`golden/${name}-plans.sql`);
  });
});
