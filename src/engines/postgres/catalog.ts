/** Tables, columns and keys as PostgreSQL's own catalogue has them. The system's schemas are not served. */
import { type Column, makeTable, type Table } from '../../model/table.ts';
import type { Statement } from '../../sql/statement.ts';
import type { Catalog, Connection, RunOptions, TableName } from '../engine.ts';
import { TextRows } from '../rows.ts';
import { baseType } from './types.ts';

const DEFAULT_SCHEMA = 'public';
const TEXT = { kind: 'text', cast: 'text' } as const;

const SERVED = `n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND c.relkind IN ('r', 'p', 'v', 'm', 'f')`;

/** One row a column. Domains are looked through to their base type (`b`), whose modifier they carry. */
const DESCRIBE: Statement = {
  text: `
SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull OR t.typnotnull, a.attidentity, a.attgenerated,
  pg_get_expr(d.adbin, d.adrelid), CASE WHEN t.typtype = 'd' THEN t.typdefault END,
  b.oid::int8, b.typtype, b.typcategory, bn.nspname, b.typname, CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END,
  CASE WHEN b.typtype = 'e' THEN (SELECT json_agg(e.enumlabel ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = b.oid) END,
  array_position(i.indkey::int2[], a.attnum), c.relkind,
  b.typtype IN ('e', 'r', 'm') OR b.typcategory = 'S' OR b.typname = 'cidr'
    OR EXISTS (SELECT FROM pg_opclass o JOIN pg_am m ON m.oid = o.opcmethod WHERE m.amname = 'btree' AND o.opcdefault AND o.opcintype = b.oid)
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_type t ON t.oid = a.atttypid
JOIN pg_type b ON b.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END
JOIN pg_namespace bn ON bn.oid = b.typnamespace
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
WHERE ${SERVED} AND n.nspname = $1 AND c.relname = $2
ORDER BY a.attnum`,
  types: [TEXT, TEXT],
};

const LIST: Statement = {
  text: `
SELECT c.relname, n.nspname, c.relkind FROM pg_namespace n LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND n.nspname = $1 ORDER BY c.relname`,
  types: [TEXT],
};

const isView = (relkind: string | null | undefined): boolean => relkind === 'v' || relkind === 'm';

interface Described {
  readonly column: Column;
  readonly keyPosition: number | undefined;
}

export const postgresCatalog: Catalog = {
  async describe(connection: Connection, name: { readonly schema: string | undefined; readonly table: string }, options: RunOptions) {
    const schema = name.schema ?? DEFAULT_SCHEMA;
    const sink = new TextRows();
    await connection.run(DESCRIBE, [schema, name.table], options, sink);
    const [first] = sink.rows;
    if (first === undefined) return undefined;
    return tableOf(schema, name.table, isView(first[15]) ? 'view' : 'table', sink.rows.map(describeColumn));
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
  return makeTable({ schema, name, kind, storage: 'heap', transactional: true, columns: described.map(({ column }) => column), key });
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
    cast: `"${schema}"."${typname?.replaceAll('"', '""')}"`,
    ...(base.min === undefined ? {} : { min: base.min }),
    ...(base.max === undefined ? {} : { max: base.max }),
    ...modifiers(typname ?? '', Number(typmod)),
    ...(labels === null || labels === undefined ? {} : { values: JSON.parse(labels) as string[] }),
  };
  return { column, keyPosition: position === null ? undefined : Number(position) };
}

/** What the type modifier says: lengths, digits, fractions of a second. */
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
