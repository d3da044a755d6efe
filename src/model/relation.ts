/**
 * How tables belong together: foreign keys, and what a table can reach over them. A relation is named as a request names it (`table`, and
 * `table!hint` where the table alone does not tell which). Knows no engine, and nothing of who may read what.
 */

import type { Table } from './table.ts';

/** A table's columns refer to another one's. From a catalogue, or from the entry of a database that has no foreign keys. */
export interface ForeignKey {
  readonly table: string;
  readonly columns: readonly string[];
  readonly references: { readonly table: string; readonly columns: readonly string[] };
  /** At most one row refers to each row. */
  readonly unique: boolean;
}

/** What an entry says of a database: the same without what its catalogue knows. */
export type DeclaredKey = Omit<ForeignKey, 'unique'>;

/** A table between two others: rows of it stand for pairs of theirs. */
export interface Junction {
  readonly table: string;
  /** Its columns that refer to the table that the relation starts from, … */
  readonly columns: readonly string[];
  /** … and those that refer to the other one. */
  readonly references: readonly string[];
}

export interface Relation {
  readonly kind: 'one' | 'many';
  /** The table that is reached. */
  readonly table: string;
  /** Columns of the table that the relation starts from. */
  readonly columns: readonly string[];
  /** Columns of the table that is reached. */
  readonly references: readonly string[];
  readonly through?: Junction;
  /** The foreign key refers from the start (`one`) or to it (`many`); a hint may say which. */
  readonly direction: 'one' | 'many';
  /** Columns of the foreign key, whichever table has them: any of them is a hint. */
  readonly hints: readonly string[];
}

/** Tables that a request reaches, and the keys between them. */
export interface Neighbours {
  readonly keys: readonly ForeignKey[];
  readonly tables: ReadonlyMap<string, Table>;
}

/** Keys that an entry declares, as far as the tables are there and have the columns; less those that the catalogue has as well. */
export function declaredKeys(
  declared: readonly DeclaredKey[],
  tables: ReadonlyMap<string, Table>,
  known: readonly ForeignKey[],
): readonly ForeignKey[] {
  return declared.flatMap((key): ForeignKey[] => {
    const table = tables.get(key.table);
    const isThere = hasColumns(table, key.columns) && hasColumns(tables.get(key.references.table), key.references.columns);
    if (table === undefined || !isThere || known.some((other) => shapeOf(key) === shapeOf(other))) return [];
    return [{ ...key, unique: isUnique(table, key.columns) }];
  });
}

function hasColumns(table: Table | undefined, names: readonly string[]): boolean {
  return table !== undefined && names.every((name) => table.byName.has(name));
}

function shapeOf({ table, columns, references }: DeclaredKey): string {
  return JSON.stringify([table, columns, references.table, references.columns]);
}

function isUnique({ primaryKey, unique }: Table, names: readonly string[]): boolean {
  return [primaryKey, ...unique].some((key) => key.length > 0 && key.every(({ name }) => names.includes(name)));
}

/** Two foreign keys that say the same are one. */
export function distinctKeys(keys: readonly ForeignKey[]): readonly ForeignKey[] {
  return [...new Map(keys.map((key) => [shapeOf(key), key])).values()];
}

/** Everything that a table reaches over these keys. */
export function relationsOf(table: string, keys: readonly ForeignKey[]): readonly Relation[] {
  const found: Relation[] = [];
  for (const key of keys) {
    const { columns, references, unique } = key;
    if (key.table === table)
      found.push({ kind: 'one', table: references.table, columns, references: references.columns, direction: 'one', hints: columns });
    if (references.table !== table) continue;
    const kind = unique ? 'one' : 'many';
    found.push({ kind, table: key.table, columns: references.columns, references: columns, direction: 'many', hints: columns });
    found.push(...beyond(key, keys));
  }
  return found;
}

/** What the rows that refer to a table refer to besides. */
function beyond(here: ForeignKey, keys: readonly ForeignKey[]): readonly Relation[] {
  return keys.flatMap((there): Relation[] => {
    const isPair = there !== here && there.table === here.table && here.table !== here.references.table;
    if (!isPair || there.references.table === there.table) return [];
    return [
      {
        kind: 'many',
        table: there.references.table,
        columns: here.references.columns,
        references: there.references.columns,
        through: { table: here.table, columns: here.columns, references: there.columns },
        direction: 'many',
        hints: [],
      },
    ];
  });
}

/** A hint as a request gives it: a column or a junction, and what may follow after a dot. */
export interface Hint {
  readonly name: string;
  readonly rest: string | undefined;
}

/** The relations to a table that a hint leaves. Without a hint a junction is never meant. */
export function matching(relations: readonly Relation[], table: string, hint: Hint | undefined): readonly Relation[] {
  const to = relations.filter((relation) => relation.table === table);
  if (hint === undefined) return to.filter(({ through }) => through === undefined);
  const direct = to.filter(
    ({ through, hints, direction }) =>
      through === undefined && hints.includes(hint.name) && (hint.rest === undefined || hint.rest === direction),
  );
  if (direct.length > 0) return direct;
  return to.filter(({ through }) => through?.table === hint.name && (hint.rest === undefined || through.references.includes(hint.rest)));
}

/** Names in the order of the relations: the shortest one that means this relation and no other. */
export function namesOf(relations: readonly Relation[]): readonly string[] {
  return relations.map((relation) => nameOf(relation, relations));
}

function nameOf(relation: Relation, relations: readonly Relation[]): string {
  const { table, through, hints, direction } = relation;
  const isMeant = (hint: Hint | undefined): boolean => {
    const left = matching(relations, table, hint);
    return left.length === 1 && left[0] === relation;
  };
  if (isMeant(undefined)) return quotedName(table);
  const plain = (through === undefined ? hints : [through.table]).map((name): Hint => ({ name, rest: undefined }));
  const rests = through === undefined ? [direction] : through.references;
  const exact = plain.flatMap(({ name }) => rests.map((rest): Hint => ({ name, rest })));
  return written(table, [...plain, ...exact].find(isMeant) ?? exact[0]);
}

function written(table: string, hint: Hint | undefined): string {
  if (hint === undefined) return quotedName(table);
  return `${quotedName(table)}!${quotedName(hint.name)}${hint.rest === undefined ? '' : `.${quotedName(hint.rest)}`}`;
}

/** A name as it stands in a request: in quotes where it could be taken for more than a name. */
export function quotedName(name: string): string {
  return /[\s:!.,;()="\\$]/.test(name) || name === '' ? `"${name.replace(/["\\]/g, '\\$&')}"` : name;
}
