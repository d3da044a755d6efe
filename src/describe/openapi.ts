/**
 * Description → OpenAPI 3.1, as pieces of JSON: table by table, so that a thousand of them hold nobody up and never are one string. What tables
 * share is a component. Knows nothing of who asked.
 */
import { REASONS } from '../errors.ts';
import type { Column } from '../model/table.ts';
import { nextSlice } from '../util/loop-scheduler.ts';
import {
  type ColumnUse,
  columnExample,
  columnSchema,
  filterExample,
  filterName,
  filterSchemas,
  isFiltered,
  type Schema,
} from './column-schema.ts';
import { type DescribedTable, type Description, keyOf } from './description.ts';
import { columnInQuery, tableName } from './names.ts';
import { describeCalls } from './openapi-calls.ts';
import { errorResponses, inAllFormats, type Json, refTo } from './openapi-parts.ts';
import { API_OPERATIONS, type ApiOperation, CALL_STATUSES, COMMON_STATUSES, OPERATION_ROWS, PARAMETERS } from './parameters.ts';

const PIECE = 64 * 1024;

/** Texts that are gathered into pieces of bytes. */
class Pieces {
  readonly done: Buffer[] = [];
  #text = '';

  /** True when a piece is full: time for others. */
  add(text: string): boolean {
    this.#text += text;
    if (this.#text.length < PIECE) return false;
    this.done.push(Buffer.from(this.#text));
    this.#text = '';
    return true;
  }

  take(): readonly Buffer[] {
    this.done.push(Buffer.from(this.#text));
    return this.done;
  }
}

/** Members of an object that stands open: all but the first begin with a comma. */
class Members {
  readonly #pieces: Pieces;
  #separator = '';

  constructor(pieces: Pieces) {
    this.#pieces = pieces;
  }

  add(members: Json): boolean {
    let isFull = false;
    for (const [name, value] of Object.entries(members)) {
      isFull = this.#pieces.add(`${this.#separator}${JSON.stringify(name)}:${JSON.stringify(value)}`) || isFull;
      this.#separator = ',';
    }
    return isFull;
  }
}

export async function writeOpenApi(description: Description): Promise<readonly Buffer[]> {
  const { project, tables, endpoints } = description;
  const pieces = new Pieces();
  const calls = describeCalls(description);
  pieces.add(`${JSON.stringify(headOf(description)).slice(0, -1)},"paths":{`);
  const paths = new Members(pieces);
  for (const table of tables) if (paths.add(tablePaths(description, table))) await nextSlice(project);
  if (endpoints.length > 0) paths.add(calls);
  pieces.add('},"components":{"schemas":{');
  const schemas = new Members(pieces);
  schemas.add(SHARED_SCHEMAS);
  for (const table of tables) if (schemas.add(tableSchemas(table))) await nextSlice(project);
  pieces.add('},"parameters":{');
  const parameters = new Members(pieces);
  parameters.add(sharedParameters(description));
  parameters.add(CONDITIONS);
  for (const table of tables) if (parameters.add(tableParameters(table))) await nextSlice(project);
  pieces.add('},"responses":{');
  const responses = new Members(pieces);
  responses.add(SHARED_RESPONSES);
  for (const table of tables) if (responses.add(tableResponses(table))) await nextSlice(project);
  pieces.add(`},"securitySchemes":${JSON.stringify(SECURITY_SCHEMES)}}}\n`);
  return pieces.take();
}

function headOf({ org, project, space, tables, endpoints, unreachable }: Description): Json {
  const databases = [...new Set(tables.map(({ type, database }) => `${type}/${database}`))];
  const tags = [...new Set(endpoints.flatMap(({ about }) => (about.tags.length === 0 ? ['custom'] : about.tags)))];
  return {
    openapi: '3.1.1',
    info: {
      title: `${org}/${project} (${space})`,
      version: '1',
      description: 'What the caller who asked for this document may do: tables as REST, and Custom endpoints.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The service that gave this document' }],
    security: [
      { orgId: [], projectId: [], spaceId: [], userId: [], userRoles: [] },
      { powerToken: [], powerTokenInQuery: [] },
    ],
    tags: [...new Set([...databases, ...tags])].map((name) => ({ name })),
    'x-unreachable': unreachable,
  };
}

const header = (name: string, description: string): Json => ({ type: 'apiKey', in: 'header', name, description });

const SECURITY_SCHEMES: Json = {
  orgId: header('X-Org-Id', 'The organization; the gateway sends it.'),
  projectId: header('X-Project-Id', 'The project; the gateway sends it.'),
  spaceId: header('X-Space-Id', 'The space; the gateway sends it.'),
  userId: header('X-User-Id', 'The user; the gateway sends it.'),
  userRoles: header('X-User-Roles', 'Roles of the user, separated by commas; the gateway sends it.'),
  powerToken: header('X-Power-Token', 'A Power Token instead of the context headers, together with the same value in pwt.'),
  powerTokenInQuery: { type: 'apiKey', in: 'query', name: 'pwt', description: 'The Power Token again.' },
};

const SHARED_SCHEMAS: Json = {
  Error: {
    type: 'object',
    required: ['code', 'status', 'message'],
    properties: {
      code: { type: 'integer', description: 'The status of the answer' },
      status: { type: 'string', description: 'Its reason phrase' },
      message: { type: 'string', description: 'What is wrong, and what to do' },
      errors: {
        type: 'array',
        items: {
          type: 'object',
          required: ['field', 'message'],
          properties: { field: { type: 'string' }, message: { type: 'string' } },
        },
      },
    },
  },
  RowsAffected: { type: 'object', required: ['rows_affected'], properties: { rows_affected: { type: 'integer', minimum: 0 } } },
  ...filterSchemas(),
};

const STATUSES: readonly number[] = [
  ...new Set([...COMMON_STATUSES, ...CALL_STATUSES, ...Object.values(OPERATION_ROWS).flatMap(({ statuses }) => statuses)]),
];

const SHARED_RESPONSES: Json = {
  RowsAffected: {
    description: 'How many rows it was; with $return=rows the rows themselves',
    headers: { 'X-Rows-Affected': { description: 'With $return=rows: how many rows it was', schema: { type: 'integer' } } },
    content: inAllFormats({ anyOf: [refTo('schemas', 'RowsAffected'), { type: 'array', items: { type: 'object' } }] }),
  },
  ...Object.fromEntries(
    STATUSES.map((status) => [
      `error.${status}`,
      { description: REASONS[status] ?? 'Error', content: { 'application/json': { schema: refTo('schemas', 'Error') } } },
    ]),
  ),
};

/** `$` may not stand in the name of a component. */
const parameterName = (name: string): string => `query.${name.replace('$', '')}`;

function sharedParameters({ maxPageSize }: Description): Json {
  return Object.fromEntries(
    Object.entries(PARAMETERS).map(([name, { required = false, schema, description, example, repeats = false }]) => {
      const bounded = name === 'ps' ? { ...schema, maximum: maxPageSize } : schema;
      const value = repeats ? { style: 'form', explode: true, schema: { type: 'array', items: bounded } } : { schema: bounded };
      const parameter = { name, in: 'query', required, description, ...value, ...(example === undefined ? {} : { example }) };
      return [parameterName(name), parameter];
    }),
  );
}

function filtersOf({ rights }: DescribedTable): readonly Column[] {
  return (rights.read?.columns ?? []).filter((column) => isFiltered(column) && rights.read?.masked?.has(column) !== true);
}

/** One array a column, spread out: each repetition is one more condition. */
function tableParameters(described: DescribedTable): Json {
  const name = tableName(described.ref);
  return Object.fromEntries(
    filtersOf(described).map((column, index) => {
      const example = filterExample(column);
      const parameter = {
        name: columnInQuery(column.name),
        in: 'query',
        description: `Filters on ${column.name}; repeated: all of them hold.`,
        style: 'form',
        explode: true,
        schema: { type: 'array', items: refTo('schemas', filterName(column)) },
        ...(example === undefined ? {} : { example: [example] }),
      };
      return [`${name}.${index}`, parameter];
    }),
  );
}

function tablePaths({ prefix, org, project }: Description, described: DescribedTable): Json {
  const { type, database, table, rights } = described;
  const path = `/${[prefix, 'api', 'rest', 'auto', 'v1', org, project, type, database, table.name].map(encodeURIComponent).join('/')}`;
  const granted = API_OPERATIONS.filter((operation) => rights[OPERATION_ROWS[operation].right] !== undefined);
  const item = (where: 'table' | 'query' | 'row'): Json =>
    Object.fromEntries(
      granted
        .filter((operation) => OPERATION_ROWS[operation].path === where)
        .map((operation) => [OPERATION_ROWS[operation].method, tableOperation(described, operation)]),
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

function tableOperation(described: DescribedTable, operation: ApiOperation): Json {
  const { ref, type, database } = described;
  const name = tableName(ref);
  const { path, success, statuses, summary, right } = OPERATION_ROWS[operation];
  const shared = Object.entries(PARAMETERS).filter(([, { operations }]) => operations.includes(operation));
  const filters = path !== 'table' || operation === 'insert' ? [] : filtersOf(described);
  const body = bodyOf(described, operation);
  return {
    operationId: `${name}.${operation}`,
    summary: `${summary}: ${ref}`,
    tags: [`${type}/${database}`],
    parameters: [
      ...shared.map(([parameter]) => OWN_PARAMETERS[parameter]?.(described) ?? refTo('parameters', parameterName(parameter))),
      ...(path === 'row' ? [refTo('parameters', right === 'read' ? 'header.if-none-match' : 'header.if-match')] : []),
      ...filters.map((_, index) => refTo('parameters', `${name}.${index}`)),
    ],
    ...(body === undefined ? {} : { requestBody: body }),
    responses: { [success]: successOf(name, operation), ...errorResponses(statuses) },
  };
}

function successOf(name: string, operation: ApiOperation): Json {
  if (operation === 'read' || operation === 'query') return refTo('responses', name);
  return refTo('responses', operation === 'row.read' ? `${name}.row` : 'RowsAffected');
}

const CONDITIONS: Json = {
  'header.if-match': {
    name: 'If-Match',
    in: 'header',
    description: 'The ETag of the row as it was read: 412 when it is another by now.',
    schema: { type: 'string' },
  },
  'header.if-none-match': {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of the row as it was read: 304 when it is the same.',
    schema: { type: 'string' },
  },
};

/** The parameters of a read, for those that are too long for a URL. */
const QUERY_BODY: Json = {
  required: true,
  content: { 'application/x-www-form-urlencoded': { schema: { type: 'object' }, example: { pg: 0, ps: 20 } } },
};

function bodyOf(described: DescribedTable, operation: ApiOperation): Json | undefined {
  const name = tableName(described.ref);
  if (operation === 'insert') return insertBody(described);
  if (operation === 'query') return QUERY_BODY;
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

function properties(described: DescribedTable, columns: readonly Column[]): Json {
  const { masked } = described.rights.read ?? {};
  const schemaOf = (column: Column): Schema => (masked?.has(column) === true ? MASKED : columnSchema(column, useOf(described, column)));
  return Object.fromEntries(columns.map((column) => [column.name, schemaOf(column)]));
}

function tableSchemas(described: DescribedTable): Json {
  const { ref, table, keys, rights } = described;
  const name = tableName(ref);
  const insert = rights.insert?.columns;
  const update = rights.update?.columns;
  return {
    [name]: {
      type: 'object',
      title: table.name,
      ...(rights.read === undefined ? {} : { properties: properties(described, rights.read.columns) }),
      'x-table': ref,
      'x-primary-key': keyOf(table).flatMap((column) => (rights.read?.columns.includes(column) === true ? [column.name] : [])),
      'x-foreign-keys': keys.map(({ columns, references }) => ({ columns, references })),
    },
    ...(insert === undefined ? {} : { [`${name}.insert`]: insertSchema(described, insert) }),
    ...(update === undefined ? {} : { [`${name}.update`]: updateSchema(described, update) }),
  };
}

/** Columns of the key may stand there to say which row is meant. */
function updateSchema(described: DescribedTable, columns: readonly Column[]): Json {
  const all = [...new Set([...keyOf(described.table), ...columns])];
  return { type: 'object', minProperties: 1, properties: properties(described, all), additionalProperties: false };
}

function insertSchema(described: DescribedTable, columns: readonly Column[]): Json {
  const example = insertExample(described);
  return {
    type: 'object',
    properties: properties(described, columns),
    required: columns.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
    ...(example === undefined ? {} : { examples: [example] }),
  };
}

function tableResponses({ ref, rights }: DescribedTable): Json {
  const name = tableName(ref);
  if (rights.read === undefined) return {};
  return {
    [name]: {
      description: 'The rows of the page',
      headers: {
        'X-Total-Count': { description: 'With $count: how many rows match', schema: { type: 'integer' } },
        'X-Next-Cursor': { description: 'With $after: the cursor of the next page', schema: { type: 'string' } },
      },
      content: inAllFormats({ type: 'array', items: refTo('schemas', name) }),
    },
    [`${name}.row`]: {
      description: 'The row',
      headers: { ETag: { description: 'Of the values of the row', schema: { type: 'string' } } },
      content: inAllFormats(refTo('schemas', name)),
    },
  };
}
