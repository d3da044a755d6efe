/**
 * Generates a TypeScript file with the types of tables and endpoints from an OpenAPI document.
 * Pure.
 */
import { type ForeignKey, namesOf, quotedName, relationsOf } from '../../model/relation.ts';

interface ColumnDoc {
  readonly format?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | null)[];
  readonly description?: string;
  readonly 'x-type'?: string;
  /** Absent if the persona of the caller replaces the values. */
  readonly 'x-kind'?: string;
  readonly 'x-sortable'?: boolean;
  readonly items?: ColumnDoc;
  readonly properties?: Readonly<Record<string, ColumnDoc>>;
  readonly required?: readonly string[];
}

interface SchemaDoc {
  readonly properties?: Readonly<Record<string, ColumnDoc>>;
  /** Has the column `$ref`, which tools would resolve as a property. */
  readonly patternProperties?: Readonly<Record<string, ColumnDoc>>;
  readonly required?: readonly string[];
  readonly 'x-table'?: string;
  readonly 'x-primary-key'?: readonly string[];
  readonly 'x-foreign-keys'?: readonly Pick<ForeignKey, 'columns' | 'references'>[];
  readonly 'x-unique-keys'?: readonly (readonly string[])[];
}

interface ParameterDoc {
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: ColumnDoc;
}

interface OperationDoc {
  readonly operationId?: string;
  readonly summary?: string;
  readonly deprecated?: boolean;
  readonly parameters?: readonly ParameterDoc[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: ColumnDoc }>> };
  readonly responses?: Readonly<Record<string, { readonly content?: Readonly<Record<string, { readonly schema: ResultDoc }>> }>>;
}

interface ResultDoc {
  readonly $ref?: string;
  readonly type?: string;
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationDoc>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, SchemaDoc>> };
  readonly info: { readonly title: string };
}

interface KindTypes {
  /** Type of the value in a row. */
  readonly row: string;
  /** Type of the value in a request. */
  readonly given: string;
  readonly filter: string;
}

const same = (type: string, filter = `ValueFilter<${type}>`): KindTypes => ({ row: type, given: type, filter });

const KINDS: Readonly<Record<string, KindTypes>> = {
  int: { row: 'ReadInteger<Exact>', given: 'number | bigint | string', filter: 'ValueFilter<number | bigint | string>' },
  decimal: { row: 'ReadDecimal<Exact>', given: 'number | string', filter: 'ValueFilter<number | bigint | string>' },
  float: { row: 'number', given: 'number | string', filter: 'ValueFilter<number | string>' },
  bool: same('boolean'),
  text: same('string', 'TextFilter'),
  set: same('string', 'TextFilter'),
  timestamptz: { row: 'string', given: 'string | Date', filter: 'ValueFilter<string | Date>' },
  json: same('unknown', 'NullFilter'),
};
const PLAIN = same('string');

/** Kinds by what aggregates and groups accept. Other kinds are like text. */
const GROUPED_KINDS: ReadonlyMap<string, string> = new Map([
  ...['int', 'decimal', 'float', 'date', 'timestamp', 'bool', 'bytes', 'json'].map((kind) => [kind, kind] as const),
  ['timestamptz', 'timestamp'],
]);

/** `pg/shop` of `pg/shop/orders`. The name of a table may contain slashes. */
const databaseOf = (ref: string): string => ref.split('/', 2).join('/');

const name = (text: string): string => (/^[A-Za-z_$][\w$]*$/.test(text) ? text : JSON.stringify(text));
/** Text that can neither end a comment nor be a tag or a directive of the compiler in it. */
const commentText = (text: string): string => text.replace(/\s+/g, ' ').replaceAll('*/', '*\\/').replaceAll('@', '\\@').trim();
const comment = (text: string, tags = ''): string => `/** ${[commentText(text), tags].filter((part) => part !== '').join(' ')} */`;
/** A name in quotes where the grammar needs them. */
const grammarName = (text: string, needsQuotes: RegExp): string => (needsQuotes.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : text);

function kindOf(column: ColumnDoc): KindTypes {
  const { enum: values } = column;
  if (values !== undefined) {
    const union = values.flatMap((value) => (value === null ? [] : [JSON.stringify(value)])).join(' | ') || 'string';
    return { row: union, given: union, filter: `TextFilter<${union}>` };
  }
  // Integers that a double holds exactly are plain numbers.
  if (column['x-kind'] === 'int' && 'maximum' in column) return { row: 'number', given: 'number', filter: 'ValueFilter<number>' };
  return KINDS[column['x-kind'] ?? ''] ?? PLAIN;
}

const isNullable = ({ type }: ColumnDoc): boolean => Array.isArray(type) && type.includes('null');

function columnsOf(schema: SchemaDoc | undefined): readonly (readonly [string, ColumnDoc])[] {
  const odd = Object.values(schema?.patternProperties ?? {}).map((doc) => ['$ref', doc] as const);
  return [...Object.entries(schema?.properties ?? {}), ...odd];
}

function members(
  schema: SchemaDoc | undefined,
  typeOf: (column: ColumnDoc) => string,
  isOptional: (column: string) => boolean,
  docs: 'with docs' | 'bare',
): string[] {
  return columnsOf(schema).flatMap(([column, doc]) => [
    ...(docs === 'with docs' ? [comment(doc['x-type'] ?? doc.description ?? '')] : []),
    `${name(column)}${isOptional(column) ? '?' : ''}: ${typeOf(doc)};`,
  ]);
}

/** Columns in filters. The values of masked columns cannot be compared. */
function filters(schema: SchemaDoc | undefined): string[] {
  return columnsOf(schema).flatMap(([column, doc]) =>
    doc['x-kind'] === undefined ? [] : [`${name(grammarName(column, /^\$/))}?: ${kindOf(doc).filter};`],
  );
}

function kinds(schema: SchemaDoc | undefined): string[] {
  return columnsOf(schema).flatMap(([column, doc]) => {
    if (doc['x-kind'] === undefined) return [];
    const kind = doc['x-sortable'] === false ? 'json' : (GROUPED_KINDS.get(doc['x-kind']) ?? 'text');
    return [`${name(grammarName(column, /^\$|[."]/))}: '${kind}';`];
  });
}

const block = (lines: readonly string[], indent: string): string =>
  lines.length === 0 ? '{}' : `{\n${lines.map((line) => `${indent}  ${line}\n`).join('')}${indent}}`;

function tableType(ref: string, schemaName: string, document: ApiDocument, refs: ReadonlyMap<string, SchemaDoc>): string {
  const { schemas } = document.components;
  const row = schemas[schemaName];
  const insert = schemas[`${schemaName}.insert`];
  const update = schemas[`${schemaName}.update`];
  const withNull = (type: string, column: ColumnDoc): string => (isNullable(column) && type !== 'unknown' ? `${type} | null` : type);
  const given = (column: ColumnDoc): string => withNull(kindOf(column).given, column);
  const key = (row?.['x-primary-key'] ?? []).map((column) => kindOf(row?.properties?.[column] ?? {}).given);
  return block(
    [
      `row: ${block(
        members(
          row,
          (column) => withNull(kindOf(column).row, column),
          () => false,
          'with docs',
        ),
        '    ',
      )};`,
      `insert: ${block(
        members(insert, given, (column) => insert?.required?.includes(column) !== true, 'bare'),
        '    ',
      )};`,
      `update: ${block(
        members(update, given, () => true, 'bare'),
        '    ',
      )};`,
      `where: ${block(filters(row), '    ')};`,
      `key: ${key.length === 0 ? 'never' : key.length === 1 ? key[0] : `readonly [${key.join(', ')}]`};`,
      `kinds: ${block(kinds(row), '    ')};`,
      `relations: ${block(relations(ref, refs), '    ')};`,
      'exact: Exact;',
    ],
    '  ',
  );
}

/**
 * Related rows by their shortest unambiguous name: `customer`, or with a hint `customer!sender_id`.
 */
function relations(ref: string, refs: ReadonlyMap<string, SchemaDoc>): string[] {
  const database = databaseOf(ref);
  const tableOf = (other: string): string => other.slice(database.length + 1);
  const keys = [...refs].flatMap(([from, schema]): ForeignKey[] => {
    if (databaseOf(from) !== database) return [];
    const unique = [schema['x-primary-key'] ?? [], ...(schema['x-unique-keys'] ?? [])].filter(({ length }) => length > 0);
    return (schema['x-foreign-keys'] ?? []).map(({ columns, references }) => ({
      table: tableOf(from),
      columns,
      references,
      unique: unique.some((names) => names.every((column) => columns.includes(column))),
    }));
  });
  const found = relationsOf(tableOf(ref), keys);
  return namesOf(found).flatMap((item, index) => {
    const { table, kind } = found[index] ?? { table: '', kind: 'one' };
    const target = `${database}/${table}`;
    // The runtime adds quotes, unless the name is ambiguous without them.
    const shown = item === quotedName(table) && !/[:!"]/.test(table) ? table : item;
    return refs.has(target) ? [`${name(shown)}: { table: Tables<Exact>[${JSON.stringify(target)}]; kind: '${kind}' };`] : [];
  });
}

const INPUTS: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number | bigint',
  number: 'number | string',
  boolean: 'boolean',
  null: 'null',
};

/** Type of a declared input. */
function inputType(schema: ColumnDoc): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length === 0) return 'unknown';
  return types
    .map((type) => {
      if (type === 'array') return `readonly (${inputType(schema.items ?? {})})[]`;
      if (type === 'object') return objectType(schema);
      if (schema.format === 'binary') return 'Blob';
      return INPUTS[type as string] ?? 'unknown';
    })
    .join(' | ');
}

function objectType({ properties, required = [] }: ColumnDoc): string {
  if (properties === undefined) return '{ [name: string]: unknown }';
  const fields = Object.entries(properties).flatMap(([field, schema]) => inputField(field, schema, required.includes(field)));
  return fields.length === 0 ? '{}' : `{ ${fields.join(' ')} }`;
}

/** A documented field of an input. */
function inputField(field: string, schema: ColumnDoc, isRequired: boolean, description = schema.description): string[] {
  return [...(description === undefined ? [] : [comment(description)]), `${name(field)}${isRequired ? '' : '?'}: ${inputType(schema)};`];
}

function callType({ parameters = [], requestBody }: OperationDoc): string {
  const body = Object.values(requestBody?.content ?? {})[0]?.schema;
  const own = parameters.filter(
    (parameter) => parameter.name !== undefined && parameter.name !== 'version' && (parameter.in === 'query' || parameter.in === 'path'),
  );
  const isOpen =
    own.some(({ name: parameter, schema }) => parameter === 'input' && schema?.type === 'object') ||
    (body !== undefined && body.properties === undefined);
  if (isOpen) return '{ [name: string]: unknown }';
  const outside = own.flatMap(({ name: parameter = '', required, schema = {}, description }) =>
    inputField(parameter, schema, required === true, description ?? schema.description),
  );
  const inside = Object.entries(body?.properties ?? {}).flatMap(([field, schema]) =>
    inputField(field, schema, body?.required?.includes(field) === true),
  );
  return block([...outside, ...inside], '    ');
}

/** Type of the successful response of a call. */
function outputType({ responses = {} }: OperationDoc): string {
  const success = Object.entries(responses).find(([status]) => /^2/.test(status))?.[1];
  if (success === undefined) return 'unknown';
  if (success.content === undefined) return 'undefined';
  const schema = success.content['application/json']?.schema;
  if (schema === undefined) return 'Uint8Array | string';
  if (schema.$ref?.endsWith('/RowsAffected') === true) return '{ rows_affected: number }';
  return schema.type === 'array' ? '{ [column: string]: unknown }[]' : 'unknown';
}

const BODY_KINDS: Readonly<Record<string, string>> = {
  'application/x-www-form-urlencoded': 'form',
  'multipart/form-data': 'multipart',
};

const bodyKind = ({ requestBody }: OperationDoc): string => BODY_KINDS[Object.keys(requestBody?.content ?? {})[0] ?? ''] ?? 'json';

export interface GeneratedFacts {
  readonly prefix: string;
  readonly org: string;
  readonly project: string;
}

export function writeClientTypes(document: ApiDocument, { prefix, org, project }: GeneratedFacts): string {
  const tables = Object.entries(document.components.schemas).flatMap(([key, schema]): [string, string, SchemaDoc][] =>
    schema['x-table'] === undefined ? [] : [[schema['x-table'], key, schema]],
  );
  tables.sort(([a], [b]) => (a < b ? -1 : 1));
  const refs = new Map(tables.map(([ref, , schema]) => [ref, schema]));
  const ofKind = (kind: string): string[] =>
    tables.flatMap(([ref, , schema]) => {
      const columns = columnsOf(schema).flatMap(([column, doc]) => (doc['x-kind'] === kind ? [column] : []));
      return columns.length === 0 ? [] : [`${JSON.stringify(ref)}: ${JSON.stringify(columns)},`];
    });
  const start = `/${org}/${project}/`;
  const calls = Object.entries(document.paths).flatMap(([path, item]): [string, [string, OperationDoc][]][] => {
    const found = Object.entries(item).filter(([, operation]) => operation.operationId?.startsWith('call.') === true);
    return found.length === 0 ? [] : [[JSON.stringify(path.slice(start.length)), found]];
  });
  const endpoints = calls.map(([uri, methods]) => {
    const lines = methods.map(([method, operation]) => {
      const docs = comment(operation.summary ?? '', operation.deprecated === true ? '@deprecated' : '');
      return `${docs}\n    ${method}: { input: ${callType(operation)}; output: ${outputType(operation)} };`;
    });
    return `  ${uri}: {\n    ${lines.join('\n    ')}\n  };\n`;
  });
  const kinds = calls.map(
    ([uri, methods]) => `${uri}: { ${methods.map(([method, operation]) => `${method}: '${bodyKind(operation)}'`).join(', ')} },`,
  );
  const facts = Object.entries({ floats: ofKind('float'), decimals: ofKind('decimal'), calls: kinds })
    .map(([fact, lines]) => `    ${fact}: ${block(lines, '    ')},\n`)
    .join('');
  return `// Written by \`millrace client generate\`. Do not edit: generate it anew when tables or endpoints change.
import {
  type ClientOptions,
  createClient as create,
  type MillraceClient,
  type NullFilter,
  type ReadDecimal,
  type ReadInteger,
  type TextFilter,
  type ValueFilter,
} from 'millrace/client';

export { MillraceError } from 'millrace/client';

/** Tables by name. \`Exact\` is the option of the client. */
export interface Tables<Exact extends boolean = false> {
${tables.map(([ref, key]) => `  ${JSON.stringify(ref)}: ${tableType(ref, key, document, refs)};\n`).join('')}}

/** Custom endpoints by uri and method. */
export ${'interface'} Endpoints {
${endpoints.join('')}}

/** References what this file imports, so that no import is unused. */
export type Imported = NullFilter | TextFilter | ValueFilter<number> | ReadDecimal | ReadInteger;

export function createClient<Exact extends boolean = false>(options: ClientOptions<Exact>): MillraceClient<Tables<Exact>, Endpoints> {
  return create<Tables<Exact>, Endpoints>(options, {
    prefix: ${JSON.stringify(prefix)},
    org: ${JSON.stringify(org)},
    project: ${JSON.stringify(project)},
${facts}  });
}
`;
}
