// Reads tables and columns from the schema of the file.
import type { Catalog, Connection, RunOptions, TableName } from '../../../src/engines/contract/engine.ts';
import { TextRows } from '../../../src/engines/contract/rows.ts';
import { type Column, makeTable } from '../../../src/model/table.ts';
import type { ParamType } from '../../../src/sql/statement.ts';
import { typeFacts } from './kinds.ts';

const SCHEMA = 'main';
const TEXT: ParamType = { kind: 'text', cast: 'TEXT' };

const COLUMNS = 'SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?)';
const TABLES = "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name";

export const sqliteCatalog: Catalog = {
  async describe(connection, { table }, options) {
    const found = await rowsOf(connection, COLUMNS, [table], options);
    if (found.length === 0) return undefined;
    const key = found.filter((row) => row[4] !== '0').sort((a, b) => Number(a[4]) - Number(b[4]));
    return makeTable({
      schema: SCHEMA,
      name: table,
      kind: 'table',
      storage: '',
      transactional: true,
      columns: found.map(columnOf),
      key: key.map(([name]) => name ?? ''),
    });
  },

  async list(connection, _, options) {
    const found = await rowsOf(connection, TABLES, [], options);
    return found.map(([table, kind]): TableName => ({ table: table ?? '', schema: SCHEMA, kind: kind === 'view' ? 'view' : 'table' }));
  },
};

async function rowsOf(connection: Connection, text: string, params: readonly string[], options: RunOptions) {
  const rows = new TextRows();
  await connection.run({ text, types: params.map(() => TEXT) }, params, options, rows);
  return rows.rows;
}

function columnOf([name, type, notNull, byDefault, key]: readonly (string | null)[]): Column {
  const nullable = notNull === '0' && key === '0';
  return {
    ...typeFacts(type ?? ''),
    name: name ?? '',
    nullable,
    primaryKey: key !== '0',
    default: byDefault ?? null,
    required: !nullable && byDefault === null && key === '0',
    readOnly: false,
  };
}
