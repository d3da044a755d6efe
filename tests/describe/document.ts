// Reads an OpenAPI document as clients do: resolves references, builds requests, validates
// responses. Undocumented statuses, media types and members are failures.
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Response } from '../support/service.ts';

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly example?: unknown;
  readonly explode?: boolean;
  readonly schema: SchemaDoc;
}

export interface SchemaDoc {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, SchemaDoc>>;
  readonly required?: readonly string[];
  readonly items?: SchemaDoc;
  readonly minimum?: number;
  readonly format?: string;
}

export interface Operation {
  readonly operationId: string;
  readonly parameters: readonly (Parameter & { readonly $ref?: string })[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: SchemaDoc; readonly example?: unknown }> };
  readonly responses: Record<string, { readonly $ref?: string; readonly content?: Record<string, { readonly schema: object }> }>;
}

export interface OpenApi {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: {
    readonly schemas: Record<string, Record<string, unknown>>;
    readonly parameters: Record<string, Parameter>;
    readonly responses: Record<string, Operation['responses'][string]>;
  };
  readonly 'x-unreachable': readonly string[];
}

export const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

export function resolve<T>(document: OpenApi, value: object): T {
  const { $ref } = value as { $ref?: string };
  if ($ref === undefined) return value as T;
  return $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document) as T;
}

/** Returns the parameters of an operation and of its path. */
export function parametersOf(document: OpenApi, path: string, method: string): readonly Parameter[] {
  const item = document.paths[path] ?? {};
  const shared = (item['parameters'] ?? []) as unknown as readonly Parameter[];
  return [...shared, ...(item[method]?.parameters ?? [])].map((parameter) => resolve<Parameter>(document, parameter));
}

/** Returns the example, the default, the first enum value, or a minimal value of a schema. */
export function exampleOf(document: OpenApi, schema: SchemaDoc): unknown {
  const own = resolve<SchemaDoc>(document, schema);
  const given = own.examples?.[0] ?? own.default ?? own.enum?.[0];
  if (given !== undefined) return given;
  const [type] = [own.type ?? 'string'].flat();
  if (type === 'object')
    return Object.fromEntries((own.required ?? []).map((name) => [name, exampleOf(document, own.properties?.[name] ?? {})]));
  if (type === 'array') return [exampleOf(document, own.items ?? {})];
  if (type === 'integer' || type === 'number') return own.minimum ?? 1;
  return type === 'boolean' ? true : (FORMATS[own.format ?? ''] ?? 'text');
}

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:30:00Z',
  uuid: '5a0a2f6e-0b7c-4c43-9d5e-3f1f7a9c2b11',
};

export interface MadeRequest {
  readonly path: string;
  readonly body: string | undefined;
  readonly type: string | undefined;
}

/** Builds a request with all required parameters, one filter, and the parameters in `more`. */
export function requestFrom(
  document: OpenApi,
  path: string,
  method: string,
  more: Readonly<Record<string, string>> = {},
): MadeRequest | undefined {
  const operation = document.paths[path]?.[method];
  const query = new URLSearchParams(more);
  let target = path;
  let filters = 0;
  for (const { name, in: where, required, example, explode, schema } of parametersOf(document, path, method)) {
    const value = example ?? exampleOf(document, schema);
    if (where === 'path') target = target.replace(`{${name}}`, encodeURIComponent(String(value)));
    else if (where !== 'query' || query.has(name)) continue;
    else if (explode === true && example !== undefined && filters++ < 1) query.set(name, String((example as unknown[])[0]));
    else if (required === true) query.set(name, String(value));
  }
  const [body] = Object.entries(operation?.requestBody?.content ?? {});
  const text = query.toString();
  const address = text === '' ? target : `${target}?${text}`;
  if (body === undefined) return { path: address, body: undefined, type: undefined };
  const [type, { schema, example }] = body;
  const value = example ?? (operation?.operationId.startsWith('call.') === true ? exampleOf(document, schema) : undefined);
  if (value === undefined) return undefined;
  const isForm = type === 'application/x-www-form-urlencoded';
  return { path: address, type, body: isForm ? new URLSearchParams(value as Record<string, string>).toString() : JSON.stringify(value) };
}

/** Validates responses strictly. */
export class Judge {
  readonly #document: OpenApi;
  readonly #ajv: Ajv2020;

  constructor(document: OpenApi) {
    this.#document = document;
    this.#ajv = new Ajv2020({ strict: false, validateFormats: false, schemas: [{ $id: 'document', ...closed(document) }] });
  }

  problem({ responses }: Operation, answer: Response): string | undefined {
    const found = responses[String(answer.status)];
    if (found === undefined) return `the status ${answer.status} is not in the document`;
    const { content } = resolve<Operation['responses'][string]>(this.#document, found);
    if (content === undefined) return answer.body.length === 0 ? undefined : 'there is a body, and none in the document';
    const type = String(answer.headers['content-type']).replace(/;.*/, '');
    const schema = content[type]?.schema ?? content['*/*']?.schema;
    if (schema === undefined) return `the media type ${type} is not in the document`;
    if (type !== 'application/json') return undefined;
    return this.#ajv.validate(absolute(schema), answer.json()) ? undefined : this.#ajv.errorsText();
  }
}

/** Forbids undocumented members in rows, counts and errors. */
function closed(document: OpenApi): OpenApi {
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => {
    const isClosed = 'x-table' in schema || name === 'Error' || name === 'RowsAffected';
    return [name, isClosed ? { ...schema, additionalProperties: false } : schema];
  });
  return { ...document, components: { ...document.components, schemas: Object.fromEntries(schemas) as never } };
}

/** Makes references absolute, since the validator resolves them by the document's name. */
function absolute(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object;
}
