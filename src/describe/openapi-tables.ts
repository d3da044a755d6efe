/**
 * Tables in an OpenAPI document: their paths, the parameters and bodies of each operation, and the schemas of their rows. Knows nothing of how the pieces
 * are put together.
 */
import { type ApiOperation, FILTERED, PARAMETERS } from '../auto/parameters.ts';
import type { Column } from '../model/table.ts';
import { type ColumnUse, columnExample, columnSchema, filterExample, filterName, isFiltered, type Schema } from './column-schema.ts';
import { type DescribedTable, type Description, keyOf } from './description.ts';
import { columnInQuery, tableName } from './names.ts';
import { errorResponses, inAllFormats, type Json, parameterName, refTo } from './openapi-parts.ts';
import { API_OPERATIONS, OPERATION_ROWS, statusesOf } from './operations.ts';

function filtersOf({ rights }: DescribedTable): readonly Column[] {
  return (rights.read?.columns ?? []).filter((column) => isFiltered(column) && rights.read?.masked?.has(column) !== true);
}

/**
 * Filters on columns as parameters: one array a column, spread out; each repetition is one more condition. Columns of the same name and kind share one,
 * whatever their tables are.
 */
export class FilterParameters {
  readonly #names = new Map<string, string>();
  readonly #components: Record<string, Json> = {};

  /** The name of the component. */
  nameOf(column: Column): string {
    const example = filterExample(column);
    const schema = filterName(column);
    const key = `${column.name}\0${schema}\0${example}`;
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const plain = `${tableName(column.name)}.${schema}`;
    let name = plain;
    for (let number = 2; name in this.#components; number++) name = `${plain}.${number}`;
    this.#names.set(key, name);
    this.#components[name] = {
      name: columnInQuery(column.name),
      in: 'query',
      style: 'form',
      explode: true,
      schema: { type: 'array', items: refTo('schemas', schema) },
      ...(example === undefined ? {} : { example: [example] }),
    };
    return name;
  }

  components(): Json {
    return this.#components;
  }
}

export function tablePaths({ prefix, org, project }: Description, described: DescribedTable, filters: FilterParameters): Json {
  const { type, database, table, rights } = described;
  const path = `/${[prefix, 'api', 'rest', 'auto', 'v1', org, project, type, database, table.name].map(encodeURIComponent).join('/')}`;
  const refs = filtersOf(described).map((column) => refTo('parameters', filters.nameOf(column)));
  const granted = API_OPERATIONS.filter((operation) => rights[OPERATION_ROWS[operation].right] !== undefined);
  const item = (where: 'table' | 'query' | 'row'): Json =>
    Object.fromEntries(
      granted
        .filter((operation) => OPERATION_ROWS[operation].path === where)
        .map((operation) => [OPERATION_ROWS[operation].method, tableOperation(described, operation, refs)]),
    );
  const hasRows = keyOf(table).length > 0 && keyOf(table).every((column) => rights.read?.columns.includes(column) === true);
  const queried = rights.read === undefined ? {} : { [`${path}/query`]: item('query') };
  return {
    [path]: item('table'),
    ...queried,
    ...(hasRows ? { [`${path}/{key}`]: { parameters: [keyParameter(described)], ...item('row') } } : {}),
  };
}

function keyParameter(described: DescribedTable): Json {
  const values = keyOf(described.table).map((column) => columnExample(column, 'reference'));
  const isKnown = values.every((value) => ['string', 'number', 'boolean'].includes(typeof value));
  const names = keyOf(described.table).map(({ name }) => name);
  return {
    name: 'key',
    in: 'path',
    required: true,
    description: `The values of ${names.join(', ')}, separated by commas; quoted where they hold commas or quotes.`,
    schema: { type: 'string' },
    ...(isKnown ? { example: values.join(',') } : {}),
  };
}

function tableOperation(described: DescribedTable, operation: ApiOperation, refs: readonly Json[]): Json {
  const { ref, type, database } = described;
  const name = tableName(ref);
  const { path, success, summary, right } = OPERATION_ROWS[operation];
  // A query in a body leaves nothing for the URL.
  const shared = path === 'query' ? [] : sharedBy(described, operation);
  const filters = path === 'table' && FILTERED.includes(operation) ? refs : [];
  const body = bodyOf(described, operation);
  return {
    operationId: `${name}.${operation}`,
    summary: `${summary}: ${ref}`,
    tags: [`${type}/${database}`],
    parameters: [
      ...shared.map((parameter) => OWN_PARAMETERS[parameter]?.(described) ?? refTo('parameters', parameterName(parameter))),
      ...(path === 'row' ? [refTo('parameters', right === 'read' ? 'header.if-none-match' : 'header.if-match')] : []),
      ...filters,
    ],
    ...(body === undefined ? {} : { requestBody: body }),
    responses: {
      [success]: successOf(name, operation),
      ...(operation === 'row.read' ? { 304: refTo('responses', 'NotModified') } : {}),
      ...ERROR_RESPONSES[operation],
    },
  };
}

const byOperation = <T>(make: (operation: ApiOperation) => T): Readonly<Record<ApiOperation, T>> =>
  Object.fromEntries(API_OPERATIONS.map((operation) => [operation, make(operation)])) as Record<ApiOperation, T>;

const ERROR_RESPONSES = byOperation((operation) => errorResponses(statusesOf(operation)));
const SHARED_NAMES = byOperation((operation) =>
  Object.entries(PARAMETERS).flatMap(([name, { operations }]) => (operations.includes(operation) ? [name] : [])),
);

/** The names of the parameters that an operation takes besides filters on columns. */
function sharedBy({ table }: DescribedTable, operation: ApiOperation): readonly string[] {
  const names = SHARED_NAMES[operation];
  return table.byName.has('version') ? names.filter((name) => name !== 'version') : names;
}

function successOf(name: string, operation: ApiOperation): Json {
  if (operation === 'read' || operation === 'query') return refTo('responses', name);
  return refTo('responses', operation === 'row.read' ? `${name}.row` : `${name}.written`);
}

/** The parameters of a read as a form, for queries that are too long for a URL. */
function queryBody({ ref }: DescribedTable): Json {
  return {
    required: true,
    content: { 'application/x-www-form-urlencoded': { schema: refTo('schemas', `${tableName(ref)}.query`), example: { pg: 0, ps: 20 } } },
  };
}

function querySchema(described: DescribedTable): Json {
  const filters = filtersOf(described).map((column) => [
    columnInQuery(column.name),
    { type: 'array', items: refTo('schemas', filterName(column)) },
  ]);
  return {
    type: 'object',
    allOf: [refTo('schemas', 'Query')],
    properties: Object.fromEntries(filters) as Json,
    unevaluatedProperties: false,
  };
}

function bodyOf(described: DescribedTable, operation: ApiOperation): Json | undefined {
  const name = tableName(described.ref);
  if (operation === 'insert') return insertBody(described);
  if (operation === 'query') return queryBody(described);
  if (operation !== 'patch' && operation !== 'row.patch') return undefined;
  const changes = refTo('schemas', `${name}.update`);
  const rows = { type: 'array', minItems: 1, items: changes, description: 'Rows with their whole keys, without filters.' };
  const change = changeExample(described);
  return {
    required: true,
    content: {
      'application/json': {
        schema: operation === 'patch' ? { oneOf: [changes, rows] } : changes,
        ...(change === undefined ? {} : { example: { [change[0]]: change[1] } }),
      },
    },
  };
}

/** A column to change, and a value that it takes: rather one that is no part of a key. */
function changeExample(described: DescribedTable): readonly [name: string, value: unknown] | undefined {
  const columns = described.rights.update?.columns ?? [];
  const known = columns.filter((column) => !['object', 'undefined'].includes(typeof columnExample(column)));
  const free = known.filter((column) => !column.primaryKey);
  const column = free.find((candidate) => useOf(described, candidate) === 'own') ?? free[0] ?? known[0];
  return column === undefined ? undefined : [column.name, columnExample(column, useOf(described, column))];
}

/** Parameters that say something else for each table. */
const OWN_PARAMETERS: Readonly<Record<string, (described: DescribedTable) => Json | undefined>> = {
  set: setParameter,
  ps: ({ rights: { read } }) => {
    if (read?.maxPageSize === undefined) return undefined;
    const schema = { ...PARAMETERS['ps']?.schema, maximum: read.maxPageSize };
    return { name: 'ps', in: 'query', required: true, description: PARAMETERS['ps']?.description, example: 1, schema };
  },
};

/** Its example depends on the table. */
function setParameter(described: DescribedTable): Json {
  const { schema, description } = PARAMETERS['set'] ?? { schema: {}, description: '' };
  const change = changeExample(described);
  const [name, value] = change ?? ['', ''];
  return {
    name: 'set',
    in: 'query',
    required: true,
    description,
    schema,
    ...(change === undefined ? {} : { example: `${/[."]/.test(name) ? JSON.stringify(name) : name}.${String(value)}` }),
  };
}

function insertBody(described: DescribedTable): Json {
  const name = tableName(described.ref);
  const example = insertExample(described);
  return {
    required: true,
    content: {
      'application/json': {
        schema: { type: 'array', minItems: 1, items: refTo('schemas', `${name}.insert`) },
        ...(example === undefined ? {} : { example: [example] }),
      },
    },
  };
}

/** A row with what is required, and a key; undefined when there is a column of which no value is known. */
function insertExample(described: DescribedTable): Json | undefined {
  const { table, rights } = described;
  const given = rights.insert?.columns ?? [];
  const needed = given.filter((column) => column.required || (keyOf(table).includes(column) && column.default === null));
  const shown = needed.length > 0 ? needed : given.slice(0, 1);
  const values = shown.map((column): [string, unknown] => [column.name, columnExample(column, useOf(described, column))]);
  return values.length === 0 || values.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(values);
}

const MASKED: Schema = { type: ['string', 'null'], description: 'Not shown to you', readOnly: true };

function useOf({ keys }: DescribedTable, { name }: Column): ColumnUse {
  return keys.some(({ columns }) => columns.includes(name)) ? 'reference' : 'own';
}

type Properties = (columns: readonly Column[]) => Json;

/** The schema of a column is made once for rows, inserts and updates. */
function propertiesOf(described: DescribedTable): Properties {
  const { masked } = described.rights.read ?? {};
  const known = new Map<Column, Schema>();
  const schemaOf = (column: Column): Schema => {
    const schema = known.get(column) ?? (masked?.has(column) === true ? MASKED : columnSchema(column, useOf(described, column)));
    known.set(column, schema);
    return schema;
  };
  return (columns) => Object.fromEntries(columns.map((column) => [column.name, schemaOf(column)]));
}

export function tableSchemas(described: DescribedTable): Json {
  const { ref, table, keys, rights } = described;
  const name = tableName(ref);
  const properties = propertiesOf(described);
  const insert = rights.insert?.columns;
  const update = rights.update?.columns;
  return {
    [name]: {
      type: 'object',
      title: table.name,
      ...(rights.read === undefined ? {} : { properties: properties(rights.read.columns) }),
      'x-table': ref,
      'x-primary-key': keyOf(table).flatMap((column) => (rights.read?.columns.includes(column) === true ? [column.name] : [])),
      'x-unique-keys': table.unique
        .filter((key) => key.length > 0 && key.every((column) => rights.read?.columns.includes(column) === true))
        .map((key) => key.map((column) => column.name)),
      'x-foreign-keys': keys.map(({ columns, references }) => ({ columns, references })),
    },
    ...(rights.read === undefined ? {} : { [`${name}.query`]: querySchema(described) }),
    ...(insert === undefined ? {} : { [`${name}.insert`]: insertSchema(described, insert, properties) }),
    ...(update === undefined ? {} : { [`${name}.update`]: updateSchema(described, update, properties) }),
  };
}

/** Columns of the key may stand there to say which row is meant. */
function updateSchema(described: DescribedTable, columns: readonly Column[], properties: Properties): Json {
  const all = [...new Set([...keyOf(described.table), ...columns])];
  return { type: 'object', minProperties: 1, properties: properties(all), additionalProperties: false };
}

function insertSchema(described: DescribedTable, columns: readonly Column[], properties: Properties): Json {
  const example = insertExample(described);
  return {
    type: 'object',
    properties: properties(columns),
    required: columns.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
    ...(example === undefined ? {} : { examples: [example] }),
  };
}

const header = (type: string, description: string): Json => ({ description, schema: { type } });

export const HEADERS: Json = {
  'X-Total-Count': header('integer', 'With $count: how many rows match'),
  'X-Count': header('string', 'With $count: exact or estimated'),
  'X-Next-Cursor': header('string', 'With $after: the cursor of the next page'),
  'X-Expand-Truncated': header('string', 'With $expand: the keys of which there are more rows'),
  ETag: header('string', 'Of the values of the row; none with $expand'),
  'X-Rows-Affected': header('integer', 'With $return=rows: how many rows it was'),
};
const headersOf = (...names: readonly string[]): Json => Object.fromEntries(names.map((name) => [name, refTo('headers', name)]));
const PAGE_HEADERS = headersOf('X-Total-Count', 'X-Count', 'X-Next-Cursor', 'X-Expand-Truncated');
const ROW_HEADERS = headersOf('ETag', 'X-Expand-Truncated');
const WRITTEN_HEADERS = headersOf('X-Rows-Affected');

export function tableResponses({ ref, rights }: DescribedTable): Json {
  const name = tableName(ref);
  const row = refTo('schemas', name);
  const rows = { type: 'array', items: row };
  const isWritten = rights.insert !== undefined || rights.update !== undefined || rights.delete !== undefined;
  const written = {
    description: 'How many rows it was; with $return=rows the rows themselves',
    headers: WRITTEN_HEADERS,
    content: inAllFormats({ anyOf: [refTo('schemas', 'RowsAffected'), rows] }),
  };
  return {
    ...(rights.read === undefined
      ? {}
      : {
          [name]: { description: 'The rows of the page', headers: PAGE_HEADERS, content: inAllFormats(rows) },
          [`${name}.row`]: { description: 'The row', headers: ROW_HEADERS, content: inAllFormats(row) },
        }),
    ...(isWritten ? { [`${name}.written`]: written } : {}),
  };
}
