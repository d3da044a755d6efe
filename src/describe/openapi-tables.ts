/**
 * Tables in an OpenAPI document: their paths, the parameters and bodies of each operation, and the schemas of their rows. Knows nothing of how the pieces
 * are put together.
 */
import { type ApiOperation, FILTERED, PARAMETERS } from '../auto/request/parameters.ts';
import type { Column } from '../model/table.ts';
import { type ColumnUse, columnExample, columnSchema, filterExample, filterName, isFiltered } from './column-schema.ts';
import { type DescribedTable, type Description, keyOf } from './description.ts';
import { Joined, type Json, Member, NAME, type Named, Pattern, Shared } from './document-writer.ts';
import { columnInQuery, tableName } from './names.ts';
import { errorResponses, inAllFormats, parameterName, refTo } from './openapi-parts.ts';
import { API_OPERATIONS, OPERATION_ROWS, statusesOf } from './operations.ts';

/** A filter on a column. */
interface FilterPart {
  /** As a parameter: a reference to it. */
  readonly reference: Shared;
  /** As a member of a form. */
  readonly field: Shared;
}

/** What a document says of columns. Most are like many others: of those it is said once. */
export class ColumnParts {
  readonly #properties: Readonly<Record<ColumnUse, Map<Column, Shared>>> = { own: new Map(), reference: new Map() };
  readonly #filters = new Map<Column, FilterPart>();
  readonly #filtersByFacts = new Map<string, FilterPart>();
  readonly #counts = new Map<string, number>();
  readonly #components: Record<string, Json> = {};

  /** A column as a member of a row. */
  property(column: Column, use: ColumnUse): Shared {
    const known = this.#properties[use].get(column);
    if (known !== undefined) return known;
    const property = new Shared({ [column.name]: columnSchema(column, use) });
    this.#properties[use].set(column, property);
    return property;
  }

  /** Only of columns that the caller may filter: the document has a parameter for each that was asked for. */
  filter(column: Column): FilterPart {
    const known = this.#filters.get(column);
    if (known !== undefined) return known;
    const schema = filterName(column);
    const example = filterExample(column);
    const facts = `${column.name}\0${schema}\0${example}`;
    const part = this.#filtersByFacts.get(facts) ?? {
      reference: new Shared(refTo('parameters', this.#component(column, schema, example))),
      field: new Shared({ [columnInQuery(column.name)]: { type: 'array', items: refTo('schemas', schema) } }),
    };
    this.#filters.set(column, part);
    this.#filtersByFacts.set(facts, part);
    return part;
  }

  /** The parameters that filters refer to. */
  components(): Json {
    return this.#components;
  }

  /**
   * The name of the parameter: one array, spread out; each repetition is one more condition. Columns of the same name and kind share one, whatever their
   * tables are.
   */
  #component(column: Column, schema: string, example: string | undefined): string {
    const plain = `${tableName(column.name)}.${schema}`;
    const count = (this.#counts.get(plain) ?? 0) + 1;
    this.#counts.set(plain, count);
    const name = count === 1 ? plain : `${plain}.${count}`;
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
}

/** A table, and what several parts of the document say of it. */
export interface DocumentedTable extends DescribedTable {
  /** In names of components and operations. */
  readonly name: string;
  readonly properties: ReadonlyMap<Column, Shared>;
  readonly filters: readonly FilterPart[];
  /** A column to change and a value that it takes, where one is known. */
  readonly change: Change | undefined;
  /** A row to insert, where one is known. */
  readonly example: Json | undefined;
}

type Change = readonly [name: string, value: unknown];

export function documented(described: DescribedTable, columns: ColumnParts): DocumentedTable {
  const { ref, table, rights } = described;
  const { masked } = rights.read ?? {};
  const properties = new Map(table.columns.map((column) => [column, columns.property(column, useOf(described, column))]));
  const filters = (rights.read?.columns ?? [])
    .filter((column) => isFiltered(column) && masked?.has(column) !== true)
    .map((column) => columns.filter(column));
  return { ...described, name: tableName(ref), properties, filters, change: changeExample(described), example: insertExample(described) };
}

export function tablePaths({ prefix, org, project }: Description, documented: DocumentedTable): Joined {
  const { type, database, table, rights } = documented;
  const path = `/${[prefix, 'api', 'rest', 'auto', 'v1', org, project, type, database, table.name].map(encodeURIComponent).join('/')}`;
  const filters = new Shared(documented.filters.map(({ reference }) => reference));
  const granted = API_OPERATIONS.filter((operation) => rights[OPERATION_ROWS[operation].right] !== undefined);
  const operationsOn = (where: 'table' | 'query' | 'row'): readonly Member[] =>
    granted
      .filter((operation) => OPERATION_ROWS[operation].path === where)
      .map((operation) => new Member(OPERATION_ROWS[operation].method, tableOperation(documented, operation, filters)));
  const hasRows = keyOf(table).length > 0 && keyOf(table).every((column) => rights.read?.columns.includes(column) === true);
  const paths = [new Member(path, new Joined(operationsOn('table')))];
  if (rights.read !== undefined) paths.push(new Member(`${path}/query`, new Joined(operationsOn('query'))));
  if (hasRows) paths.push(new Member(`${path}/{key}`, new Joined([{ parameters: [keyParameter(documented)] }, ...operationsOn('row')])));
  return new Joined(paths);
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

function tableOperation(documented: DocumentedTable, operation: ApiOperation, filters: Shared): Joined {
  const { ref, type, database, name } = documented;
  const { path, summary, right } = OPERATION_ROWS[operation];
  const body = bodyOf(documented, operation);
  const own = {
    summary: `${summary}: ${ref}`,
    tags: [`${type}/${database}`],
    parameters: [
      // A query in a body leaves nothing for the URL.
      ...(path === 'query' ? [] : ownAndShared(documented, operation)),
      ...(path === 'row' ? [right === 'read' ? IF_NONE_MATCH : IF_MATCH] : []),
      ...(path === 'table' && FILTERED.includes(operation) ? [filters] : []),
    ],
    requestBody: body,
  };
  return new Joined([own, OPERATION_PATTERNS[operation].named(name)]);
}

const IF_MATCH = new Shared(refTo('parameters', 'header.if-match'));
const IF_NONE_MATCH = new Shared(refTo('parameters', 'header.if-none-match'));

const byOperation = <T>(make: (operation: ApiOperation) => T): Readonly<Record<ApiOperation, T>> =>
  Object.fromEntries(API_OPERATIONS.map((operation) => [operation, make(operation)])) as Record<ApiOperation, T>;

/** What operations of all tables have in common. */
const OPERATION_PATTERNS = byOperation(
  (operation) =>
    new Pattern({
      operationId: `${NAME}.${operation}`,
      responses: {
        [OPERATION_ROWS[operation].success]: successOf(NAME, operation),
        ...(operation === 'row.read' ? { 304: refTo('responses', 'NotModified') } : {}),
        ...errorResponses(statusesOf(operation)),
      },
    }),
);
const SHARED_NAMES = byOperation((operation) =>
  Object.entries(PARAMETERS).flatMap(([name, { operations }]) => (operations.includes(operation) ? [name] : [])),
);

/** References to the parameters of an operation, by the operation and the names that are left out. */
const sharedRefs = new Map<string, Shared>();

function refsOf(operation: ApiOperation, without: readonly unknown[]): Shared {
  const key = `${operation} ${without.join()}`;
  const names = (): readonly string[] => SHARED_NAMES[operation].filter((name) => !without.includes(name));
  const refs = sharedRefs.get(key) ?? new Shared(names().map((name) => refTo('parameters', parameterName(name))));
  sharedRefs.set(key, refs);
  return refs;
}

/** The parameters that an operation takes besides filters on columns: those that all tables share, and those that say something else for this one. */
function ownAndShared(documented: DocumentedTable, operation: ApiOperation): readonly (Shared | Json)[] {
  const own = Object.entries(OWN_PARAMETERS).flatMap(([name, make]): Json[] => {
    const parameter = SHARED_NAMES[operation].includes(name) ? make(documented) : undefined;
    return parameter === undefined ? [] : [parameter];
  });
  const isColumn = documented.table.byName.has('version') ? ['version'] : [];
  return [refsOf(operation, [...own.map((parameter) => parameter['name']), ...isColumn]), ...own];
}

function successOf(name: string, operation: ApiOperation): Json {
  if (operation === 'read' || operation === 'query') return refTo('responses', name);
  return refTo('responses', operation === 'row.read' ? `${name}.row` : `${name}.written`);
}

/** The parameters of a read as a form, for queries that are too long for a URL. */
const QUERY_BODY = new Pattern({
  required: true,
  content: { 'application/x-www-form-urlencoded': { schema: refTo('schemas', `${NAME}.query`), example: { pg: 0, ps: 20 } } },
});

function querySchema({ filters }: DocumentedTable): Json {
  return {
    type: 'object',
    allOf: [refTo('schemas', 'Query')],
    properties: new Joined(filters.map(({ field }) => field)),
    unevaluatedProperties: false,
  };
}

const CHANGES = refTo('schemas', `${NAME}.update`);
const CHANGED_ROWS = { type: 'array', minItems: 1, items: CHANGES, description: 'Rows with their whole keys, without filters.' };
/** The schemas of bodies. */
const BODIES: Partial<Readonly<Record<ApiOperation, Pattern>>> = {
  insert: new Pattern({ schema: { type: 'array', minItems: 1, items: refTo('schemas', `${NAME}.insert`) } }),
  patch: new Pattern({ schema: { oneOf: [CHANGES, CHANGED_ROWS] } }),
  'row.patch': new Pattern({ schema: CHANGES }),
};

function bodyOf({ name, change, example }: DocumentedTable, operation: ApiOperation): Json | Named | undefined {
  if (operation === 'query') return QUERY_BODY.named(name);
  const schema = BODIES[operation]?.named(name);
  if (schema === undefined) return undefined;
  const changed = change === undefined ? undefined : { [change[0]]: change[1] };
  const shown = operation === 'insert' ? example && [example] : changed;
  return { required: true, content: { 'application/json': new Joined([schema, { example: shown }]) } };
}

/** A column to change, and a value that it takes: rather one that is no part of a key. */
function changeExample(described: DescribedTable): Change | undefined {
  const columns = described.rights.update?.columns ?? [];
  const isKnown = (column: Column): boolean => !['object', 'undefined'].includes(typeof columnExample(column));
  const isFree = (column: Column): boolean => !column.primaryKey && isKnown(column);
  const column =
    columns.find((candidate) => isFree(candidate) && useOf(described, candidate) === 'own') ??
    columns.find(isFree) ??
    columns.find(isKnown);
  return column === undefined ? undefined : [column.name, columnExample(column, useOf(described, column))];
}

/** Parameters that say something else for each table. */
const OWN_PARAMETERS: Readonly<Record<string, (documented: DocumentedTable) => Json | undefined>> = {
  set: setParameter,
  ps: ({ rights: { read } }) => {
    if (read?.maxPageSize === undefined) return undefined;
    const schema = { ...PARAMETERS['ps']?.schema, maximum: read.maxPageSize };
    return { name: 'ps', in: 'query', required: true, description: PARAMETERS['ps']?.description, example: 1, schema };
  },
};

/** Its example depends on the table. */
function setParameter({ change }: DocumentedTable): Json {
  const { schema, description } = PARAMETERS['set'] ?? { schema: {}, description: '' };
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

/** A row with what is required, and a key; undefined when there is a column of which no value is known. */
function insertExample(described: DescribedTable): Json | undefined {
  const { table, rights } = described;
  const given = rights.insert?.columns ?? [];
  const needed = given.filter((column) => column.required || (keyOf(table).includes(column) && column.default === null));
  const shown = needed.length > 0 ? needed : given.slice(0, 1);
  const values = shown.map((column): [string, unknown] => [column.name, columnExample(column, useOf(described, column))]);
  return values.length === 0 || values.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(values);
}

const MASKED = new Shared({ type: ['string', 'null'], description: 'Not shown to you', readOnly: true });

function useOf({ keys }: DescribedTable, { name }: Column): ColumnUse {
  return keys.some(({ columns }) => columns.includes(name)) ? 'reference' : 'own';
}

function propertiesOf({ rights, properties }: DocumentedTable, columns: readonly Column[]): Joined {
  const { masked } = rights.read ?? {};
  const property = (column: Column): Json | Shared =>
    masked?.has(column) === true ? { [column.name]: MASKED } : (properties.get(column) ?? {});
  return new Joined(columns.map(property));
}

export function tableSchemas(documented: DocumentedTable): Joined {
  const { ref, name, table, keys, rights } = documented;
  const insert = rights.insert?.columns;
  const update = rights.update?.columns;
  const schemas = [
    new Member(name, {
      type: 'object',
      title: table.name,
      ...(rights.read === undefined ? {} : { properties: propertiesOf(documented, rights.read.columns) }),
      'x-table': ref,
      'x-primary-key': keyOf(table).flatMap((column) => (rights.read?.columns.includes(column) === true ? [column.name] : [])),
      'x-unique-keys': table.unique
        .filter((key) => key.length > 0 && key.every((column) => rights.read?.columns.includes(column) === true))
        .map((key) => key.map((column) => column.name)),
      'x-foreign-keys': keys.map(({ columns, references }) => ({ columns, references })),
    }),
  ];
  if (rights.read !== undefined) schemas.push(new Member(`${name}.query`, querySchema(documented)));
  if (insert !== undefined) schemas.push(new Member(`${name}.insert`, insertSchema(documented, insert)));
  if (update !== undefined) schemas.push(new Member(`${name}.update`, updateSchema(documented, update)));
  return new Joined(schemas);
}

/** Columns of the key may stand there to say which row is meant. */
function updateSchema(documented: DocumentedTable, columns: readonly Column[]): Json {
  const all = [...new Set([...keyOf(documented.table), ...columns])];
  return { type: 'object', minProperties: 1, properties: propertiesOf(documented, all), additionalProperties: false };
}

function insertSchema(documented: DocumentedTable, columns: readonly Column[]): Json {
  const { example } = documented;
  return {
    type: 'object',
    properties: propertiesOf(documented, columns),
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

const ROW = refTo('schemas', NAME);
const ROWS = { type: 'array', items: ROW };
const READ_RESPONSES = new Pattern({
  [NAME]: { description: 'The rows of the page', headers: PAGE_HEADERS, content: inAllFormats(ROWS) },
  [`${NAME}.row`]: { description: 'The row', headers: ROW_HEADERS, content: inAllFormats(ROW) },
});
const WRITE_RESPONSES = new Pattern({
  [`${NAME}.written`]: {
    description: 'How many rows it was; with $return=rows the rows themselves',
    headers: WRITTEN_HEADERS,
    content: inAllFormats({ anyOf: [refTo('schemas', 'RowsAffected'), ROWS] }),
  },
});

export function tableResponses({ name, rights }: DocumentedTable): Joined {
  const isWritten = rights.insert !== undefined || rights.update !== undefined || rights.delete !== undefined;
  return new Joined([
    ...(rights.read === undefined ? [] : [READ_RESPONSES.named(name)]),
    ...(isWritten ? [WRITE_RESPONSES.named(name)] : []),
  ]);
}
