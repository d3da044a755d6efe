/** The operators of filters: their words, their number of values, and the columns that they fit. */
import type { Column } from '../../../api/types.ts';

export type Form = 'none' | 'one' | 'range' | 'list';

interface OperatorRow {
  readonly label: string;
  readonly form: Form;
  readonly fits: (column: Column) => boolean;
}

const TEXT_KINDS = new Set(['text', 'enum', 'set']);
const isComparable = ({ sortable }: Column): boolean => sortable;
const isText = ({ kind }: Column): boolean => TEXT_KINDS.has(kind);
const isNullable = ({ nullable }: Column): boolean => nullable;

export const OPERATORS: Readonly<Record<string, OperatorRow>> = {
  eq: { label: 'equals', form: 'one', fits: isComparable },
  ne: { label: 'differs from', form: 'one', fits: isComparable },
  lt: { label: 'less than', form: 'one', fits: isComparable },
  le: { label: 'at most', form: 'one', fits: isComparable },
  gt: { label: 'greater than', form: 'one', fits: isComparable },
  ge: { label: 'at least', form: 'one', fits: isComparable },
  bw: { label: 'between', form: 'range', fits: isComparable },
  in: { label: 'one of', form: 'list', fits: isComparable },
  nin: { label: 'none of', form: 'list', fits: isComparable },
  li: { label: 'contains', form: 'one', fits: isText },
  rli: { label: 'begins with', form: 'one', fits: isText },
  nli: { label: 'does not contain', form: 'one', fits: isText },
  il: { label: 'contains, any case', form: 'one', fits: isText },
  null: { label: 'is NULL', form: 'none', fits: isNullable },
  notnull: { label: 'is not NULL', form: 'none', fits: isNullable },
};

export const formOf = (operator: string): Form => OPERATORS[operator]?.form ?? 'one';

/** Operators that a column takes, in the order of the table. */
export const operatorsFor = (column: Column): readonly string[] => Object.keys(OPERATORS).filter((name) => OPERATORS[name]?.fits(column));
