// The grammar of filters, without tables: the tree of each text, and the errors.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFilter, parseGroup } from '../../src/auto/request/filter-syntax.ts';
import { ApiError } from '../../src/errors.ts';

const values = (text: string): string[] => {
  const filter = parseFilter('c', text);
  if (!('values' in filter)) throw new Error('no comparison');
  return filter.values.map((value) => value.text);
};

const statusOf = (work: () => unknown): number => {
  try {
    work();
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
  return 200;
};

describe('a filter', () => {
  it.each([
    ['eq.a', ['a']],
    ['eq.', ['']],
    ['eq.a.b', ['a.b']],
    ['eq."a"', ['a']],
    ['eq."a\\"b\\\\c\\d"', ['a"b\\c\\d']],
    ['in.a,b', ['a', 'b']],
    ['in.a,,b', ['a', '', 'b']],
    ['in."a,b",c', ['a,b', 'c']],
    ['in.a,', ['a', '']],
    ['bw."1.5"."2"', ['1.5', '2']],
    ['bw."1.5".2', ['1.5', '2']],
    ['bw.1."2.5"', ['1', '2.5']],
    ['bw.1.2', ['1.2']],
  ])('%s', (text, expected) => {
    expect(values(text)).toEqual(expected);
  });

  it.each([
    ['is.null', 417],
    ['lli.a', 417],
    ['EQ.a', 417],
    ['1', 417],
    ['eq', 417],
    ['', 417],
    ['in.', 400],
    ['eq."a', 400],
    ['eq."a"b', 400],
    ['in."a"b', 400],
    ['bw."a"b', 400],
  ])('%s is %i', (text, status) => {
    expect(statusOf(() => parseFilter('c', text))).toBe(status);
  });

  it('keeps any quoted value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const quoted = `"${value.replace(/[\\"]/g, '\\$&')}"`;
        expect(values(`eq.${quoted}`)).toEqual([value]);
        expect(values(`in.x,${quoted},y`)).toEqual(['x', value, 'y']);
        expect(values(`bw.${quoted}.${quoted}`)).toEqual([value, value]);
      }),
    );
  });

  it('throws only API errors', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (name, text) => {
        expect([200, 400, 417]).toContain(statusOf(() => parseFilter(name, text)));
        expect([200, 400, 417]).toContain(statusOf(() => parseGroup('$or', text)));
      }),
    );
  });
});

describe('a group', () => {
  it('nests', () => {
    expect(parseGroup('$or', '(a=eq.1,$and=(b=gt.2,c=in.3,4),$not=(d=eq."x,)"))')).toMatchObject({
      op: 'or',
      of: [
        { op: 'eq', column: 'a' },
        {
          op: 'and',
          of: [
            { op: 'gt', column: 'b' },
            { op: 'in', column: 'c', values: [{ text: '3' }, { text: '4' }] },
          ],
        },
        { op: 'not', of: { op: 'eq', column: 'd', values: [{ text: 'x,)', quoted: true }] } },
      ],
    });
  });

  it.each(['', '()', '(a=eq.1', 'a=eq.1', '(a=eq.1))', '(a)', '($set=1)'])('rejects %s', (text) => {
    expect([400, 417]).toContain(statusOf(() => parseGroup('$or', text)));
  });

  it('rejects excessive nesting', () => {
    const deep = `${'$or=('.repeat(40)}a=eq.1${')'.repeat(40)}`;
    expect(statusOf(() => parseGroup('$or', `(${deep})`))).toBe(400);
  });
});
