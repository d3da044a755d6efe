/**
 * Reads the catalogue from information_schema: tables, views, columns, keys. Compares names itself, exactly, because the server may ignore
 * case. Does not know what a table is wanted for.
 */
import type { ResultColumn } from '../../../model/cells.ts';
import type { ForeignKey } from '../../../model/relation.ts';
import { type Column, makeTable, type Table } from '../../../model/table.ts';
import type { ParamValue, Statement } from '../../../sql/statement.ts';
import { mapInTurns } from '../../../util/slices.ts';
import {
  type Catalog,
  type Connection,
  DbFailure,
  type RunOptions,
  type SurveyOptions,
  type TableName,
  type TableReference,
} from '../../engine.ts';
import { groupRows, TextRows } from '../../rows.ts';
import { unlessRefused } from '../../stamp.ts';
import { plainDefault, typed } from '../types/column-types.ts';
import { quote } from './names.ts';

type Row = readonly (string | null)[];

const TEXT = { kind: 'text', cast: 'text' } as const;

/** Everything is read as text: integers of information_schema arrive as digits anyway. */
function query(text: string, columns: number, parameters: number): Statement {
  return {
    text,
    types: Array.from({ length: parameters }, () => TEXT),
    columns: Array.from({ length: columns }, (_, i): ResultColumn => ({ name: `c${i}`, kind: 'text' })),
  };
}

const DATABASE = query('SELECT DATABASE(), VERSION()', 2, 0);
const SCHEMAS = query('SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ?', 1, 1);
const TABLES = query('SELECT TABLE_NAME, TABLE_TYPE, ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = ?', 3, 1);
const TABLE = query(
  'SELECT TABLE_NAME, TABLE_TYPE, ENGINE, TABLE_SCHEMA FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?',
  4,
  2,
);
const COLUMN_ITEMS =
  'COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, CHARACTER_MAXIMUM_LENGTH, NUMERIC_PRECISION, NUMERIC_SCALE, DATETIME_PRECISION, IS_NULLABLE, COLUMN_DEFAULT, EXTRA, COLLATION_NAME';
const COLUMNS_OF = 'FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION';
const MYSQL_COLUMNS = query(`SELECT ${COLUMN_ITEMS}, SRS_ID ${COLUMNS_OF}`, 12, 2);
const MARIADB_COLUMNS = query(`SELECT ${COLUMN_ITEMS}, NULL ${COLUMNS_OF}`, 12, 2);
const KEY_ITEMS = 'SELECT TABLE_NAME, INDEX_NAME, COLUMN_NAME, SUB_PART FROM information_schema.STATISTICS';
const KEYS = query(`${KEY_ITEMS} WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND NON_UNIQUE = 0 ORDER BY INDEX_NAME, SEQ_IN_INDEX`, 4, 2);
const KEYS_OF_ALL = query(`${KEY_ITEMS} WHERE TABLE_SCHEMA = ? AND NON_UNIQUE = 0 ORDER BY TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX`, 4, 1);
const FOREIGN_KEYS = query(
  `SELECT TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE
WHERE TABLE_SCHEMA = ? AND REFERENCED_TABLE_SCHEMA = TABLE_SCHEMA ORDER BY TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION`,
  5,
  1,
);
const COLUMNS_OF_ALL = 'TABLE_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? ORDER BY TABLE_NAME, ORDINAL_POSITION';
const MYSQL_COLUMNS_OF_ALL = query(`SELECT ${COLUMN_ITEMS}, SRS_ID, ${COLUMNS_OF_ALL}`, 13, 1);
const MARIADB_COLUMNS_OF_ALL = query(`SELECT ${COLUMN_ITEMS}, NULL, ${COLUMNS_OF_ALL}`, 13, 1);
const MARIADB_CHECKS_OF_ALL = query(
  "SELECT CHECK_CLAUSE, TABLE_NAME FROM information_schema.CHECK_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = ? AND CHECK_CLAUSE LIKE 'json\\_valid(%'",
  2,
  1,
);
const MARIADB_CHECKS = query(
  "SELECT CHECK_CLAUSE FROM information_schema.CHECK_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = ? AND TABLE_NAME = ? AND CHECK_CLAUSE LIKE 'json\\_valid(%'",
  1,
  2,
);

/** All rows of a table of the catalogue in one number: half of a hash of each, put together by an operation that knows no order. */
function digest(name: string, where: string, items: string): Statement {
  // NULL is none of the texts, and no text can hold the end of another.
  const texts = items.split(', ').map((item) => `IFNULL(HEX(${item}), '-')`);
  const half = `CAST(CONV(LEFT(SHA2(CONCAT_WS(' ', ${texts.join(', ')}), 256), 16), 16, 10) AS UNSIGNED)`;
  return query(`SELECT BIT_XOR(${half}) FROM information_schema.${name} WHERE ${where} = ?`, 1, 1);
}
const COMMON_DIGESTS = [
  digest('TABLES', 'TABLE_SCHEMA', 'TABLE_NAME, TABLE_TYPE, ENGINE'),
  digest('STATISTICS', 'TABLE_SCHEMA', 'TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX, COLUMN_NAME, SUB_PART, NON_UNIQUE'),
  digest(
    'KEY_COLUMN_USAGE',
    'REFERENCED_TABLE_SCHEMA = TABLE_SCHEMA AND TABLE_SCHEMA',
    'TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION, COLUMN_NAME, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME',
  ),
];
const MYSQL_DIGESTS = [...COMMON_DIGESTS, digest('COLUMNS', 'TABLE_SCHEMA', `TABLE_NAME, ORDINAL_POSITION, ${COLUMN_ITEMS}, SRS_ID`)];
const MARIADB_DIGESTS = [
  ...COMMON_DIGESTS,
  digest('COLUMNS', 'TABLE_SCHEMA', `TABLE_NAME, ORDINAL_POSITION, ${COLUMN_ITEMS}`),
  digest('CHECK_CONSTRAINTS', 'CONSTRAINT_SCHEMA', 'TABLE_NAME, CHECK_CLAUSE'),
];

/** Storage engines that can roll back. */
const TRANSACTIONAL: ReadonlySet<string> = new Set(['InnoDB', 'NDBCLUSTER', 'NDB', 'ndbcluster', 'RocksDB', 'ROCKSDB', 'TokuDB', 'XtraDB']);

async function rows(
  connection: Connection,
  statement: Statement,
  params: readonly ParamValue[],
  options: RunOptions & Partial<SurveyOptions>,
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
  // Without columns it was dropped between the two statements: there is no such table.
  const columns = table === undefined ? [] : await rows(connection, mariadb ? MARIADB_COLUMNS : MYSQL_COLUMNS, at, options);
  if (table === undefined || columns.length === 0) {
    await probe(connection, schema, name.table, options);
    return undefined;
  }
  const keys = uniqueKeys(await rows(connection, KEYS, at, options));
  const checks = mariadb ? await rows(connection, MARIADB_CHECKS, at, options) : [];
  return assemble(schema, table, { columns, keys, checks, mariadb });
}

/** What the catalogue says of one table, as rows. */
interface TableRows {
  readonly columns: readonly Row[];
  readonly keys: readonly UniqueKey[];
  readonly checks: readonly Row[];
  readonly mariadb: boolean;
}

function assemble(schema: string, table: Row, { columns, keys, checks, mariadb }: TableRows): Table {
  const keyNames = keys.find(({ name: index }) => index === PRIMARY)?.columns ?? [];
  const facts = { keys: new Set(keyNames), checks: new Set(checks.map((row) => row[0])), mariadb };
  const kind = tableKind(table[1]);
  const storage = table[2] ?? '';
  return makeTable({
    schema,
    name: table[0] ?? '',
    kind,
    storage,
    transactional: kind === 'view' || TRANSACTIONAL.has(storage),
    columns: columns.map((row) => column(row, facts)),
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

/** Keys over whole columns: a key over an expression has no column, and one over a prefix is unique in the prefix only. */
function uniqueKeys(found: readonly Row[]): readonly UniqueKey[] {
  const keys = new Map<string, UniqueKey>();
  const partial = new Set<string>();
  for (const [table, name, column, part] of found) {
    const id = `${table}\0${name}`;
    const key = keys.get(id) ?? { table: table ?? '', name: name ?? '', columns: [] };
    keys.set(id, key);
    key.columns.push(column ?? '');
    if (column === null || (part !== null && name !== PRIMARY)) partial.add(id);
  }
  return [...keys].flatMap(([id, key]) => (partial.has(id) ? [] : [key]));
}

function keysByTable(keys: readonly UniqueKey[]): ReadonlyMap<string, readonly UniqueKey[]> {
  const found = new Map<string, UniqueKey[]>();
  for (const key of keys) found.set(key.table, [...(found.get(key.table) ?? []), key]);
  return found;
}

async function foreignKeys(connection: Connection, schema: string | undefined, options: SurveyOptions): Promise<readonly ForeignKey[]> {
  const server = await rows(connection, DATABASE, [], options);
  const wanted = schema ?? server[0]?.[0] ?? '';
  const found = await rows(connection, FOREIGN_KEYS, [wanted], options);
  if (found.length === 0) return [];
  const unique = keysByTable(uniqueKeys(await rows(connection, KEYS_OF_ALL, [wanted], options)));
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

async function stampAll(connection: Connection, schema: string | undefined, options: RunOptions): Promise<string> {
  const [server] = await rows(connection, DATABASE, [], options);
  const [database, version] = server ?? [];
  const digests: string[] = [];
  for (const statement of isMariadb(version) ? MARIADB_DIGESTS : MYSQL_DIGESTS) {
    const [row] = await rows(connection, statement, [schema ?? database ?? ''], options);
    digests.push(row?.[0] ?? '');
  }
  return digests.join(' ');
}

const isMariadb = (version: string | null | undefined): boolean => (version ?? '').toLowerCase().includes('mariadb');

async function describeAll(
  connection: Connection,
  schema: string | undefined,
  options: SurveyOptions,
): Promise<readonly Table[] | undefined> {
  const server = await rows(connection, DATABASE, [], options);
  const wanted = schema ?? server[0]?.[0] ?? '';
  const mariadb = isMariadb(server[0]?.[1]);
  const schemas = await rows(connection, SCHEMAS, [wanted], options);
  if (!schemas.some((row) => row[0] === wanted)) return undefined;
  const tables = await rows(connection, TABLES, [wanted], options);
  const byTable = async (statement: Statement, at: number): Promise<ReadonlyMap<string, readonly Row[]>> =>
    groupRows(await rows(connection, statement, [wanted], options), at);
  const columns = await byTable(mariadb ? MARIADB_COLUMNS_OF_ALL : MYSQL_COLUMNS_OF_ALL, 12);
  const keys = keysByTable(uniqueKeys(await rows(connection, KEYS_OF_ALL, [wanted], options)));
  const checks = mariadb ? await byTable(MARIADB_CHECKS_OF_ALL, 1) : new Map<string, readonly Row[]>();
  const described = await mapInTurns(tables, options.owner, (table) => {
    const name = table[0] ?? '';
    const own = columns.get(name);
    if (own === undefined) return undefined;
    return assemble(wanted, table, { columns: own, keys: keys.get(name) ?? [], checks: checks.get(name) ?? [], mariadb });
  });
  return described.filter((table) => table !== undefined).sort((left, right) => (left.name < right.name ? -1 : 1));
}

const COUNTER = / AUTO_INCREMENT=\d+/;

/**
 * The text that would create the table, less the next number that it gives out: one statement where the description takes five. Nothing for a
 * view, whose columns are those of other tables.
 */
function stamp(connection: Connection, { schema, table }: TableReference, options: RunOptions): Promise<string | undefined> {
  const name = schema === undefined ? quote(table) : `${quote(schema)}.${quote(table)}`;
  const shown = rows(connection, { text: `SHOW CREATE TABLE ${name}`, types: [] }, [], options);
  const text = shown.then(([row]) => (row?.length === 2 && row[0] === table ? row[1]?.replace(COUNTER, '') : undefined));
  return unlessRefused(connection, text);
}

/** Letters that need no quoting at all, so that a name which the catalogue does not know can be quoted without a doubt. */
const PLAIN_NAME = /^[A-Za-z0-9_$]{1,64}$/;

/**
 * The catalogue hides what its reader may not access. Asking for the table itself tells the two cases apart: without the privilege it fails, and
 * that failure is the answer. Anything else means that there is no such table.
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

interface TableContext {
  readonly keys: ReadonlySet<string>;
  readonly checks: ReadonlySet<string | null | undefined>;
  readonly mariadb: boolean;
}

function column(row: Row, context: TableContext): Column {
  const [name, dataType, columnType, maxLength, precision, scale, fraction, isNullable, defaultText, extra, collation, srid] = row.map(
    (cell) => cell ?? null,
  );
  const known = name ?? '';
  const flags = (extra ?? '').toUpperCase();
  const nullable = isNullable === 'YES';
  const readOnly = /\bGENERATED\b/.test(flags.replace('DEFAULT_GENERATED', ''));
  const shown = context.mariadb ? plainDefault(defaultText ?? null) : (defaultText ?? null);
  return {
    name: known,
    type: columnType ?? '',
    nullable,
    primaryKey: context.keys.has(known),
    default: shown,
    required: !nullable && defaultText === null && !readOnly && !flags.includes('AUTO_INCREMENT'),
    readOnly,
    ...(readOnly || flags.includes('AUTO_INCREMENT') ? { generated: true as const } : {}),
    ...typed({
      name: known,
      dataType: dataType ?? '',
      columnType: columnType ?? '',
      maxLength: maxLength ?? null,
      precision: precision ?? null,
      scale: scale ?? null,
      fraction: fraction ?? null,
      srid: srid ?? null,
      collation: collation ?? null,
      json: context.checks.has(`json_valid(\`${known.replaceAll('`', '``')}\`)`),
    }),
  };
}

async function list(connection: Connection, schema: string | undefined, options: RunOptions): Promise<readonly TableName[] | undefined> {
  const server = await rows(connection, DATABASE, [], options);
  const wanted = schema ?? server[0]?.[0] ?? '';
  const schemas = await rows(connection, SCHEMAS, [wanted], options);
  if (!schemas.some((row) => row[0] === wanted)) return undefined;
  const tables = await rows(connection, TABLES, [wanted], options);
  const names = tables.map((row): TableName => ({ table: row[0] ?? '', schema: wanted, kind: tableKind(row[1]) }));
  // Sorted here: the servers sort names by collations of their own.
  return names.sort((left, right) => (left.table < right.table ? -1 : 1));
}

export const mysqlCatalog: Catalog = { describe, describeAll, stampAll, stamp, foreignKeys, list };
