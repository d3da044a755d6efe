import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { declaredKeys, type ForeignKey, type Hint, matching, namesOf, relationsOf } from '../../src/model/relation.ts';
import { makeTable, type Table } from '../../src/model/table.ts';
import { column } from '../personas/memory-tables.ts';

const COLUMNS = ['a', 'b', 'c', 'one'];

function table(name: string): Table {
  const columns = ['id', ...COLUMNS].map((one) => column(one, 'int'));
  return makeTable({ schema: 's', name, kind: 'table', storage: '', transactional: true, columns, key: ['id'] });
}

const key = (from: string, columns: readonly string[], to: string, referred = columns): ForeignKey => ({
  table: from,
  columns,
  references: { table: to, columns: referred },
  unique: false,
});

function hintOf(name: string): Hint | undefined {
  const [, hint, rest] = /^[^!]+!([^.]+)(?:\.(.+))?$/.exec(name.replaceAll('"', '')) ?? [];
  return hint === undefined ? undefined : { name: hint, rest };
}

/** Each name of a table's relations, with the number of relations that it finds. */
function found(of: string, keys: readonly ForeignKey[]): readonly (readonly [string, boolean])[] {
  const relations = relationsOf(of, keys);
  return namesOf(relations).map((name, i) => {
    const matches = matching(relations, relations[i]?.table ?? '', hintOf(name));
    return [name, matches.length === 1 && matches[0] === relations[i]];
  });
}

describe('names of relations', () => {
  it('lead back to exactly their relation when each table has up to three different keys', () => {
    const columns = fc.subarray(COLUMNS.slice(0, 3), { minLength: 1 });
    const keys = (from: string, targets: readonly string[]) =>
      fc
        .uniqueArray(fc.record({ columns, to: fc.constantFrom(...targets) }), {
          maxLength: 3,
          selector: (one) => one.columns.join(),
        })
        .map((list) => list.map((one) => key(from, one.columns, one.to)));
    fc.assert(
      fc.property(keys('junction', ['left', 'right']), keys('left', ['left', 'right']), (over, own) => {
        for (const start of ['left', 'right', 'junction'])
          for (const [name, isFound] of found(start, [...over, ...own])) expect([start, name, isFound]).toEqual([start, name, true]);
      }),
    );
  });

  it('use the columns towards the start when a junction refers to it twice', () => {
    const keys = [key('match', ['a'], 'team', ['id']), key('match', ['b'], 'team', ['id']), key('match', ['c'], 'place', ['id'])];
    expect(namesOf(relationsOf('place', keys))).toEqual(['match', 'team!match.a', 'team!match.b']);
    expect(found('team', keys).filter(([, isFound]) => !isFound)).toEqual([]);
    expect(namesOf(relationsOf('team', keys)).filter((name) => name.startsWith('place'))).toEqual(['place!match.a', 'place!match.b']);
  });

  it('list all columns of a key when no single one is enough', () => {
    const keys = [key('item', ['a', 'b'], 'lot'), key('item', ['a'], 'lot'), key('item', ['b'], 'lot')];
    expect(namesOf(relationsOf('item', keys))).toEqual(['lot!"a,b"', 'lot!a', 'lot!b']);
  });

  it('name a key of one column by it when a longer key has the column too', () => {
    const keys = [key('item', ['a', 'b'], 'lot', ['a', 'b']), key('item', ['a'], 'lot', ['id'])];
    expect(namesOf(relationsOf('item', keys))).toEqual(['lot!b', 'lot!a']);
    expect(found('lot', keys).filter(([, isFound]) => !isFound)).toEqual([]);
  });
});

describe('declaredKeys', () => {
  const tables = new Map(['left', 'right'].map((name) => [name, table(name)]));
  const declared = key('left', ['a', 'b'], 'right', ['c', 'one']);
  const turned = key('left', ['b', 'a'], 'right', ['one', 'c']);

  it('returns a relation once when it is declared twice, in any order of its columns', () => {
    expect(declaredKeys([declared, declared, turned], tables, [])).toHaveLength(1);
  });

  it('leaves out a relation when the catalogue has it, in any order of its columns', () => {
    expect(declaredKeys([declared], tables, [turned])).toEqual([]);
  });

  it('keeps relations apart when the same columns refer to others', () => {
    expect(declaredKeys([declared, key('left', ['a', 'b'], 'right', ['one', 'c'])], tables, [])).toHaveLength(2);
  });
});
