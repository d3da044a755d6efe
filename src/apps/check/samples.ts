/**
 * Replaces placeholders in filters by sample values of their columns, so that the planner checks
 * columns and operators before any value is known. Pure.
 */
import type { RawFilter, RawValue } from '../../auto/request/filter-syntax.ts';
import type { Column, Kind } from '../../model/table.ts';
import { placeholderIn, placeholdersIn, valuesOf } from '../document/placeholders.ts';

const SAMPLES: Readonly<Record<Kind, string>> = {
  int: '0',
  decimal: '0',
  float: '0',
  bool: 'true',
  text: '',
  enum: '',
  set: '',
  uuid: '00000000-0000-0000-0000-000000000000',
  date: '2024-01-01',
  time: '00:00:00',
  timestamp: '2024-01-01T00:00:00',
  timestamptz: '2024-01-01T00:00:00Z',
  bytes: '',
  json: 'null',
  other: '',
};

const sampleOf = (column: Column | undefined): RawValue => ({
  text: column === undefined ? '' : (column.values?.[0] ?? SAMPLES[column.kind]),
  quoted: true,
});

/** Columns by name, of a table or of the groups of one. */
type Columns = { readonly byName: ReadonlyMap<string, Column> };

export function withSamples(filter: RawFilter, columns: Columns): RawFilter {
  switch (filter.op) {
    case 'and':
    case 'or':
      return { op: filter.op, of: filter.of.map((part) => withSamples(part, columns)) };
    case 'not':
      return { op: 'not', of: withSamples(filter.of, columns) };
    case 'has':
    case 'hasnot':
      return { ...filter, selector: { ...filter.selector, filters: filter.selector.filters.map(withoutValues) } };
    case 'null':
    case 'notnull':
      return filter;
    default: {
      const sample = sampleOf(columns.byName.get(filter.column));
      return { ...filter, values: valuesOf(filter).map((value) => (placeholderIn(value) === undefined ? value : sample)) };
    }
  }
}

/** Checks only the column of a comparison with placeholders: related tables are unknown here. */
export function withoutValues(filter: RawFilter): RawFilter {
  switch (filter.op) {
    case 'and':
    case 'or':
      return { op: filter.op, of: filter.of.map(withoutValues) };
    case 'not':
      return { op: 'not', of: withoutValues(filter.of) };
    case 'has':
    case 'hasnot':
      return { ...filter, selector: { ...filter.selector, filters: filter.selector.filters.map(withoutValues) } };
    case 'null':
    case 'notnull':
      return filter;
    default:
      return placeholdersIn(filter).length === 0 ? filter : { op: 'notnull', column: filter.column };
  }
}
