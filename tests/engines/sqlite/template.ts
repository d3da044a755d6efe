// Parses the SQL of steps and binds their values.

import type { ParamType } from '../../../src/sql/statement.ts';
import { isDashes, isSymbol, type SqlSyntax } from '../../../src/sql/template/syntax.ts';
import type { Template } from '../../../src/sql/template/template.ts';
import type { TemplateBinder } from '../../../src/sql/template/template-binder.ts';
import { rowCount, type Typed, TypedBinder, type TypedRules } from '../../../src/sql/template/typed-binder.ts';
import type { PlainValue } from '../../../src/util/text/decimal.ts';

export const sqliteSyntax: SqlSyntax = {
  strings: "'",
  names: '"`',
  backslashes: false,
  nameBackslashes: false,
  nestedComments: false,
  dollarQuotes: false,
  isLineComment: isDashes,
  prefixes: /^x$/i,
  foreignPlaceholder: (significant, at) => (isSymbol(significant[at], '?') ? 'a bare ?' : undefined),
  literalCasts: {},
  outsideTransactions: /^(?:VACUUM|ATTACH|DETACH)\b/,
  isHarmless: () => false,
};

const TEXT: ParamType = { kind: 'text', cast: 'TEXT' };
const INT: ParamType = { kind: 'int', cast: 'INTEGER' };
const REAL: ParamType = { kind: 'float', cast: 'REAL' };

function typed(value: PlainValue): Typed {
  if (value === null || typeof value === 'string') return { type: TEXT, value };
  if (typeof value === 'boolean') return { type: INT, value: value ? '1' : '0' };
  const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value);
  return { type: isWhole ? INT : REAL, value: String(value) };
}

const RULES: TypedRules = {
  fill: (slot, value) => ({
    typed: [slot.place === 'limit' ? { type: INT, value: rowCount(slot, value) } : typed(value)],
  }),
  fillIn: (_, value) => ({ typed: (Array.isArray(value) ? value : [value]).map(typed) }),
  fillPiece: (_, value) => ({ typed: [typed(String(value))] }),
  placeholder: () => '?',
  join: (pieces) => `(${pieces.join(' || ')})`,
  cast: (text, type) => `CAST(${text} AS ${type})`,
  in: (items, negated) => `${negated ? 'NOT IN' : 'IN'} (${items})`,
};

export const sqliteBinder = (template: Template): TemplateBinder => new TypedBinder(template, RULES);
