/**
 * The components of a table in an OpenAPI document: schemas of its rows and bodies, and its
 * responses. Pure.
 */
import type { Column } from '../../model/table.ts';
import { memo } from '../../util/memo.ts';
import { type ColumnUse, columnSchema } from '../column-schema.ts';
import { keyOf } from '../description.ts';
import { columnInQuery } from '../names.ts';
import { type Json, type Members, Shared } from './notation.ts';
import { insertExample, useOf } from './openapi-examples.ts';
import { filterSchema } from './openapi-filters.ts';
import { inAllFormats, refTo } from './openapi-parts.ts';
import type { DocumentedTable } from './openapi-tables.ts';

export function tableSchemas(documented: DocumentedTable): Members {
  const { name, rights } = documented;
  const schemas: [name: string, schema: Json][] = [[name, rowSchema(documented)]];
  if (rights.read !== undefined) schemas.push([`${name}.query`, querySchema(documented)]);
  if (rights.insert !== undefined) schemas.push([`${name}.insert`, insertSchema(documented, rights.insert.columns)]);
  if (rights.update !== undefined) schemas.push([`${name}.update`, updateSchema(documented, rights.update.columns)]);
  if (rights.update !== undefined && takesRows(documented))
    schemas.push([`${name}.changed`, changedRowSchema(documented, rights.update.columns)]);
  return schemas;
}

/** `true` if a PATCH may be a list of rows, which needs a readable key. */
export function takesRows({ table, rights }: DocumentedTable): boolean {
  const isOfKey = (column: Column): boolean => table.primaryKey.includes(column);
  const hasOther = rights.update?.columns.some((column) => !isOfKey(column)) === true;
  return hasOther && table.primaryKey.length > 0 && table.primaryKey.every((column) => rights.read?.columns.includes(column) === true);
}

function rowSchema(documented: DocumentedTable): Json {
  const { ref, table, keys, rights } = documented;
  const isReadable = (column: Column): boolean => rights.read?.columns.includes(column) === true;
  return {
    type: 'object',
    title: table.name,
    ...(rights.read && membersOf(documented, rights.read.columns)),
    // Every column is in every row. With $select, only the selected ones are.
    required: rights.read?.columns.map(nameOf),
    'x-table': ref,
    'x-primary-key': keyOf(table).filter(isReadable).map(nameOf),
    'x-unique-keys': table.unique.filter((key) => key.length > 0 && key.every(isReadable)).map((key) => key.map(nameOf)),
    'x-foreign-keys': keys.map(({ columns, references: { table: other, columns: referred } }) => ({
      columns,
      references: { table: other, columns: referred },
    })),
  };
}

const nameOf = ({ name }: Column): string => name;

function querySchema({ filters }: DocumentedTable): Json {
  return {
    type: 'object',
    allOf: [refTo('schemas', 'Query')],
    properties: Object.fromEntries(filters.map(({ column }) => [columnInQuery(column.name), filterSchema(column)])),
    unevaluatedProperties: false,
  };
}

function insertSchema(documented: DocumentedTable, columns: readonly Column[]): Json {
  const example = insertExample(documented);
  return {
    type: 'object',
    ...membersOf(documented, columns),
    required: columns.filter(({ required }) => required).map(nameOf),
    additionalProperties: false,
    examples: example && [example],
  };
}

function updateSchema(documented: DocumentedTable, columns: readonly Column[]): Json {
  return { type: 'object', minProperties: 1, ...membersOf(documented, columns), additionalProperties: false };
}

/** The key identifies the row, whether or not it may be changed. */
function changedRowSchema(documented: DocumentedTable, columns: readonly Column[]): Json {
  const key = documented.table.primaryKey;
  return {
    type: 'object',
    minProperties: key.length + 1,
    ...membersOf(documented, [...new Set([...key, ...columns])]),
    required: key.map(nameOf),
    additionalProperties: false,
  };
}

const MASKED = new Shared({ type: ['string', 'null'], description: 'Not shown to you', readOnly: true });

/** Tools resolve a member `$ref` as a reference wherever it is, so a pattern stands for it. */
const REFERENCE = { name: '$ref', pattern: '^\\$ref$' };

function membersOf(documented: DocumentedTable, columns: readonly Column[]): Json {
  const { masked } = documented.rights.read ?? {};
  const schemaOf = (column: Column): Shared => (masked?.has(column) === true ? MASKED : COLUMN_SCHEMAS[useOf(documented, column)](column));
  const members = (chosen: readonly Column[], name: (column: Column) => string): Json =>
    Object.fromEntries(chosen.map((column) => [name(column), schemaOf(column)]));
  const odd = columns.filter(({ name }) => name === REFERENCE.name);
  return {
    properties: members(odd.length === 0 ? columns : columns.filter((column) => !odd.includes(column)), nameOf),
    patternProperties: odd.length === 0 ? undefined : members(odd, () => REFERENCE.pattern),
  };
}

/** Tables may share columns. */
const COLUMN_SCHEMAS: Readonly<Record<ColumnUse, (column: Column) => Shared>> = {
  own: memo((column) => new Shared(columnSchema(column, 'own'))),
  reference: memo((column) => new Shared(columnSchema(column, 'reference'))),
};

const header = (type: string, description: string): Json => ({ description, schema: { type } });

export const HEADERS: Json = {
  'X-Total-Count': header('integer', 'With $count: how many rows match'),
  'X-Count': header('string', 'With $count: exact, estimated or none'),
  'X-Next-Cursor': header('string', 'With $after: the cursor of the next page'),
  'X-Expand-Truncated': header('string', 'With $expand: the keys of which there are more rows'),
  ETag: header('string', 'Of the values of the row; none with $expand'),
  'X-Rows-Affected': header('integer', 'With $return=rows: how many rows it was'),
};

const sharedHeaders = (...names: readonly string[]): Shared =>
  new Shared(Object.fromEntries(names.map((name) => [name, refTo('headers', name)])));
const PAGE_HEADERS = sharedHeaders('X-Total-Count', 'X-Count', 'X-Next-Cursor', 'X-Expand-Truncated');
const ROW_HEADERS = sharedHeaders('ETag', 'X-Expand-Truncated');
const WRITTEN_HEADERS = sharedHeaders('X-Rows-Affected');

export function tableResponses({ name, rights }: DocumentedTable): Members {
  const row = refTo('schemas', name);
  const rows = { type: 'array', items: row };
  const written = inAllFormats({ anyOf: [refTo('schemas', 'RowsAffected'), rows] });
  const responses: [name: string, response: Json][] = [];
  if (rights.read !== undefined)
    responses.push(
      [name, { description: 'The rows of the page', headers: PAGE_HEADERS, content: inAllFormats(rows) }],
      [`${name}.row`, { description: 'The row', headers: ROW_HEADERS, content: inAllFormats(row) }],
    );
  if (rights.insert !== undefined || rights.update !== undefined || rights.delete !== undefined)
    responses.push([
      `${name}.written`,
      { description: 'How many rows it was; with $return=rows the rows themselves', headers: WRITTEN_HEADERS, content: written },
    ]);
  return responses;
}
