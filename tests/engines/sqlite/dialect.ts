// SQLite's SQL dialect, where it differs from the common one.
import type { Column } from '../../../src/model/table.ts';
import { paramType } from '../../../src/sql/compile/compile.ts';
import type { BoundStatement, Dialect, ParamBinder } from '../../../src/sql/dialect.ts';
import { LIKE_ESCAPE, likePattern, type Predicates } from '../../../src/sql/operators.ts';
import type { InsertPlan } from '../../../src/sql/plan.ts';

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const sqliteDialect: Dialect = {
  textType: { kind: 'text', cast: 'TEXT' },
  intType: { kind: 'int', cast: 'INTEGER' },
  quote,
  table: ({ name }) => quote(name),
  placeholder: () => '?',
  selectItem: ({ name }) => quote(name),
  predicates,
  // NULLs are first ascending and last descending by default.
  orderItem: ({ name }, direction) => `${quote(name)} ${direction}`,
  page: (limit, offset, bind) => ` LIMIT ${bind.int(limit)} OFFSET ${bind.int(offset)}`,
  insert,
};

function predicates(column: Column, name: string, bind: ParamBinder): Predicates {
  return {
    compare: (sign, value) => `${name} ${sign} ${bind.value(column, value)}`,
    between: (low, high) => `${name} BETWEEN ${bind.value(column, low)} AND ${bind.value(column, high)}`,
    member: (values, negated) => `${name} ${negated ? 'NOT IN' : 'IN'} (${values.map((value) => bind.value(column, value)).join(', ')})`,
    // LIKE ignores case here, GLOB does not; this engine does not support case-sensitive search.
    contains: (search) => `${name} ${search.negated ? 'NOT LIKE' : 'LIKE'} ${bind.text(likePattern(search))} ESCAPE '${LIKE_ESCAPE}'`,
  };
}

function insert({ table, columns, rows }: InsertPlan): readonly BoundStatement[] {
  const names = columns.map(({ name }) => quote(name)).join(', ');
  const text = `INSERT INTO ${quote(table.name)} (${names}) VALUES (${columns.map(() => '?').join(', ')})`;
  const statement = { text, types: columns.map(paramType) };
  return Array.from({ length: rows.count }, (_, i) => ({ statement, params: rows.row(i) }));
}
