/**
 * Reads where the rows of a block come from: a table with filters of the Auto grammar, or a Custom
 * endpoint with parameters.
 */
import { type OrderItem, parseOrder } from '../../auto/request/column-lists.ts';
import { type ExpandItem, parseExpand } from '../../auto/request/expand-syntax.ts';
import { parseFilterText, type RawFilter } from '../../auto/request/filter-syntax.ts';
import { parseGroups } from '../../auto/request/group-syntax.ts';
import { SingleParameters } from '../../auto/request/query.ts';
import { checkUri } from '../../custom/document/uri.ts';
import type { Engines } from '../../engines/registry.ts';
import { ApiError } from '../../errors.ts';
import type { TableKey } from '../../model/persona.ts';
import type { EndpointNeed, Placed, TableNeed } from './app-document.ts';
import { type DocumentContext, placed, readValue, type ValueScope } from './context.ts';
import { placeholdersIn } from './placeholders.ts';
import type { AppReader, MapTree, Tree } from './reader.ts';

/** Fields of each kind of source. */
const FIELDS = {
  table: ['filters', 'order', 'expand', 'group', 'agg', 'having'],
  endpoint: ['params', 'version'],
} as const;

export const DATA_FIELDS: readonly string[] = ['from', ...FIELDS.table, ...FIELDS.endpoint];

/** Rows of a block, without the columns that it shows. */
export type Data = TableData | EndpointData;
export type TableData = Omit<TableNeed, 'columns' | 'totals' | 'trends' | 'key'>;
export type EndpointData = EndpointNeed;

/** Larger lists than a page of the Auto API are never read. */
const MAX_ROWS = 10_000;

/** Returns the table of a reference, or `undefined` if the text is the uri of an endpoint. */
export function tableKeyOf(text: string, engines: Engines): TableKey | undefined {
  const [type = '', database = '', table = '', ...rest] = text.split('/');
  const isTable = rest.length === 0 && database !== '' && table !== '' && engines.find(type) !== undefined;
  return isTable ? { type, database, table } : undefined;
}

/** Reads a required reference to a table. */
export function readTableKey(context: DocumentContext, parent: MapTree, name: string): Placed<TableKey> | undefined {
  const { reader, engines } = context;
  const text = reader.requiredString(parent, name, (ref) =>
    tableKeyOf(ref, engines) === undefined ? 'must be a table: <db_type>/<db_name>[.schema]/<table>' : undefined,
  );
  const key = text === undefined ? undefined : tableKeyOf(text, engines);
  return key === undefined ? undefined : placed(context, parent.fields.get(name) ?? parent, key);
}

export function readUri(context: DocumentContext, parent: MapTree, name: string): Placed<string> | undefined {
  const uri = context.reader.requiredString(parent, name, checkUri);
  return uri === undefined ? undefined : placed(context, parent.fields.get(name) ?? parent, uri);
}

/**
 * Reads the source of a block. Fields that are absent are those of `base`, if it has the same kind
 * of source.
 */
export function readData(context: DocumentContext, map: MapTree, base?: MapTree): Data | undefined {
  const { reader, engines } = context;
  const from = map.fields.get('from') ?? base?.fields.get('from');
  if (from === undefined) {
    reader.missing(map, 'from');
    return undefined;
  }
  const ref = from.kind === 'scalar' && typeof from.value === 'string' ? from.value : undefined;
  if (ref === undefined) {
    if (map.fields.has('from')) reader.problem(from, 'must be a table or the uri of an endpoint');
    return undefined;
  }
  const key = tableKeyOf(ref, engines);
  const kind = key === undefined ? 'endpoint' : 'table';
  checkFields(reader, map, kind);
  const all = base === undefined ? map : { ...map, fields: new Map([...base.fields, ...map.fields]) };
  if (key !== undefined) return readTable(context, all, placed(context, from, key));
  const problem = checkUri(ref);
  if (problem !== undefined && map.fields.has('from')) reader.problem(from, `is neither a table nor the uri of an endpoint: it ${problem}`);
  return problem === undefined ? readEndpoint(context, all, placed(context, from, ref)) : undefined;
}

function checkFields(reader: AppReader, { fields }: MapTree, kind: keyof typeof FIELDS): void {
  const other = kind === 'table' ? 'endpoint' : 'table';
  for (const name of FIELDS[other]) {
    const tree = fields.get(name);
    if (tree !== undefined) reader.problem(tree, `belongs to ${other === 'table' ? 'tables' : 'endpoints'}, and from is not one`);
  }
}

function readTable(context: DocumentContext, map: MapTree, table: Placed<TableKey>): TableData {
  const grouped = (name: 'group' | 'agg', text: string) => parseGroups(single(`$${name}`, text));
  checkGroups(context.reader, map);
  return {
    of: 'table',
    table,
    filters: readFilters(context, map, 'filters', {}),
    order: readOrder(context, map),
    expand: readExpand(context, map),
    groups: parsedItems(context, map, 'group', (text) => grouped('group', text).groups).flatMap(flatten),
    aggregates: parsedItems(context, map, 'agg', (text) => grouped('agg', text).aggregates).flatMap(flatten),
    having: readFilters(context, map, 'having', {}),
  };
}

/** Groups have no related rows, and only groups have conditions of their own. */
function checkGroups(reader: AppReader, { fields }: MapTree): void {
  const isGrouped = fields.has('group') || fields.has('agg');
  const expand = fields.get('expand');
  const having = fields.get('having');
  if (isGrouped && expand !== undefined) reader.problem(expand, 'does not go with group and agg');
  if (!isGrouped && having !== undefined) reader.problem(having, 'goes with group or agg');
}

function flatten<T>({ value, ...spot }: Placed<readonly T[]>): readonly Placed<T>[] {
  return value.map((item) => ({ ...spot, value: item }));
}

function single(name: string, value: string): SingleParameters {
  const parameters = new SingleParameters();
  parameters.add({ name, value });
  return parameters;
}

/** Filters of related rows may have placeholders, like those of the rows themselves. */
export function readExpand(context: DocumentContext, map: MapTree): TableData['expand'] {
  const items = parsedItems(context, map, 'expand', (text) => parseExpand(text, MAX_ROWS));
  for (const { value, ...spot } of items) for (const filter of filtersOf(value)) checkFilter(context, { ...spot, value: filter }, {});
  return items;
}

const filtersOf = (items: readonly ExpandItem[]): readonly RawFilter[] =>
  items.flatMap(({ filters, expand }) => [...filters, ...filtersOf(expand)]);

export function readOrder(context: DocumentContext, map: MapTree): readonly Placed<readonly OrderItem[]>[] {
  return parsedItems(context, map, 'order', (text) => parseOrder(text) ?? []);
}

export function readFilters(context: DocumentContext, map: MapTree, name: string, scope: ValueScope): readonly Placed<RawFilter>[] {
  const filters = parsedItems(context, map, name, parseFilterText);
  for (const filter of filters) checkFilter(context, filter, scope);
  return filters;
}

function checkFilter({ reader, inputs }: DocumentContext, { value, ...spot }: Placed<RawFilter>, { row }: ValueScope): void {
  for (const placeholder of placeholdersIn(value)) {
    if (placeholder.of === 'row' && row === undefined) reader.malformed.push({ ...spot, message: 'uses a row, but there is no row here' });
    if (placeholder.of === 'input' && !inputs.has(placeholder.name))
      reader.malformed.push({ ...spot, message: `uses ${JSON.stringify(`?:${placeholder.name}`)}, which is not the name of an input` });
  }
}

/** Parses the items of a list with the Auto grammar. */
function parsedItems<T>(context: DocumentContext, map: MapTree, name: string, parse: (text: string) => T): readonly Placed<T>[] {
  const { reader } = context;
  return reader.items(map, name).flatMap((item) => {
    const text = reader.stringAt(item, (written) => (written === '' ? 'must not be empty' : undefined));
    if (text === undefined) return [];
    const value = parsed(reader, item, () => parse(text));
    return value === undefined ? [] : [placed(context, item, value)];
  });
}

/** Reports an error of the Auto grammar. */
export function parsed<T>(reader: AppReader, tree: Tree, parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    reader.problem(tree, `is not valid: ${error.message.replace(/[.\s]+$/, '')}`);
    return undefined;
  }
}

function readEndpoint(context: DocumentContext, map: MapTree, uri: Placed<string>): EndpointData {
  return {
    of: 'endpoint',
    uri,
    method: 'get',
    version: readVersion(context, map),
    inputs: readParameters(context, map, 'params', {}),
    fields: [],
    sendsAll: false,
  };
}

/** A version may look like a number, as in `1.10`. */
export function readVersion(context: DocumentContext, map: MapTree): Placed<string> | undefined {
  const tree = map.fields.get('version');
  if (tree === undefined) return undefined;
  if (tree.kind === 'scalar' && tree.text !== '' && typeof tree.value !== 'boolean') return placed(context, tree, tree.text);
  context.reader.problem(tree, 'must be a version, such as 1.2.0');
  return undefined;
}

/** Reads names with literals or placeholders. */
export function readParameters(context: DocumentContext, map: MapTree, name: string, scope: ValueScope): EndpointData['inputs'] {
  const tree = map.fields.get(name);
  if (tree === undefined) return [];
  if (tree.kind !== 'map') {
    context.reader.problem(tree, 'must be a mapping of names to values');
    return [];
  }
  return [...tree.fields].map(([field, value]) => placed(context, value, { name: field, literal: readValue(context, value, scope) }));
}
