/**
 * Reads tables, views, columns and keys from information_schema. Compares names exactly, because
 * the server may ignore case.
 */
import type { ResultColumn } from '../../../model/cells.ts';
import type { ForeignKey } from '../../../model/relation.ts';
import { type Column, makeTable, type Table } from '../../../model/table.ts';
import type { ParamValue, Statement } from '../../../sql/statement.ts';
import { mapCooperatively, TimeSlice } from '../../../util/concurrency/slices.ts';
import {
  type Catalog,
  type Connection,
  DbFailure,
  type RunOptions,
  type SchemaDescription,
  type SchemaReadOptions,
  type TableName,
  type TableReference,
} from '../../contract/engine.ts';
import { malformed } from '../../contract/limits.ts';
import { groupRows, queryAll, TextRows } from '../../contract/rows.ts';
import { undefinedIfRejected } from '../../driver-kit/fingerprint.ts';
import { SharedColumns } from '../../driver-kit/shared-columns.ts';
import { plainDefault, typed } from '../types/column-types.ts';
import { quote } from './names.ts';

type Row = readonly (string | null)[];

const TEXT = { kind: 'text', cast: 'text' } as const;

/** Reads everything as text: integers of information_schema are digits anyway. */
function query(text: string, columns: number, parameters: number): Statement {
  return {
    text,
    types: Array.from({ length: parameters }, () => TEXT),
    columns: Array.from({ length: columns }, (_, i): ResultColumn => ({ name: `c${i}`, kind: 'text' })),
  };
}

const DATABASE = query('SELECT DATABASE(), VERSION()', 2, 0);
const SCHEMAS = query('SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ?', 1, 1);
const TABLE = query(
  'SELECT TABLE_NAME, TABLE_TYPE, ENGINE, TABLE_SCHEMA FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?',
  4,
  2,
);
const COLUMN_ITEMS =
  'COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, CHARACTER_MAXIMUM_LENGTH, NUMERIC_PRECISION, NUMERIC_SCALE, DATETIME_PRECISION, IS_NULLABLE, COLUMN_DEFAULT, EXTRA, COLLATION_NAME';
/** Index of the table name, after the items and the reference system. */
const TABLE_OF_COLUMN = 12;
const COLUMNS_OF = 'FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION';
const MYSQL_COLUMNS = query(`SELECT ${COLUMN_ITEMS}, SRS_ID ${COLUMNS_OF}`, 12, 2);
const MARIADB_COLUMNS = query(`SELECT ${COLUMN_ITEMS}, NULL ${COLUMNS_OF}`, 12, 2);
const KEY_ITEMS = 'SELECT TABLE_NAME, INDEX_NAME, COLUMN_NAME, SUB_PART FROM information_schema.STATISTICS';
const KEYS = query(`${KEY_ITEMS} WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND NON_UNIQUE = 0 ORDER BY INDEX_NAME, SEQ_IN_INDEX`, 4, 2);
const MARIADB_CHECKS = query(
  "SELECT CHECK_CLAUSE FROM information_schema.CHECK_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = ? AND TABLE_NAME = ? AND CHECK_CLAUSE LIKE 'json\\_valid(%'",
  1,
  2,
);

/** One table of information_schema, as far as it describes a schema. */
interface Part {
  readonly read: Statement;
  /** The same rows, each with half of its hash. */
  readonly readHashed: Statement;
  /** The combined hash of all rows. */
  readonly digest: Statement;
}

interface PartFacts {
  readonly items: string;
  /** Items that determine all others; all items by default. */
  readonly hashed?: string;
  readonly order?: string;
}

function part(name: string, where: string, { items, hashed = items, order = '' }: PartFacts): Part {
  // QUOTE separates the items unambiguously and distinguishes NULL.
  const texts = hashed.split(', ').map((item) => `QUOTE(${item})`);
  const half = `LEFT(SHA2(CONCAT_WS(' ', ${texts.join(', ')}), 256), 16)`;
  const from = `FROM information_schema.${name} WHERE ${where} = ?`;
  return {
    read: query(`SELECT ${items} ${from} ${order}`, items.split(', ').length, 1),
    readHashed: query(`SELECT ${items}, ${half} ${from} ${order}`, items.split(', ').length + 1, 1),
    digest: query(`SELECT LOWER(HEX(BIT_XOR(CAST(CONV(${half}, 16, 10) AS UNSIGNED)))) ${from}`, 1, 1),
  };
}

/** Computes the same hash as `schemaFingerprint`. */
async function fingerprintOf(parts: readonly (readonly Row[])[], owner: string): Promise<string> {
  const digests: string[] = [];
  for (const found of parts) digests.push(await digestOf(found, owner));
  return digests.join(' ');
}

/** Computes the same hash as `digest`, which is independent of the order. */
async function digestOf(found: readonly Row[], owner: string): Promise<string> {
  const slice = new TimeSlice(owner);
  let digest = 0n;
  for (const row of found) {
    const half = row.at(-1) ?? '';
    if (!/^[0-9a-f]{16}$/.test(half)) throw malformed('an invalid hash');
    digest ^= BigInt(`0x${half}`);
    if (slice.isOver) await slice.next();
  }
  return digest.toString(16);
}

const TABLES = part('TABLES', 'TABLE_SCHEMA', { items: 'TABLE_NAME, TABLE_TYPE, ENGINE' });
const KEYS_OF_ALL = part('STATISTICS', 'NON_UNIQUE = 0 AND TABLE_SCHEMA', {
  items: 'TABLE_NAME, INDEX_NAME, COLUMN_NAME, SUB_PART, SEQ_IN_INDEX',
  order: 'ORDER BY TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX',
});
const FOREIGN_KEYS = part('KEY_COLUMN_USAGE', 'REFERENCED_TABLE_SCHEMA = TABLE_SCHEMA AND TABLE_SCHEMA', {
  items: 'TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME, ORDINAL_POSITION',
  order: 'ORDER BY TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION',
});
/** Unordered, so that the first rows arrive while the server searches the others. */
const columnsOfAll = (srid: string): Part =>
  part('COLUMNS', 'TABLE_SCHEMA', {
    items: `${COLUMN_ITEMS}, ${srid}, TABLE_NAME, ORDINAL_POSITION`,
    hashed: `TABLE_NAME, ORDINAL_POSITION, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLUMN_DEFAULT, EXTRA, COLLATION_NAME, ${srid}`,
  });
const CHECKS_OF_ALL = part('CHECK_CONSTRAINTS', "CHECK_CLAUSE LIKE 'json\\_valid(%' AND CONSTRAINT_SCHEMA", {
  items: 'CHECK_CLAUSE, TABLE_NAME',
});

/** The fast ones first. */
const COMMON_PARTS = [TABLES, KEYS_OF_ALL, FOREIGN_KEYS];
const MYSQL_PARTS = [...COMMON_PARTS, columnsOfAll('SRS_ID')];
const MARIADB_PARTS = [...COMMON_PARTS, columnsOfAll('NULL'), CHECKS_OF_ALL];
const partsOf = (mariadb: boolean): readonly Part[] => (mariadb ? MARIADB_PARTS : MYSQL_PARTS);

/** Storage engines that support rollback. */
const TRANSACTIONAL: ReadonlySet<string> = new Set(['InnoDB', 'NDBCLUSTER', 'NDB', 'ndbcluster', 'RocksDB', 'ROCKSDB', 'TokuDB', 'XtraDB']);

async function rows(
  connection: Connection,
  statement: Statement,
  params: readonly ParamValue[],
  options: RunOptions & Partial<SchemaReadOptions>,
): Promise<readonly Row[]> {
  const found = new TextRows(options.owner);
  await connection.run(statement, params, options, found);
  return found.rows;
}

async function describe(connection: Connection, name: TableReference, options: RunOptions): Promise<Table | undefined> {
  const server = await rows(connection, DATABASE, [], options);
  const schema = name.schema ?? server[0]?.[0] ?? '';
  const mariadb = isMariadb(server[0]?.[1]);
  const at = [schema, name.table];
  const tables = await rows(connection, TABLE, at, options);
  const table = tables.find((row) => row[0] === name.table && row[3] === schema);
  // Without columns, the table was dropped between the two statements.
  const columns = table === undefined ? [] : await rows(connection, mariadb ? MARIADB_COLUMNS : MYSQL_COLUMNS, at, options);
  if (table === undefined || columns.length === 0) {
    await probe(connection, schema, name.table, options);
    return undefined;
  }
  const keys = uniqueKeys(await rows(connection, KEYS, at, options));
  const checks = mariadb ? await rows(connection, MARIADB_CHECKS, at, options) : [];
  return assemble(schema, table, { columns, keys, checks, mariadb, shared: new SharedColumns() });
}

/** The rows of information_schema about one table. */
interface TableRows {
  readonly columns: readonly Row[];
  readonly keys: readonly UniqueKey[];
  readonly checks: readonly Row[];
  readonly mariadb: boolean;
  readonly shared: SharedColumns;
}

function assemble(schema: string, table: Row, { columns, keys, checks, mariadb, shared }: TableRows): Table {
  const keyNames = keys.find(({ name: index }) => index === PRIMARY)?.columns ?? [];
  const isJson = new Set(checks.map((row) => row[0]));
  const columnOf = (row: Row): Column => {
    const name = row[0] ?? '';
    const key = keyNames.includes(name);
    const json = isJson.size > 0 && isJson.has(`json_valid(\`${name.replaceAll('`', '``')}\`)`);
    const facts = row.slice(0, TABLE_OF_COLUMN);
    return shared.find(`${key} ${json} ${facts.join('\0')}`, () => column(facts, { key, json, mariadb }));
  };
  const kind = tableKind(table[1]);
  const storage = table[2] ?? '';
  return makeTable({
    schema,
    name: table[0] ?? '',
    kind,
    storage,
    transactional: kind === 'view' || TRANSACTIONAL.has(storage),
    columns: columns.map(columnOf),
    key: keyNames,
    unique: keys.filter(({ name: index }) => index !== PRIMARY).map(({ columns: names }) => names),
  });
}

const PRIMARY = 'PRIMARY';

interface UniqueKey {
  readonly table: string;
  readonly name: string;
  readonly columns: string[];
}

/**
 * Returns keys over whole columns. Keys over expressions have no column, and keys over prefixes are
 * unique in the prefix only.
 */
function uniqueKeys(found: readonly Row[]): readonly UniqueKey[] {
  const keys = new Map<string, UniqueKey>();
  const partial = new Set<string>();
  for (const [table, name, column, prefix] of found) {
    const id = `${table}\0${name}`;
    const key = keys.get(id) ?? { table: table ?? '', name: name ?? '', columns: [] };
    keys.set(id, key);
    key.columns.push(column ?? '');
    if (column === null || (prefix !== null && name !== PRIMARY)) partial.add(id);
  }
  return [...keys].flatMap(([id, key]) => (partial.has(id) ? [] : [key]));
}

function keysByTable(keys: readonly UniqueKey[]): ReadonlyMap<string, readonly UniqueKey[]> {
  const found = new Map<string, UniqueKey[]>();
  for (const key of keys) found.set(key.table, [...(found.get(key.table) ?? []), key]);
  return found;
}

async function foreignKeys(connection: Connection, schema: string | undefined, options: SchemaReadOptions): Promise<readonly ForeignKey[]> {
  const server = await rows(connection, DATABASE, [], options);
  const wanted = schema ?? server[0]?.[0] ?? '';
  const found = await rows(connection, FOREIGN_KEYS.read, [wanted], options);
  return found.length === 0
    ? []
    : foreignKeysOf(found, keysByTable(uniqueKeys(await rows(connection, KEYS_OF_ALL.read, [wanted], options))));
}

function foreignKeysOf(found: readonly Row[], unique: ReadonlyMap<string, readonly UniqueKey[]>): readonly ForeignKey[] {
  const keys = new Map<string, { table: string; columns: string[]; references: { table: string; columns: string[] } }>();
  for (const [table, name, column, other, referred] of found) {
    const id = `${table}\0${name}`;
    const key = keys.get(id) ?? { table: table ?? '', columns: [], references: { table: other ?? '', columns: [] } };
    keys.set(id, key);
    key.columns.push(column ?? '');
    key.references.columns.push(referred ?? '');
  }
  return [...keys.values()].map((key) => ({
    ...key,
    unique: (unique.get(key.table) ?? []).some(({ columns }) => columns.every((column) => key.columns.includes(column))),
  }));
}

async function schemaFingerprint(connection: Connection, schema: string | undefined, options: RunOptions): Promise<string> {
  const [server] = await rows(connection, DATABASE, [], options);
  const [database, version] = server ?? [];
  const digests: string[] = [];
  for (const { digest } of partsOf(isMariadb(version))) {
    const [row] = await rows(connection, digest, [schema ?? database ?? ''], options);
    digests.push(row?.[0] ?? '');
  }
  return digests.join(' ');
}

const isMariadb = (version: string | null | undefined): boolean => (version ?? '').toLowerCase().includes('mariadb');

async function describeSchema(
  connection: Connection,
  schema: string | undefined,
  options: SchemaReadOptions,
): Promise<SchemaDescription | undefined> {
  const server = await rows(connection, DATABASE, [], options);
  const wanted = schema ?? server[0]?.[0] ?? '';
  const mariadb = isMariadb(server[0]?.[1]);
  const { withFingerprint = false } = options;
  const statements = [SCHEMAS, ...partsOf(mariadb).map(({ read, readHashed }) => (withFingerprint ? readHashed : read))];
  // MariaDB hides views that cannot be read in a read-only transaction, and its catalog is not part
  // of a snapshot.
  const as = mariadb ? 'pipelined' : 'snapshot';
  const [schemas = [], ...parts] = await queryAll(connection, statements, [wanted], options, as);
  if (!schemas.some((row) => row[0] === wanted)) return undefined;
  const [tables = [], keyRows = [], foreignRows = [], columnRows = [], checkRows = []] = parts;
  const columns = groupRows(columnRows, TABLE_OF_COLUMN);
  const keys = keysByTable(uniqueKeys(keyRows));
  const checks = groupRows(checkRows, 1);
  const shared = new SharedColumns();
  const described = await mapCooperatively(tables, options.owner, (table) => {
    const name = table[0] ?? '';
    const own = columns.get(name)?.toSorted((a, b) => Number(a[TABLE_OF_COLUMN + 1]) - Number(b[TABLE_OF_COLUMN + 1]));
    if (own === undefined) return undefined;
    return assemble(wanted, table, { columns: own, keys: keys.get(name) ?? [], checks: checks.get(name) ?? [], mariadb, shared });
  });
  return {
    tables: described.filter((table) => table !== undefined).sort((left, right) => (left.name < right.name ? -1 : 1)),
    keys: foreignKeysOf(foreignRows, keys),
    fingerprint: withFingerprint ? await fingerprintOf(parts, options.owner) : undefined,
  };
}

const COUNTER = / AUTO_INCREMENT=\d+/;

/**
 * Uses the CREATE statement without AUTO_INCREMENT as the fingerprint: one statement instead of
 * five. `undefined` for a view, whose columns belong to other tables.
 */
function fingerprint(connection: Connection, { schema, table }: TableReference, options: RunOptions): Promise<string | undefined> {
  const name = schema === undefined ? quote(table) : `${quote(schema)}.${quote(table)}`;
  const shown = rows(connection, { text: `SHOW CREATE TABLE ${name}`, types: [] }, [], options);
  const text = shown.then(([row]) => (row?.length === 2 && row[0] === table ? row[1]?.replace(COUNTER, '') : undefined));
  return undefinedIfRejected(connection, text);
}

/** Names that are safe to quote without knowing them. */
const PLAIN_NAME = /^[A-Za-z0-9_$]{1,64}$/;

/**
 * Queries the table itself, because the catalog hides tables that the user may not access. If the
 * privilege is missing, the query fails with the error to report. Otherwise the table does not
 * exist.
 */
async function probe(connection: Connection, schema: string, table: string, options: RunOptions): Promise<void> {
  if (!PLAIN_NAME.test(table)) return;
  const text = `SELECT 1 FROM ${quote(schema)}.${quote(table)} LIMIT 0`;
  try {
    await connection.run({ text, types: [] }, [], options);
  } catch (error) {
    if (!(error instanceof DbFailure) || error.kind !== 'missing_table') throw error;
  }
}

function tableKind(type: string | null | undefined): 'table' | 'view' {
  return type?.includes('VIEW') === true ? 'view' : 'table';
}

interface ColumnContext {
  /** `true` for a column of the primary key. */
  readonly key: boolean;
  /** `true` if a check makes it JSON. */
  readonly json: boolean;
  readonly mariadb: boolean;
}

function column(row: Row, { key, json, mariadb }: ColumnContext): Column {
  const [name, dataType, columnType, maxLength, precision, scale, fraction, isNullable, defaultText, extra, collation, srid] = row.map(
    (cell) => cell ?? null,
  );
  const flags = (extra ?? '').toUpperCase();
  const nullable = isNullable === 'YES';
  const readOnly = /\bGENERATED\b/.test(flags.replace('DEFAULT_GENERATED', ''));
  const shown = mariadb ? plainDefault(defaultText ?? null) : (defaultText ?? null);
  return {
    name: name ?? '',
    type: columnType ?? '',
    nullable,
    primaryKey: key,
    default: shown,
    required: !nullable && defaultText === null && !readOnly && !flags.includes('AUTO_INCREMENT'),
    readOnly,
    ...(readOnly || flags.includes('AUTO_INCREMENT') ? { generated: true as const } : {}),
    ...typed({
      dataType: dataType ?? '',
      columnType: columnType ?? '',
      maxLength: maxLength ?? null,
      precision: precision ?? null,
      scale: scale ?? null,
      fraction: fraction ?? null,
      srid: srid ?? null,
      collation: collation ?? null,
      json,
    }),
  };
}

async function list(connection: Connection, schema: string | undefined, options: RunOptions): Promise<readonly TableName[] | undefined> {
  const server = await rows(connection, DATABASE, [], options);
  const wanted = schema ?? server[0]?.[0] ?? '';
  const schemas = await rows(connection, SCHEMAS, [wanted], options);
  if (!schemas.some((row) => row[0] === wanted)) return undefined;
  const tables = await rows(connection, TABLES.read, [wanted], options);
  const names = tables.map((row): TableName => ({ table: row[0] ?? '', schema: wanted, kind: tableKind(row[1]) }));
  // Sorted here, because the servers use their own collations for names.
  return names.sort((left, right) => (left.table < right.table ? -1 : 1));
}

export const mysqlCatalog: Catalog = { describe, describeSchema, schemaFingerprint, fingerprint, foreignKeys, list };
