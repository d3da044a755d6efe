// The query model of the data view: it must never change the meaning of an address.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Filter, readFilter, writeFilter } from '../../console/views/data/query/filters.ts';
import { OPERATORS } from '../../console/views/data/query/operators.ts';
import { filterText, readOrder, readQuery, writeOrder, writeQuery } from '../../console/views/data/query/query.ts';
import { times } from '../support/times.ts';

const OPERATOR_NAMES = Object.keys(OPERATORS);
const COUNTS = { none: 0, one: 1, range: 2, list: 3 };

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
const comparison = fc
  .record({ column: text, operator: fc.constantFrom(...OPERATOR_NAMES), words: fc.array(text, { minLength: 3, maxLength: 3 }) })
  .map(({ column, operator, words }): Filter => {
    const count = COUNTS[OPERATORS[operator]?.form ?? 'one'];
    return { type: 'comparison', column, operator, values: words.slice(0, count) };
  });
const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    comparison,
    fc.record({
      type: fc.constantFrom('or' as const, 'and' as const, 'not' as const),
      filters: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      type: fc.constantFrom('has' as const, 'hasnot' as const),
      relation: fc.constantFrom('orders', 'orders!sender_id'),
      filters: fc.array(tie('filter'), { maxLength: 2 }),
    }),
  ),
}));

describe('filters of the data view', () => {
  it('read back what they have written', () => {
    fc.assert(
      fc.property(filter, (wanted) => {
        expect(readFilter(writeFilter(wanted))).toEqual(wanted);
      }),
      { numRuns: times(300, 5000) },
    );
  });

  it('keep a filter that they cannot split as it is', () => {
    expect(readFilter(['price', 'bw.1.5.2.5'])).toEqual({ type: 'raw', name: 'price', value: 'bw.1.5.2.5' });
    expect(readFilter(['id', 'is.null'])).toEqual({ type: 'raw', name: 'id', value: 'is.null' });
  });

  it('take a list inside of a group as one filter', () => {
    expect(readFilter(['$or', '(id=in.1,2,$null=x)'])).toEqual({
      type: 'or',
      filters: [
        { type: 'comparison', column: 'id', operator: 'in', values: ['1', '2'] },
        { type: 'comparison', column: 'x', operator: 'null', values: [] },
      ],
    });
  });
});

describe('the query of the data view', () => {
  it('writes an address that can be read', () => {
    const search = '?status=eq.new&$order=id.desc&$select=id,status';
    expect(writeQuery(readQuery(search))).toBe(search);
  });

  it('keeps parameters that it does not know', () => {
    const search = '?$group=status&$agg=count&$having=(count=gt.10)';
    expect(writeQuery(readQuery(search))).toBe(search);
  });

  it('changes the order and nothing else', () => {
    const search = '?name=li.%22a%26b%22&$expand=customers($select=name)';
    const ordered = writeOrder(search, [{ column: 'placed at', isDescending: true }]);
    expect(readOrder(ordered)).toEqual([{ column: 'placed at', isDescending: true }]);
    expect(readQuery(ordered).filters).toEqual(readQuery(search).filters);
    expect(readQuery(ordered).expand).toEqual(['customers($select=name)']);
    expect(writeOrder(ordered, [])).toBe(writeQuery(readQuery(search)));
  });

  it('survives URLSearchParams for any value', () => {
    fc.assert(
      fc.property(filter, (wanted) => {
        const search = writeQuery({ filters: [wanted], order: [], select: [], expand: [], group: [], agg: [], others: [] });
        expect(readQuery(search).filters).toEqual([wanted]);
        expect(filterText(search)).toBe(search.slice(1));
      }),
      { numRuns: times(300, 5000) },
    );
  });
});
