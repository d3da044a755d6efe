/**
 * The paths of a table in an OpenAPI document, with the parameters, bodies and responses of each
 * operation. Pure.
 */
import { type ApiOperation, FILTERED, PARAMETERS } from '../../auto/request/parameters.ts';
import { BoundedMap } from '../../util/bounded-map.ts';
import type { Description } from '../description.ts';
import { operationName } from '../names.ts';
import { API_OPERATIONS, OPERATION_ROWS, statusesOf } from '../operations.ts';
import { type Json, type Members, SHARED, Shared } from './notation.ts';
import { changeExample, insertExample } from './openapi-examples.ts';
import { ownParameters } from './openapi-own-parameters.ts';
import { errorResponses, parameterName, refTo } from './openapi-parts.ts';
import { takesRows } from './openapi-schemas.ts';
import type { DocumentedTable } from './openapi-tables.ts';

export function tablePaths({ prefix, org, project }: Description, documented: DocumentedTable): Members {
  const { type, database, table, rights } = documented;
  const path = `/${[prefix, 'api', 'rest', 'auto', 'v1', org, project, type, database, table.name].map(encodeURIComponent).join('/')}`;
  const filters = documented.filters.map(({ parameter }) => refTo('parameters', parameter));
  const filterList = filters.length === 0 ? [] : [new Shared(filters)];
  const operationsOn = (where: 'table' | 'query' | 'row'): Json =>
    Object.fromEntries(
      API_OPERATIONS.filter((operation) => OPERATION_ROWS[operation].path === where)
        .filter((operation) => rights[OPERATION_ROWS[operation].right] !== undefined)
        .map((operation) => [OPERATION_ROWS[operation].method, tableOperation(documented, operation, filterList)]),
    );
  const paths: [path: string, item: Json][] = [[path, operationsOn('table')]];
  if (rights.read !== undefined) paths.push([`${path}/query`, operationsOn('query')]);
  if (documented.isAddressable)
    paths.push([`${path}/{key}`, { parameters: [refTo('parameters', `${documented.name}.key`)], ...operationsOn('row') }]);
  return paths;
}

function tableOperation(documented: DocumentedTable, operation: ApiOperation, filters: readonly Shared[]): Json {
  const { ref, type, database, name } = documented;
  const { path, summary, right, success } = OPERATION_ROWS[operation];
  return {
    summary: `${summary}: ${ref}`,
    tags: [`${type}/${database}`],
    parameters: [
      // A query in the body takes no parameters in the URL.
      ...(path === 'query' ? [] : ownAndSharedParameters(documented, operation)),
      ...(path === 'row' ? [right === 'read' ? IF_NONE_MATCH : IF_MATCH] : []),
      ...(path === 'table' && FILTERED.includes(operation) ? filters : []),
    ],
    requestBody: requestBody(documented, operation),
    operationId: operationName(`${name}.${operation}`),
    responses: { [success]: successResponse(name, operation), [SHARED]: OTHER_RESPONSES[operation] },
  };
}

const IF_MATCH = new Shared([refTo('parameters', 'header.if-match')]);
const IF_NONE_MATCH = new Shared([refTo('parameters', 'header.if-none-match')]);

function byOperation<T>(make: (operation: ApiOperation) => T): Readonly<Record<ApiOperation, T>> {
  return Object.fromEntries(API_OPERATIONS.map((operation) => [operation, make(operation)])) as Record<ApiOperation, T>;
}

const OTHER_RESPONSES = byOperation(
  (operation) =>
    new Shared({
      ...(operation === 'row.read' ? { 304: refTo('responses', 'NotModified') } : {}),
      ...errorResponses(statusesOf(operation)),
    }),
);

function successResponse(name: string, operation: ApiOperation): Json {
  if (operation === 'read' || operation === 'query') return refTo('responses', name);
  return refTo('responses', operation === 'row.read' ? `${name}.row` : `${name}.written`);
}

const SHARED_NAMES = byOperation((operation) =>
  Object.entries(PARAMETERS).flatMap(([name, { operations }]) => (operations.includes(operation) ? [name] : [])),
);

/** References to the shared parameters of an operation, without some of them. */
const sharedParameters = new BoundedMap<string, Shared>(100);

function sharedParametersWithout(hidden: readonly string[], operation: ApiOperation): Shared {
  const key = `${operation} ${hidden.join()}`;
  const known = sharedParameters.get(key);
  if (known !== undefined) return known;
  const names = SHARED_NAMES[operation].filter((name) => !hidden.includes(name));
  const refs = new Shared(names.map((name) => refTo('parameters', parameterName(name))));
  sharedParameters.set(key, refs);
  return refs;
}

/**
 * All parameters except filters on columns. The table's own ones, and a column `version`, hide
 * shared ones.
 */
function ownAndSharedParameters(documented: DocumentedTable, operation: ApiOperation): readonly (Json | Shared)[] {
  const own = ownParameters(documented).filter(({ replaces }) => replaces !== undefined && SHARED_NAMES[operation].includes(replaces));
  const hidden = own.flatMap(({ replaces = '' }) => replaces);
  if (documented.table.byName.has('version')) hidden.push('version');
  return [sharedParametersWithout(hidden, operation), ...own.map(({ name }) => refTo('parameters', name))];
}

function requestBody(documented: DocumentedTable, operation: ApiOperation): Json | undefined {
  const { name } = documented;
  const changes = refTo('schemas', `${name}.update`);
  switch (operation) {
    case 'query':
      return {
        required: true,
        content: { 'application/x-www-form-urlencoded': { schema: refTo('schemas', `${name}.query`), example: { pg: 0, ps: 20 } } },
      };
    case 'insert': {
      const example = insertExample(documented);
      return jsonBody({ type: 'array', minItems: 1, items: refTo('schemas', `${name}.insert`) }, example && [example]);
    }
    case 'patch': {
      const rows = {
        type: 'array',
        minItems: 1,
        items: refTo('schemas', `${name}.changed`),
        description: 'Rows with their whole keys, without filters.',
      };
      return jsonBody(takesRows(documented) ? { oneOf: [changes, rows] } : changes, changedColumns(documented));
    }
    case 'row.patch':
      return jsonBody(changes, changedColumns(documented));
    default:
      return undefined;
  }
}

function jsonBody(schema: Json, example: unknown): Json {
  return { required: true, content: { 'application/json': { schema, example } } };
}

function changedColumns(documented: DocumentedTable): Json | undefined {
  const change = changeExample(documented);
  return change && { [change[0]]: change[1] };
}
