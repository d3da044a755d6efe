/**
 * Reads tables and columns from ClickHouse's system tables. The meaning of types is in
 * `types/kinds.ts`.
 */
import type { ResultColumn } from '../../../model/cells.ts';
import { type Column, makeTable, type Table } from '../../../model/table.ts';
import type { ParamType, Statement } from '../../../sql/statement.ts';
import { mapCooperatively } from '../../../util/concurrency/slices.ts';
import type { Catalog, Connection, RunOptions, SchemaReadOptions, TableName, TableReference } from '../../contract/engine.ts';
import { groupRows, TextRows } from '../../contract/rows.ts';
import { undefinedIfRejected } from '../../driver-kit/fingerprint.ts';
import { SharedColumns } from '../../driver-kit/shared-columns.ts';
import { typeFacts } from '../types/kinds.ts';
import { innerType, parseType, quoteName } from '../types/type-text.ts';

type Row = readonly string[];

const TEXT: ParamType = { kind: 'text', cast: 'String' };

function query(text: string, columns: readonly string[], params: number): Statement {
  const known: readonly ResultColumn[] = columns.map((name) => ({ name, kind: 'text' }));
  return { text, types: Array.from({ length: params }, () => TEXT), columns: known };
}

const TABLE = query(
  "SELECT database, engine, sorting_key FROM system.tables WHERE database = if({p1:String} = '', currentDatabase(), {p1:String}) AND name = {p2:String} AND NOT is_temporary",
  ['database', 'engine', 'sorting_key'],
  2,
);

const COLUMNS = query(
  'SELECT name, type, default_kind, default_expression, toString(is_in_primary_key) FROM system.columns WHERE database = {p1:String} AND table = {p2:String} ORDER BY position',
  ['name', 'type', 'default_kind', 'default_expression', 'is_in_primary_key'],
  2,
);

const TABLES_IN_FULL = query(
  "SELECT name, engine, sorting_key FROM system.tables WHERE database = {p1:String} AND NOT is_temporary AND NOT startsWith(name, '.inner') ORDER BY name",
  ['name', 'engine', 'sorting_key'],
  1,
);

const COLUMNS_OF_ALL = query(
  'SELECT name, type, default_kind, default_expression, toString(is_in_primary_key), table FROM system.columns WHERE database = {p1:String} ORDER BY table, position',
  ['name', 'type', 'default_kind', 'default_expression', 'is_in_primary_key', 'table'],
  1,
);

/** Index of the table name, after the facts of the column. */
const TABLE_OF_COLUMN = 5;

/** Hashes all rows into one number, whatever their order. */
const digest = (items: string, from: string): Statement =>
  query(
    `SELECT toString(groupBitXor(cityHash64(${items}))) AS digest FROM system.${from} WHERE database = if({p1:String} = '', currentDatabase(), {p1:String})`,
    ['digest'],
    1,
  );
const TABLES_DIGEST = digest('name, engine, sorting_key', 'tables');
const COLUMNS_DIGEST = digest(
  'table, toString(position), name, type, default_kind, default_expression, toString(is_in_primary_key)',
  'columns',
);

const DATABASE = query("SELECT name FROM system.databases WHERE name = if({p1:String} = '', currentDatabase(), {p1:String})", ['name'], 1);

const TABLES = query(
  "SELECT name, engine FROM system.tables WHERE database = {p1:String} AND NOT is_temporary AND NOT startsWith(name, '.inner') ORDER BY name",
  ['name', 'engine'],
  1,
);

export const clickhouseCatalog: Catalog = {
  async describe(connection, name, options) {
    const [table] = await rowsOf(connection, TABLE, [name.schema ?? '', name.table], options);
    if (table === undefined) return undefined;
    const [schema = '', storage = '', sortingKey = ''] = table;
    return assemble(schema, [name.table, storage, sortingKey], await rowsOf(connection, COLUMNS, [schema, name.table], options));
  },

  async describeSchema(connection, schema, options) {
    const fingerprintNow = async () => (options.withFingerprint === true ? schemaFingerprint(connection, schema, options) : undefined);
    const before = await fingerprintNow();
    const [database] = await rowsOf(connection, DATABASE, [schema ?? ''], options);
    if (database === undefined) return undefined;
    const [name = ''] = database;
    const tables = await rowsOf(connection, TABLES_IN_FULL, [name], options);
    const columns = groupRows(await rowsOf(connection, COLUMNS_OF_ALL, [name], options), TABLE_OF_COLUMN);
    // A schema that changes back has its old fingerprint: only one that is the same before and
    // after the read is valid.
    const fingerprint = (await fingerprintNow()) === before ? before : undefined;
    const shared = new SharedColumns();
    const described = await mapCooperatively(tables, options.owner, (table) =>
      assemble(name, table, columns.get(table[0] ?? '') ?? [], shared),
    );
    return { tables: described.filter((table) => table !== undefined), keys: [], fingerprint };
  },

  schemaFingerprint,
  fingerprint,

  async list(connection, schema, options) {
    const [database] = await rowsOf(connection, DATABASE, [schema ?? ''], options);
    if (database === undefined) return undefined;
    const [name = ''] = database;
    const tables = await rowsOf(connection, TABLES, [name], options);
    return tables.map(([table = '', engine = '']): TableName => ({ table, schema: name, kind: kindOf(engine) }));
  },
};

async function schemaFingerprint(connection: Connection, schema: string | undefined, options: RunOptions): Promise<string> {
  const fingerprints: string[] = [];
  for (const digest of [TABLES_DIGEST, COLUMNS_DIGEST]) {
    const [row] = await rowsOf(connection, digest, [schema ?? ''], options);
    fingerprints.push(row?.[0] ?? '');
  }
  return fingerprints.join(' ');
}

/** `undefined` without columns: the table was dropped between two statements. */
function assemble(
  schema: string,
  [name = '', storage = '', sortingKey = '']: Row,
  rows: readonly Row[],
  shared = new SharedColumns(),
): Table | undefined {
  const columns = rows
    .filter((row) => row[2] !== 'EPHEMERAL')
    .map((row) => {
      const facts = row.slice(0, TABLE_OF_COLUMN);
      return shared.find(facts.join('\0'), () => columnOf(facts));
    });
  if (columns.length === 0) return undefined;
  return makeTable({
    schema,
    name,
    kind: kindOf(storage),
    storage,
    // A batch is one insert block.
    transactional: true,
    columns,
    key: keyColumns(sortingKey),
    keyRepeats: true,
  });
}

const OWN_COLUMNS = /^CREATE TABLE /;

/**
 * Uses the CREATE statement as the fingerprint, at 20 % of the cost of the system tables.
 * `undefined` for views and others whose columns come from other tables.
 */
function fingerprint(connection: Connection, { schema, table }: TableReference, options: RunOptions): Promise<string | undefined> {
  const name = schema === undefined ? quoteName(table) : `${quoteName(schema)}.${quoteName(table)}`;
  const shown = rowsOf(connection, { text: `SHOW CREATE TABLE ${name}`, types: [] }, [], options);
  const text = shown.then(([row]) => (OWN_COLUMNS.test(row?.[0] ?? '') ? row?.[0] : undefined));
  return undefinedIfRejected(connection, text);
}

async function rowsOf(
  connection: Connection,
  statement: Statement,
  params: readonly string[],
  options: RunOptions & Partial<SchemaReadOptions>,
): Promise<readonly Row[]> {
  const sink = new TextRows(options.owner);
  await connection.run(statement, params, options, sink);
  return sink.rows.map((row) => row.map((cell) => cell ?? ''));
}

function kindOf(engine: string): 'table' | 'view' {
  return engine.endsWith('View') ? 'view' : 'table';
}

/** `MATERIALIZED` and `ALIAS` columns are computed; `DEFAULT` columns are optional. */
function columnOf([name = '', type = '', defaultKind = '', expression = '', inKey = '0']: Row): Column {
  const facts = typeFacts(type);
  const readOnly = defaultKind === 'MATERIALIZED' || defaultKind === 'ALIAS' || innerType(parseType(type)).name === 'AggregateFunction';
  return {
    ...facts,
    name,
    primaryKey: inKey === '1',
    default: expression === '' ? null : expression,
    required: !facts.nullable && defaultKind === '' && !readOnly,
    readOnly,
    ...(defaultKind === 'MATERIALIZED' || defaultKind === 'ALIAS' ? { generated: true as const } : {}),
  };
}

/**
 * Returns the columns of a sorting key in its order. Skips expressions (`toDate(at)`), which order
 * rows too, but have no column.
 */
function keyColumns(sortingKey: string): readonly string[] {
  // A key of one column may be in parentheses.
  const items = sortingKey.replace(/^\(([^()]*)\)$/, '$1');
  return [...items.matchAll(/(?:^|,)\s*(?:`((?:[^`\\]|\\.)*)`|([A-Za-z_]\w*))(?=\s*(?:,|$))/g)].map((match) => {
    return match[1]?.replace(/\\(.)/g, '$1') ?? match[2] ?? '';
  });
}
