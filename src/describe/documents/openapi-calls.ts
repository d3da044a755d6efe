/** Custom endpoints as paths of an OpenAPI document, one operation per URI and method. Pure. */

import { braceNames } from '../../custom/document/uri.ts';
import type { Declarations } from '../../custom/inputs/declaration.ts';
import { REASONS } from '../../errors.ts';
import { declaredSchema, holdsReference, jsonOf, objectSchema } from '../declared-schema.ts';
import type { DescribedAnswer, DescribedEndpoint, Description } from '../description.ts';
import { endpointName, operationName } from '../names.ts';
import { statusesOf } from '../operations.ts';
import type { Json } from './notation.ts';
import { errorResponses, inAllFormats, refTo } from './openapi-parts.ts';

/** An example as a member `name`, unless tools would read it as a reference. */
function exampleMember(name: string, value: unknown): Json {
  return value === undefined || holdsReference(value) ? {} : { [name]: value };
}

const BODY_TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
};

/** Yields each path with all its methods. */
export function* callPaths({ org, project, endpoints }: Description): Generator<Json> {
  const paths = new Map<string, DescribedEndpoint[]>();
  for (const endpoint of endpoints) {
    // Methods of the same shape may name path parameters differently. Each spelling is a path.
    const path = `/${org}/${project}/${endpoint.uri}`;
    const methods = paths.get(path) ?? [];
    methods.push(endpoint);
    paths.set(path, methods);
  }
  for (const [path, methods] of paths)
    yield { [path]: Object.fromEntries(methods.map((endpoint) => [endpoint.method, callOperation(endpoint)])) };
}

function callOperation(endpoint: DescribedEndpoint): Json {
  const { uri, method, version, otherVersions, about } = endpoint;
  const inPath = braceNames(uri);
  const isQuery = method === 'get' || method === 'delete';
  return {
    operationId: operationName(`call.${method}.${endpointName(uri)}`),
    summary: about.summary ?? `${method.toUpperCase()} ${uri}`,
    ...(about.description === undefined ? {} : { description: about.description }),
    tags: about.tags.length === 0 ? ['custom'] : about.tags,
    ...(about.deprecated ? { deprecated: true } : {}),
    'x-version': version,
    parameters: [
      ...inPath.map((name) => pathParameter(name, endpoint.inputs)),
      ...(isQuery ? queryParameters(endpoint, inPath) : []),
      ...(otherVersions.length === 0 && !endpoint.needsVersion ? [] : [versionParameter(endpoint)]),
      // Files have a fixed format.
      ...(endpoint.answer.file === undefined ? [refTo('parameters', 'query.format')] : []),
    ],
    ...(isQuery ? {} : { requestBody: bodyOf(endpoint, inPath) }),
    responses: responsesOf(endpoint.answer),
  };
}

const RESULTS: Readonly<Record<DescribedAnswer['result'], Json>> = {
  rows: { type: 'array', items: { type: 'object' } },
  count: refTo('schemas', 'RowsAffected'),
  unknown: { description: 'Whatever the endpoint returns' },
};

/** Text as a string, other files as bytes. */
function fileSchema(type: string): Json {
  if (type === 'application/json') return { description: 'Any JSON' };
  return { type: 'string', ...(type.startsWith('text/') ? {} : { format: 'binary' }) };
}

const text = (description: string): Json => ({ description, schema: { type: 'string' } });
const ERROR: Json = { 'application/json': { schema: refTo('schemas', 'Error') } };
/** Statuses without a body. */
const BODILESS: readonly number[] = [204, 304];

function responsesOf(answer: DescribedAnswer): Json {
  const { statuses, isOpen, headers, file, refusals, refusesOther, result, isCached } = answer;
  const given = {
    'X-Served-Version': text('The version that answered'),
    'X-Rolled-Back-From': text('The version that failed, when another answered for it'),
    ...(isCached ? { 'X-Cache': text('HIT or MISS') } : {}),
    ...Object.fromEntries(headers.map((name) => [name, text("The endpoint's own")])),
  };
  const content = file === undefined ? inAllFormats(RESULTS[result]) : { [file]: { schema: fileSchema(file) } };
  const own = (status: number): Json => ({
    description: status === 200 ? 'The result' : (REASONS[status] ?? 'The result'),
    headers: given,
    // The author or the service writes the body of an error.
    ...(BODILESS.includes(status) ? {} : { content: status < 400 ? content : { ...content, ...inAllFormats(RESULTS.unknown) } }),
  });
  const refused = refusals.map((status) => [status, { description: REASONS[status] ?? 'Refused by the endpoint', content: ERROR }]);
  return {
    ...Object.fromEntries(refused),
    ...errorResponses(statusesOf('call')),
    ...(isOpen ? { default: { description: 'What the endpoint chooses, or an error', headers: given, content } } : {}),
    ...Object.fromEntries(statuses.map((status) => [status, own(status)])),
    ...(refusesOther ? { '4XX': { description: 'Refused by the endpoint', content: ERROR } } : {}),
  };
}

function pathParameter(name: string, inputs: Declarations | undefined): Json {
  const declaration = inputs?.get(name);
  return { name, in: 'path', required: true, schema: declaration === undefined ? { type: 'string' } : declaredSchema(declaration) };
}

function versionParameter({ version, otherVersions, needsVersion }: DescribedEndpoint): Json {
  return {
    name: 'version',
    in: 'query',
    required: needsVersion,
    description: needsVersion ? 'The version to call.' : `The version to call; ${version} answers when none is given.`,
    schema: { type: 'string', enum: needsVersion ? [version, ...otherVersions] : otherVersions },
  };
}

/** Lists are repeated parameters. Without a declaration, any parameter is accepted. */
function queryParameters({ inputs }: DescribedEndpoint, inPath: readonly string[]): readonly Json[] {
  if (inputs === undefined)
    return [
      { name: 'input', in: 'query', style: 'form', explode: true, schema: { type: 'object', additionalProperties: { type: 'string' } } },
    ];
  return [...inputs]
    .filter(([name]) => !inPath.includes(name))
    .map(([name, declaration]) => ({
      name,
      in: 'query',
      required: declaration.required,
      ...(declaration.description === undefined ? {} : { description: declaration.description }),
      ...(declaration.type === 'array' ? { style: 'form', explode: true } : {}),
      schema: declaredSchema(declaration),
      ...exampleMember('example', declaration.example === undefined ? undefined : jsonOf(declaration.example)),
    }));
}

function bodyOf({ inputs, inputType }: DescribedEndpoint, inPath: readonly string[]): Json {
  const type = BODY_TYPES[inputType] ?? 'application/json';
  if (inputs === undefined) return { content: { [type]: { schema: { type: 'object' } } } };
  const inBody = new Map([...inputs].filter(([name]) => !inPath.includes(name)));
  const isNeeded = [...inBody.values()].some(({ required }) => required);
  const examples = [...inBody].filter(([, { example }]) => example !== undefined);
  const isWhole = [...inBody].every(([, { required, example }]) => !required || example !== undefined);
  return {
    required: isNeeded,
    content: {
      [type]: {
        schema: objectSchema(inBody),
        ...(examples.length > 0 && isWhole
          ? exampleMember('example', Object.fromEntries(examples.map(([name, { example = null }]) => [name, jsonOf(example)])))
          : {}),
      },
    },
  };
}
