/** Reads tables, columns and keys from PostgreSQL's system catalog. System schemas are excluded. */
import type { ForeignKey, KeySide } from '../../../model/relation.ts';
import { type Column, makeTable, type Table, type TableFacts } from '../../../model/table.ts';
import type { Statement } from '../../../sql/statement.ts';
import { mapCooperatively } from '../../../util/concurrency/slices.ts';
import type { Catalog, Connection, RunOptions, SchemaReadOptions, TableName, TableReference } from '../../contract/engine.ts';
import { malformed } from '../../contract/limits.ts';
import { groupRows, queryAll, type TextRow, TextRows } from '../../contract/rows.ts';
import { SharedColumns } from '../../driver-kit/shared-columns.ts';
import { baseType } from '../types/base-types.ts';
import { LISTED_VALUES, listedValues } from './checks.ts';

export const DEFAULT_SCHEMA = 'public';
const TEXT = { kind: 'text', cast: 'text' } as const;

const RELATIONS = `('r', 'p', 'v', 'm', 'f')`;
/** Object ids from here on belong to user-defined objects. */
const FIRST_OWN_OID = 16_384;

/** Facts of a single column. */
const COLUMN_ITEMS = `a.attname, a.attnotnull, a.attidentity, a.attgenerated,
  CASE WHEN a.atthasdef THEN (SELECT pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef d WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum) END`;

/**
 * Facts that columns of the same type and modifier share. Domains are resolved to their base type
 * `b`, whose modifier they carry.
 * Uses scalar subqueries: with joins, planning would take longer than execution.
 */
const TYPE_ITEMS = `format_type(a.atttypid, a.atttypmod), t.typnotnull, CASE WHEN t.typtype = 'd' THEN t.typdefault END,
  b.oid::int8, b.typtype, b.typcategory, (SELECT bn.nspname FROM pg_namespace bn WHERE bn.oid = b.typnamespace), b.typname,
  CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END,
  CASE WHEN b.typtype = 'e' THEN (SELECT json_agg(e.enumlabel ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = b.oid) END,
  b.typtype IN ('e', 'r', 'm') OR b.typcategory = 'S' OR b.typname = 'cidr'
    OR EXISTS (SELECT FROM pg_opclass o JOIN pg_am m ON m.oid = o.opcmethod WHERE m.amname = 'btree' AND o.opcdefault AND o.opcintype = b.oid)`;
const TYPES = `JOIN pg_type t ON t.oid = a.atttypid
JOIN pg_type b ON b.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END`;

const COLUMNS = 'JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped';
const IN_SCHEMA = `c.relkind IN ${RELATIONS}
  AND c.relnamespace = (SELECT n.oid FROM pg_namespace n WHERE n.nspname = $1 AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema')`;

/** The key columns of an index, without INCLUDE columns. */
const KEY_COLUMNS = '(i.indkey::int2[])[0:i.indnkeyatts - 1]';
/** Unique keys of all rows, over plain columns. */
const UNIQUE = 'i.indisunique AND NOT i.indisprimary AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL';

/** One row per column. */
const DESCRIBE: Statement = {
  text: `
SELECT ${COLUMN_ITEMS}, c.relkind,
  (SELECT array_position(${KEY_COLUMNS}, a.attnum) FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisprimary),
  (SELECT string_agg(concat_ws(':', i.indexrelid, array_position(${KEY_COLUMNS}, a.attnum)), ' ') FROM pg_index i
    WHERE i.indrelid = a.attrelid AND ${UNIQUE} AND a.attnum = ANY (${KEY_COLUMNS})),
  ${TYPE_ITEMS}
FROM pg_class c ${COLUMNS} ${TYPES} WHERE ${IN_SCHEMA} AND c.relname = $2 ORDER BY a.attnum`,
  types: [TEXT, TEXT],
};
const FIRST_OF_TYPE = 8;

/**
 * The same facts for a whole schema, each sent once: columns by table id, types, and keys as column
 * numbers.
 */
const COLUMNS_OF_ALL: Statement = {
  text: `
SELECT ${COLUMN_ITEMS}, a.attrelid::int8, a.attnum, concat_ws(' ', a.atttypid, a.atttypmod)
FROM pg_class c ${COLUMNS} WHERE ${IN_SCHEMA} ORDER BY a.attrelid, a.attnum`,
  types: [TEXT],
};
const TYPES_OF_ALL: Statement = {
  text: `
SELECT concat_ws(' ', a.atttypid, a.atttypmod), ${TYPE_ITEMS}
FROM (SELECT DISTINCT a.atttypid, a.atttypmod FROM pg_class c ${COLUMNS} WHERE ${IN_SCHEMA}) a ${TYPES}`,
  types: [TEXT],
};
const KEYS_OF_ALL: Statement = {
  text: `
SELECT i.indrelid::int8, i.indisprimary, array_to_string(${KEY_COLUMNS}, ' ')
FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid WHERE ${IN_SCHEMA} AND (i.indisprimary OR ${UNIQUE}) ORDER BY i.indexrelid`,
  types: [TEXT],
};

/**
 * Ids of the transactions that wrote the table's description. `undefined` for a table with
 * user-defined types (enums, domains, composites), which change elsewhere.
 */
const TABLE_FINGERPRINT: Statement = {
  text: `
SELECT concat_ws(' ', c.oid, c.xmin, string_agg(concat_ws(':', a.attnum, a.xmin), ',' ORDER BY a.attnum),
  (SELECT string_agg(concat_ws(':', i.indexrelid, i.xmin), ',' ORDER BY i.indexrelid) FROM pg_index i WHERE i.indrelid = c.oid))
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
WHERE c.relname = $2 AND c.relnamespace = (SELECT n.oid FROM pg_namespace n WHERE n.nspname = $1)
GROUP BY c.oid, c.xmin HAVING max(a.atttypid) < ${FIRST_OWN_OID}`,
  types: [TEXT, TEXT],
};

const written = (row: string, id: string): string => `sum(hashtextextended(concat_ws(' ', ${id}, ${row}.xmin), 0))`;

/** The same for everything that describes a schema, including types of other schemas. */
const SCHEMA_FINGERPRINT: Statement = {
  text: `
WITH s AS (SELECT c.oid, c.xmin FROM pg_class c WHERE c.relkind IN ${RELATIONS} AND c.relnamespace = (SELECT n.oid FROM pg_namespace n WHERE n.nspname = $1))
SELECT concat_ws(' ', (SELECT ${written('s', 's.oid')} FROM s),
  (SELECT ${written('a', 'a.attrelid, a.attnum')} FROM pg_attribute a WHERE a.attnum > 0 AND a.attrelid IN (SELECT s.oid FROM s)),
  (SELECT ${written('d', 'd.oid')} FROM pg_attrdef d WHERE d.adrelid IN (SELECT s.oid FROM s)),
  (SELECT ${written('i', 'i.indexrelid')} FROM pg_index i WHERE i.indrelid IN (SELECT s.oid FROM s)),
  (SELECT ${written('k', 'k.oid')} FROM pg_constraint k WHERE k.conrelid IN (SELECT s.oid FROM s)),
  (SELECT ${written('r', 'r.oid')} FROM pg_class r WHERE r.oid IN (SELECT k.confrelid FROM pg_constraint k WHERE k.conrelid IN (SELECT s.oid FROM s))),
  (SELECT ${written('t', 't.oid')} FROM pg_type t WHERE t.oid >= ${FIRST_OWN_OID}),
  (SELECT ${written('o', 'o.oid')} FROM pg_opclass o), (SELECT ${written('e', 'e.oid')} FROM pg_enum e))`,
  types: [TEXT],
};

const LIST: Statement = {
  text: `
SELECT c.relname, n.nspname, c.relkind, c.oid::int8 FROM pg_namespace n LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind IN ${RELATIONS}
WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND n.nspname = $1 ORDER BY c.relname`,
  types: [TEXT],
};

const kindOf = (relkind: string | null | undefined): Table['kind'] => (relkind === 'v' || relkind === 'm' ? 'view' : 'table');

/** Foreign keys without the copies that partitions have of the keys of their table. */
const KEYS = "pg_constraint c WHERE c.contype = 'f' AND c.conparentid = 0";
const TABLES_OF_SCHEMA = 'SELECT s.oid FROM pg_namespace n JOIN pg_class s ON s.relnamespace = n.oid WHERE n.nspname = $1';

const keyColumns = (table: string, numbers: string): string =>
  `(SELECT json_agg(a.attname ORDER BY k.n) FROM unnest(${numbers}) WITH ORDINALITY k (att, n) JOIN pg_attribute a ON a.attrelid = ${table} AND a.attnum = k.att)`;

/** A schema is NULL if it is that of the request. */
const foreignKeysFrom = (tables: string): string => `
SELECT s.relname, nullif(sn.nspname, $1), ${keyColumns('c.conrelid', 'c.conkey')},
  r.relname, nullif(rn.nspname, $1), ${keyColumns('c.confrelid', 'c.confkey')},
  EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.conrelid AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
    AND ${KEY_COLUMNS} <@ c.conkey)
FROM (SELECT c.* FROM ${KEYS} AND c.conrelid IN (${tables})) c
JOIN pg_class s ON s.oid = c.conrelid JOIN pg_namespace sn ON sn.oid = s.relnamespace
JOIN pg_class r ON r.oid = c.confrelid JOIN pg_namespace rn ON rn.oid = r.relnamespace
ORDER BY sn.nspname <> $1, sn.nspname, s.relname, c.conname`;

/** Keys of the tables of a schema. */
const KEYS_OF_SCHEMA: Statement = { text: foreignKeysFrom(TABLES_OF_SCHEMA), types: [TEXT] };

/** Keys of all tables that keys connect to a schema, in any direction and over any number. */
const KEYS_AROUND_SCHEMA: Statement = {
  text: `
WITH RECURSIVE edges (a, b) AS (SELECT c.conrelid, c.confrelid FROM ${KEYS} UNION SELECT c.confrelid, c.conrelid FROM ${KEYS}),
connected (oid) AS (${TABLES_OF_SCHEMA} UNION SELECT e.b FROM connected JOIN edges e ON e.a = connected.oid)
${foreignKeysFrom('SELECT oid FROM connected')}`,
  types: [TEXT],
};

export const postgresCatalog: Catalog = {
  async describe(connection: Connection, name: TableReference, options: RunOptions) {
    const schema = name.schema ?? DEFAULT_SCHEMA;
    const sink = new TextRows();
    await connection.run(DESCRIBE, [schema, name.table], options, sink);
    const [first] = sink.rows;
    if (first === undefined) return undefined;
    const columns = sink.rows.map((row) => columnOf(row, typeOf(row.slice(FIRST_OF_TYPE)), row[6] !== null));
    const key = columnsByIndex(
      sink.rows.flatMap(([column, , , , , , position]) => (position === null ? [] : [{ column, index: '', position }])),
    );
    const unique = columnsByIndex(
      sink.rows.flatMap(([column, , , , , , , parts]) =>
        (parts ?? '').split(' ').flatMap((part) => {
          const [index = '', position] = part.split(':');
          return index === '' ? [] : [{ column, index, position }];
        }),
      ),
    );
    return tableOf({ schema, name: name.table, kind: kindOf(first[5]), columns, key: key[0] ?? [], unique });
  },

  async describeSchema(connection: Connection, schema: string | undefined, options: SchemaReadOptions) {
    // The snapshot contains the fingerprint, so a concurrent change leads to another fingerprint
    // later.
    const statements = [SCHEMA_FINGERPRINT, LIST, COLUMNS_OF_ALL, TYPES_OF_ALL, KEYS_OF_ALL, LISTED_VALUES, KEYS_OF_SCHEMA];
    const [fingerprints, found = [], columnRows = [], typeRows = [], keyRows = [], listedRows = [], foreignRows = []] = await queryAll(
      connection,
      statements,
      [schema ?? DEFAULT_SCHEMA],
      options,
      'snapshot',
    );
    if (found.length === 0) return undefined;
    const columnsOf = groupRows(columnRows, 5);
    const types = new Map(typeRows.map(([type, ...facts]) => [type, typeOf(facts)]));
    const keysOf = groupRows(keyRows, 0);
    const listedOf = groupRows(listedRows, 0);
    const shared = new SharedColumns();
    const tables = await mapCooperatively(found, options.owner, ([name, inSchema, relkind, oid]): Table | undefined => {
      const rows = columnsOf.get(oid ?? '');
      if (rows === undefined) return undefined;
      const names = new Map(rows.map(([column, , , , , , number]) => [number, column ?? '']));
      const keys = (keysOf.get(oid ?? '') ?? []).map(([, isPrimary, numbers]) => ({
        isPrimary: isPrimary === 't',
        columns: (numbers ?? '').split(' ').flatMap((number) => names.get(number) ?? []),
      }));
      const key = keys.find(({ isPrimary }) => isPrimary)?.columns ?? [];
      const listed = listedOf.get(name ?? '') ?? [];
      const columns = rows.map((row) => {
        const [column, notNull, identity, generated, expression, , , typeId] = row;
        const type = types.get(typeId ?? '');
        if (type === undefined) throw malformed('a column of a type that is not in the catalog');
        const isKey = key.includes(column ?? '');
        const definition = `${typeId} ${isKey} ${notNull} ${identity} ${generated} ${column}\0${expression}`;
        return withListed(
          shared.find(definition, () => columnOf(row, type, isKey)),
          listed,
        );
      });
      const unique = keys.flatMap(({ isPrimary, columns: parts }) => (isPrimary ? [] : [parts]));
      return tableOf({ schema: inSchema ?? '', name: name ?? '', kind: kindOf(relkind), columns, key, unique });
    });
    return {
      tables: tables.filter((table) => table !== undefined),
      keys: await mapCooperatively(foreignRows, options.owner, foreignKeyOf),
      fingerprint: fingerprints?.[0]?.[0] ?? undefined,
    };
  },

  async schemaFingerprint(connection: Connection, schema: string | undefined, options: RunOptions) {
    const sink = new TextRows();
    await connection.run(SCHEMA_FINGERPRINT, [schema ?? DEFAULT_SCHEMA], options, sink);
    return sink.rows[0]?.[0] ?? undefined;
  },

  async fingerprint(connection: Connection, name: TableReference, options: RunOptions) {
    const sink = new TextRows();
    await connection.run(TABLE_FINGERPRINT, [name.schema ?? DEFAULT_SCHEMA, name.table], options, sink);
    return sink.rows[0]?.[0] ?? undefined;
  },

  async foreignKeys(connection: Connection, schema: string | undefined, options: SchemaReadOptions) {
    const sink = new TextRows(options.owner);
    await connection.run(KEYS_AROUND_SCHEMA, [schema ?? DEFAULT_SCHEMA], options, sink);
    return mapCooperatively(sink.rows, options.owner, foreignKeyOf);
  },

  async list(connection: Connection, schema: string | undefined, options: RunOptions) {
    const sink = new TextRows();
    await connection.run(LIST, [schema ?? DEFAULT_SCHEMA], options, sink);
    if (sink.rows.length === 0) return undefined;
    return sink.rows.flatMap(([table, inSchema, relkind]): TableName[] =>
      table === null || table === undefined ? [] : [{ table, schema: inSchema ?? '', kind: kindOf(relkind) }],
    );
  },
};

function tableOf(facts: Omit<TableFacts, 'storage' | 'transactional'>): Table {
  return makeTable({ ...facts, storage: 'heap', transactional: true });
}

interface KeyPart {
  readonly column: string | null | undefined;
  readonly index: string;
  readonly position: string | null | undefined;
}

/** Returns the columns of each index in key order. */
function columnsByIndex(parts: readonly KeyPart[]): readonly (readonly string[])[] {
  const keys = new Map<string, string[]>();
  for (const { column, index } of parts.toSorted((a, b) => Number(a.index) - Number(b.index) || Number(a.position) - Number(b.position)))
    keys.set(index, [...(keys.get(index) ?? []), column ?? '']);
  return [...keys.values()];
}

function foreignKeyOf([table, schema, columns, other, otherSchema, referred, unique]: TextRow): ForeignKey {
  return { ...sideOf(table, schema, columns), references: sideOf(other, otherSchema, referred), unique: unique === 't' };
}

type Text = TextRow[number] | undefined;

function sideOf(table: Text, schema: Text, columns: Text): KeySide {
  const named = { table: table ?? '', columns: namesOf(columns ?? '[]') };
  return schema === null || schema === undefined ? named : { ...named, table: `${schema}.${named.table}`, schema };
}

/** Adds the values that a check constraint lists to a text column. */
function withListed(column: Column, checks: readonly TextRow[]): Column {
  if (column.kind !== 'text' || checks.length === 0) return column;
  const values = checks
    .map(([, name, check]) => (name === column.name ? listedValues(check ?? '') : undefined))
    .find((list) => list !== undefined);
  return values === undefined ? column : { ...column, values };
}

interface ColumnType {
  /** `true` for a domain with NOT NULL. */
  readonly notNull: boolean;
  /** Default of a domain. */
  readonly fallback: string | null;
  readonly facts: Pick<Column, 'type' | 'kind' | 'sortable' | 'cast'> & Partial<Column>;
}

function typeOf([type, notNull, fallback, oid, typtype, category, schema, typname, typmod, labels, sortable]: TextRow): ColumnType {
  const { kind, min, max } = baseType(Number(oid));
  const isArray = category === 'A' || typtype === 'c';
  return {
    notNull: notNull === 't',
    fallback: fallback ?? null,
    facts: {
      type: type ?? '',
      kind: typtype === 'e' ? 'enum' : isArray ? 'json' : category === 'S' ? 'text' : kind,
      sortable: sortable === 't',
      cast: `"${schema}"."${typname?.replaceAll('"', '""')}"`,
      ...(min === undefined ? {} : { min }),
      ...(max === undefined ? {} : { max }),
      ...modifiers(typname ?? '', Number(typmod)),
      ...(labels === null || labels === undefined ? {} : { values: namesOf(labels) }),
    },
  };
}

/** Makes a column of the facts of COLUMN_ITEMS. */
function columnOf([name, notNull, identity, generated, expression]: TextRow, type: ColumnType, primaryKey: boolean): Column {
  const nullable = notNull !== 't' && !type.notNull;
  const written = identity === '' && generated === '';
  const fallback = written ? (expression ?? type.fallback) : null;
  return {
    ...type.facts,
    name: name ?? '',
    nullable,
    primaryKey,
    default: fallback,
    required: !nullable && written && fallback === null,
    readOnly: generated !== '' || identity === 'a',
    ...(written ? {} : { generated: true as const }),
  };
}

/** Parses a list of enum labels or column names from json_agg. */
function namesOf(text: string): string[] {
  try {
    return JSON.parse(text) as string[];
  } catch (error) {
    throw malformed('names that are no JSON', error);
  }
}

const UNBOUNDED: Partial<Column> = { ownDates: 'unbounded' };

/** Facts of the type modifier: lengths, digits, fractional seconds. */
function modifiers(typname: string, typmod: number): Partial<Column> {
  switch (typname) {
    case 'varchar':
    case 'bpchar':
      return typmod < 4 ? {} : { maxLength: typmod - 4 };
    case 'numeric':
      // The scale is a signed integer of eleven bits.
      return typmod < 4 ? {} : { precision: (typmod - 4) >> 16, scale: (((typmod - 4) & 0x7ff) ^ 1024) - 1024 };
    case 'timestamp':
    case 'timestamptz':
    case 'time':
    case 'timetz':
      return { fraction: typmod < 0 ? 6 : typmod, ...(typname.startsWith('timestamp') && UNBOUNDED) };
    case 'date':
      return UNBOUNDED;
    default:
      return {};
  }
}
