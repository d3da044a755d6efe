/**
 * Relations between tables, derived from foreign keys. Requests name a relation by its table, with
 * a hint if the table is ambiguous (`table!hint`). Independent of engines and permissions.
 */
import type { Table } from './table.ts';

/** Columns of a table on one side of a key. */
export interface KeySide {
  /** Name of the table; `schema.table` if it is in another schema than the request's. */
  readonly table: string;
  /** The other schema, if the table is in one. */
  readonly schema?: string;
  readonly columns: readonly string[];
}

/** Name of the table within its schema. */
export function ownName({ table, schema }: Pick<KeySide, 'table' | 'schema'>): string {
  return schema === undefined ? table : table.slice(schema.length + 1);
}

/** A foreign key of the catalogue, or one that the database entry declares. */
export interface ForeignKey extends KeySide {
  readonly references: KeySide;
  /** `true` if at most one row refers to each referenced row. */
  readonly unique: boolean;
}

/** A foreign key as a database entry declares it. */
export type DeclaredKey = Omit<ForeignKey, 'unique'>;

/** A junction table of a many-to-many relation. */
export interface Junction {
  readonly table: string;
  /** Columns that refer to the start of the relation. */
  readonly columns: readonly string[];
  /** Columns that refer to the target of the relation. */
  readonly references: readonly string[];
}

export interface Relation {
  readonly kind: 'one' | 'many';
  /** Target table. */
  readonly table: string;
  /** Columns of the start table. */
  readonly columns: readonly string[];
  /** Columns of the target table. */
  readonly references: readonly string[];
  readonly through?: Junction;
  /**
   * `one` if the foreign key belongs to the start table, `many` if it refers to it. A hint may name
   * either.
   */
  readonly direction: 'one' | 'many';
  /** Columns of the foreign key, all of them valid hints. */
  readonly hints: readonly string[];
}

/** Tables that a request can reach, and the keys between them. */
export interface Neighbours {
  readonly keys: readonly ForeignKey[];
  /** Tables by the names that the keys use. */
  readonly tables: ReadonlyMap<string, Table>;
}

/**
 * Returns the declared keys whose tables and columns exist, each once, except relations that the
 * catalogue has too.
 */
export function declaredKeys(
  declared: readonly DeclaredKey[],
  tables: ReadonlyMap<string, Table>,
  known: readonly ForeignKey[],
): readonly ForeignKey[] {
  const shapes = new Set(known.map(shapeOf));
  return distinctKeys(declared).flatMap((key): ForeignKey[] => {
    const table = tables.get(key.table);
    const exists = hasColumns(table, key.columns) && hasColumns(tables.get(key.references.table), key.references.columns);
    if (table === undefined || !exists || shapes.has(shapeOf(key))) return [];
    return [{ ...key, unique: isUnique(table, key.columns) }];
  });
}

function hasColumns(table: Table | undefined, names: readonly string[]): boolean {
  return table !== undefined && names.every((name) => table.byName.has(name));
}

/** Equal for keys that relate the same columns, in any order. */
function shapeOf({ table, columns, references }: DeclaredKey): string {
  const pairs = columns.map((column, i) => JSON.stringify([column, references.columns[i]]));
  return JSON.stringify([table, references.table, ...pairs.sort()]);
}

function isUnique({ primaryKey, unique }: Table, names: readonly string[]): boolean {
  return [primaryKey, ...unique].some((key) => key.length > 0 && key.every(({ name }) => names.includes(name)));
}

/** Removes duplicate keys. */
export function distinctKeys<K extends DeclaredKey>(keys: readonly K[]): readonly K[] {
  return [...new Map(keys.map((key) => [shapeOf(key), key])).values()];
}

/** Returns all relations of a table. */
export function relationsOf(table: string, keys: readonly ForeignKey[]): readonly Relation[] {
  const relations: Relation[] = [];
  for (const key of keys) {
    const { columns, references, unique } = key;
    if (key.table === table)
      relations.push({ kind: 'one', table: references.table, columns, references: references.columns, direction: 'one', hints: columns });
    if (references.table !== table) continue;
    const kind = unique ? 'one' : 'many';
    relations.push({ kind, table: key.table, columns: references.columns, references: columns, direction: 'many', hints: columns });
    relations.push(...overJunction(key, keys));
  }
  return relations;
}

/** Returns the many-to-many relations over the table that a key belongs to. */
function overJunction(key: ForeignKey, keys: readonly ForeignKey[]): readonly Relation[] {
  return keys.flatMap((other): Relation[] => {
    const isPair = other !== key && other.table === key.table && key.table !== key.references.table;
    if (!isPair || other.references.table === other.table) return [];
    return [
      {
        kind: 'many',
        table: other.references.table,
        columns: key.references.columns,
        references: other.references.columns,
        through: { table: key.table, columns: key.columns, references: other.columns },
        direction: 'many',
        hints: [],
      },
    ];
  });
}

/** A hint of a request: a column or a junction, optionally followed by a dot and a further part. */
export interface Hint {
  readonly name: string;
  readonly rest: string | undefined;
}

/** Returns the relations to a table that match a hint. Junctions match only with a hint. */
export function matching(relations: readonly Relation[], table: string, hint: Hint | undefined): readonly Relation[] {
  const to = relations.filter((relation) => relation.table === table);
  if (hint === undefined) return to.filter(({ through }) => through === undefined);
  const { name, rest } = hint;
  const direct = to.filter(({ through, direction }) => through === undefined && (rest === undefined || rest === direction));
  const found = named(direct, name);
  if (found.length > 0) return found;
  const over = to.filter(({ through }) => through?.table === name);
  return rest === undefined ? over : named(over, rest);
}

/**
 * Names of a relation among others to its table, by precedence: all columns of a key, or one of
 * them. In a junction, columns that refer to the target precede columns that refer to the start.
 */
function columnNames({ through, hints }: Relation): readonly (readonly string[])[] {
  if (through === undefined) return [[hints.join()], hints];
  const { columns, references } = through;
  return [[references.join()], [columns.join()], references, columns, [`${references.join()};${columns.join()}`]];
}

/** Returns the relations in which a name has its highest precedence. */
function named(relations: readonly Relation[], name: string): readonly Relation[] {
  const ranks = relations.map((relation) => columnNames(relation).findIndex((names) => names.includes(name)));
  const highest = Math.min(...ranks.filter((rank) => rank >= 0));
  return relations.filter((_, i) => ranks[i] === highest);
}

/** Returns the shortest unambiguous name of each relation, in the same order. */
export function namesOf(relations: readonly Relation[]): readonly string[] {
  return relations.map((relation) => nameOf(relation, relations));
}

function nameOf(relation: Relation, relations: readonly Relation[]): string {
  const { table, through, hints, direction } = relation;
  const isUnambiguous = (hint: Hint | undefined): boolean => {
    const matches = matching(relations, table, hint);
    return matches.length === 1 && matches[0] === relation;
  };
  if (isUnambiguous(undefined)) return quotedName(table);
  const single = through === undefined ? hints : [...through.references, ...through.columns];
  const names = [...single, ...columnNames(relation).flat()];
  const plain = (through === undefined ? names : [through.table]).map((name): Hint => ({ name, rest: undefined }));
  const rests = through === undefined ? [direction] : names;
  const exact = plain.flatMap(({ name }) => rests.map((rest): Hint => ({ name, rest })));
  return written(table, [...plain, ...exact].find(isUnambiguous) ?? exact[0]);
}

function written(table: string, hint: Hint | undefined): string {
  if (hint === undefined) return quotedName(table);
  return `${quotedName(table)}!${quotedHint(hint.name)}${hint.rest === undefined ? '' : `.${quotedHint(hint.rest)}`}`;
}

/** Quotes the name of a table for a request if it contains characters with a meaning there. */
export function quotedName(name: string): string {
  return quotedIf(/[\s:!,;()="\\$]/, name);
}

/** The same for a hint, which may be followed by a dot. */
function quotedHint(name: string): string {
  return quotedIf(/[\s:!.,;()="\\$]/, name);
}

function quotedIf(special: RegExp, name: string): string {
  return special.test(name) || name === '' ? `"${name.replace(/["\\]/g, '\\$&')}"` : name;
}
