/** Reads tables, columns and keys from PostgreSQL's own catalogue. System schemas are not served. */
import type { ForeignKey } from '../../../model/relation.ts';
import { type Column, makeTable, type Table } from '../../../model/table.ts';
import type { Statement } from '../../../sql/statement.ts';
import { mapInTurns } from '../../../util/slices.ts';
import type { Catalog, Connection, RunOptions, SurveyOptions, TableName, TableReference } from '../../engine.ts';
import { malformed } from '../../limits.ts';
import { groupRows, TextRows } from '../../rows.ts';
import { baseType } from '../types/base-types.ts';
import { LISTED_VALUES, listedValues } from './checks.ts';

export const DEFAULT_SCHEMA = 'public';
const TEXT = { kind: 'text', cast: 'text' } as const;

const RELATIONS = `('r', 'p', 'v', 'm', 'f')`;
/** Types with a lower number are built in. */
const FIRST_OWN_OID = 16_384;

/**
 * One row per column. Domains are resolved to their base type (`b`), whose modifier they carry. What concerns one column only is selected in place:
 * with a join for each, the server would take longer to plan the statement than to run it.
 */
const describing = (which: string): string => `
SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull OR t.typnotnull, a.attidentity, a.attgenerated,
  CASE WHEN a.atthasdef THEN (SELECT pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef d WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum) END,
  CASE WHEN t.typtype = 'd' THEN t.typdefault END,
  b.oid::int8, b.typtype, b.typcategory, (SELECT bn.nspname FROM pg_namespace bn WHERE bn.oid = b.typnamespace), b.typname,
  CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END,
  CASE WHEN b.typtype = 'e' THEN (SELECT json_agg(e.enumlabel ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = b.oid) END,
  (SELECT array_position(i.indkey::int2[], a.attnum) FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisprimary), c.relkind,
  b.typtype IN ('e', 'r', 'm') OR b.typcategory = 'S' OR b.typname = 'cidr'
    OR EXISTS (SELECT FROM pg_opclass o JOIN pg_am m ON m.oid = o.opcmethod WHERE m.amname = 'btree' AND o.opcdefault AND o.opcintype = b.oid),
  (SELECT string_agg(concat_ws(':', i.indexrelid, array_position(i.indkey::int2[], a.attnum)), ' ') FROM pg_index i
    WHERE i.indrelid = a.attrelid AND i.indisunique AND NOT i.indisprimary AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
      AND a.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1])),
  c.relname
FROM pg_class c
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_type t ON t.oid = a.atttypid
JOIN pg_type b ON b.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END
WHERE c.relkind IN ${RELATIONS} ${which}
  AND c.relnamespace = (SELECT n.oid FROM pg_namespace n WHERE n.nspname = $1 AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema')
ORDER BY c.relname, a.attnum`;
const DESCRIBE: Statement = { text: describing('AND c.relname = $2'), types: [TEXT, TEXT] };
const DESCRIBE_ALL: Statement = { text: describing(''), types: [TEXT] };

/**
 * The transactions that wrote a table's description. None for a table with user-defined types (enums, domains, composites), which change
 * elsewhere.
 */
const STAMP: Statement = {
  text: `
SELECT concat_ws(' ', c.oid, c.xmin, string_agg(concat_ws(':', a.attnum, a.xmin), ',' ORDER BY a.attnum),
  (SELECT string_agg(concat_ws(':', i.indexrelid, i.xmin), ',' ORDER BY i.indexrelid) FROM pg_index i WHERE i.indrelid = c.oid))
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
WHERE c.relname = $2 AND c.relnamespace = (SELECT n.oid FROM pg_namespace n WHERE n.nspname = $1)
GROUP BY c.oid, c.xmin HAVING max(a.atttypid) < ${FIRST_OWN_OID}`,
  types: [TEXT, TEXT],
};

const written = (row: string, id: string): string => `sum(hashtextextended(concat_ws(' ', ${id}, ${row}.xmin), 0))`;

/** The same of everything that a schema is described by; of types, whatever schema they are in. */
const STAMP_ALL: Statement = {
  text: `
WITH s AS (SELECT c.oid, c.xmin FROM pg_class c WHERE c.relkind IN ${RELATIONS} AND c.relnamespace = (SELECT n.oid FROM pg_namespace n WHERE n.nspname = $1))
SELECT concat_ws(' ', (SELECT ${written('s', 's.oid')} FROM s),
  (SELECT ${written('a', 'a.attrelid, a.attnum')} FROM pg_attribute a WHERE a.attnum > 0 AND a.attrelid IN (SELECT s.oid FROM s)),
  (SELECT ${written('d', 'd.oid')} FROM pg_attrdef d WHERE d.adrelid IN (SELECT s.oid FROM s)),
  (SELECT ${written('i', 'i.indexrelid')} FROM pg_index i WHERE i.indrelid IN (SELECT s.oid FROM s)),
  (SELECT ${written('k', 'k.oid')} FROM pg_constraint k WHERE k.conrelid IN (SELECT s.oid FROM s)),
  (SELECT ${written('t', 't.oid')} FROM pg_type t WHERE t.oid >= ${FIRST_OWN_OID}),
  (SELECT ${written('o', 'o.oid')} FROM pg_opclass o), (SELECT ${written('e', 'e.oid')} FROM pg_enum e))`,
  types: [TEXT],
};

const LIST: Statement = {
  text: `
SELECT c.relname, n.nspname, c.relkind FROM pg_namespace n LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind IN ${RELATIONS}
WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND n.nspname = $1 ORDER BY c.relname`,
  types: [TEXT],
};

const isView = (relkind: string | null | undefined): boolean => relkind === 'v' || relkind === 'm';

interface Described {
  readonly column: Column;
  readonly keyPosition: number | undefined;
  /** `index:position` of each unique key that it is part of. */
  readonly unique: string;
}

/** Copies that partitions have of their table's keys are left out. */
const FOREIGN_KEYS: Statement = {
  text: `
SELECT s.relname, r.relname,
  (SELECT json_agg(a.attname ORDER BY k.n) FROM unnest(c.conkey) WITH ORDINALITY k (att, n) JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.att),
  (SELECT json_agg(a.attname ORDER BY k.n) FROM unnest(c.confkey) WITH ORDINALITY k (att, n) JOIN pg_attribute a ON a.attrelid = c.confrelid AND a.attnum = k.att),
  EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.conrelid AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
    AND (i.indkey::int2[])[0:i.indnkeyatts - 1] <@ c.conkey)
FROM pg_namespace n JOIN pg_class s ON s.relnamespace = n.oid JOIN pg_constraint c ON c.conrelid = s.oid AND c.contype = 'f' AND c.conparentid = 0
JOIN pg_class r ON r.oid = c.confrelid AND r.relnamespace = n.oid
WHERE n.nspname = $1 ORDER BY s.relname, c.conname`,
  types: [TEXT],
};

export const postgresCatalog: Catalog = {
  async describe(connection: Connection, name: TableReference, options: RunOptions) {
    const schema = name.schema ?? DEFAULT_SCHEMA;
    const sink = new TextRows();
    await connection.run(DESCRIBE, [schema, name.table], options, sink);
    const [first] = sink.rows;
    if (first === undefined) return undefined;
    return tableOf(schema, name.table, isView(first[15]) ? 'view' : 'table', sink.rows.map(describeColumn));
  },

  async describeAll(connection: Connection, schema: string | undefined, options: SurveyOptions) {
    const found = await postgresCatalog.list(connection, schema, options);
    if (found === undefined) return undefined;
    const sink = new TextRows(options.owner);
    await connection.run(DESCRIBE_ALL, [schema ?? DEFAULT_SCHEMA], options, sink);
    const columns = groupRows(sink.rows, 18);
    const listed = new TextRows(options.owner);
    await connection.run(LISTED_VALUES, [schema ?? DEFAULT_SCHEMA], options, listed);
    const values = groupRows(listed.rows, 0);
    const tables = await mapInTurns(found, options.owner, ({ table, kind, schema: inSchema }) => {
      const described = columns.get(table)?.map((row) => withListed(describeColumn(row), values.get(table) ?? []));
      return described === undefined ? undefined : tableOf(inSchema, table, kind, described);
    });
    return tables.filter((table) => table !== undefined);
  },

  async stampAll(connection: Connection, schema: string | undefined, options: RunOptions) {
    const sink = new TextRows();
    await connection.run(STAMP_ALL, [schema ?? DEFAULT_SCHEMA], options, sink);
    return sink.rows[0]?.[0] ?? undefined;
  },

  async stamp(connection: Connection, name: TableReference, options: RunOptions) {
    const sink = new TextRows();
    await connection.run(STAMP, [name.schema ?? DEFAULT_SCHEMA, name.table], options, sink);
    return sink.rows[0]?.[0] ?? undefined;
  },

  async foreignKeys(connection: Connection, schema: string | undefined, options: SurveyOptions) {
    const sink = new TextRows(options.owner);
    await connection.run(FOREIGN_KEYS, [schema ?? DEFAULT_SCHEMA], options, sink);
    return mapInTurns(sink.rows, options.owner, ([table, other, columns, referred, unique]): ForeignKey => {
      const references = { table: other ?? '', columns: namesOf(referred ?? '[]') };
      return { table: table ?? '', columns: namesOf(columns ?? '[]'), references, unique: unique === 't' };
    });
  },

  async list(connection: Connection, schema: string | undefined, options: RunOptions) {
    const sink = new TextRows();
    await connection.run(LIST, [schema ?? DEFAULT_SCHEMA], options, sink);
    if (sink.rows.length === 0) return undefined;
    return sink.rows.flatMap(([table, inSchema, relkind]): TableName[] =>
      table === null || table === undefined ? [] : [{ table, schema: inSchema ?? '', kind: isView(relkind) ? 'view' : 'table' }],
    );
  },
};

function tableOf(schema: string, name: string, kind: 'table' | 'view', described: readonly Described[]): Table {
  const key = described
    .flatMap(({ column, keyPosition }) => (keyPosition === undefined ? [] : [{ name: column.name, keyPosition }]))
    .sort((a, b) => a.keyPosition - b.keyPosition)
    .map(({ name: column }) => column);
  const columns = described.map(({ column }) => column);
  return makeTable({ schema, name, kind, storage: 'heap', transactional: true, columns, key, unique: uniqueKeys(described) });
}

function uniqueKeys(described: readonly Described[]): readonly (readonly string[])[] {
  const parts = described.flatMap(({ column, unique }) =>
    unique.split(' ').flatMap((part) => {
      const [index = '', position = ''] = part.split(':');
      return index === '' ? [] : [{ name: column.name, index: Number(index), position: Number(position) }];
    }),
  );
  const keys = new Map<number, string[]>();
  for (const { name, index } of parts.sort((a, b) => a.index - b.index || a.position - b.position))
    keys.set(index, [...(keys.get(index) ?? []), name]);
  return [...keys.values()];
}

/** A column of texts that a constraint lists. */
function withListed(described: Described, checks: readonly (readonly (string | null)[])[]): Described {
  const { column } = described;
  if (column.kind !== 'text' || checks.length === 0) return described;
  const values = checks
    .map(([, name, check]) => (name === column.name ? listedValues(check ?? '') : undefined))
    .find((list) => list !== undefined);
  return values === undefined ? described : { ...described, column: { ...column, values } };
}

function describeColumn(row: readonly (string | null)[]): Described {
  const [
    name,
    type,
    notNull,
    identity,
    generated,
    expression,
    domainDefault,
    oid,
    typtype,
    category,
    schema,
    typname,
    typmod,
    labels,
    position,
    ,
    sortable,
    unique,
  ] = row;
  const base = baseType(Number(oid));
  const nullable = notNull !== 't';
  const written = identity === '' && generated === '';
  const fallback = written ? (expression ?? domainDefault ?? null) : null;
  const isArray = category === 'A' || typtype === 'c';
  const column: Column = {
    name: name ?? '',
    type: type ?? '',
    kind: typtype === 'e' ? 'enum' : isArray ? 'json' : category === 'S' ? 'text' : base.kind,
    nullable,
    primaryKey: position !== null,
    default: fallback,
    required: !nullable && written && fallback === null,
    readOnly: generated !== '' || identity === 'a',
    sortable: sortable === 't',
    ...(written ? {} : { generated: true as const }),
    cast: `"${schema}"."${typname?.replaceAll('"', '""')}"`,
    ...(base.min === undefined ? {} : { min: base.min }),
    ...(base.max === undefined ? {} : { max: base.max }),
    ...modifiers(typname ?? '', Number(typmod)),
    ...(labels === null || labels === undefined ? {} : { values: namesOf(labels) }),
  };
  return { column, keyPosition: position === null ? undefined : Number(position), unique: unique ?? '' };
}

/** Labels of an enum or names of columns, as the server's json_agg has them. */
function namesOf(text: string): string[] {
  try {
    return JSON.parse(text) as string[];
  } catch (error) {
    throw malformed('names that are no JSON', error);
  }
}

/** What the type modifier says: lengths, digits, fractional seconds. */
function modifiers(typname: string, typmod: number): Partial<Column> {
  switch (typname) {
    case 'varchar':
    case 'bpchar':
      return typmod < 4 ? {} : { maxLength: typmod - 4 };
    case 'numeric':
      // The scale is a signed number of eleven bits.
      return typmod < 4 ? {} : { precision: (typmod - 4) >> 16, scale: (((typmod - 4) & 0x7ff) ^ 1024) - 1024 };
    case 'timestamp':
    case 'timestamptz':
    case 'time':
    case 'timetz':
      return { fraction: typmod < 0 ? 6 : typmod };
    default:
      return {};
  }
}
