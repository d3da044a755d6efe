/** Tools that call Custom endpoints over the same route as any other caller. */
import type { QueryPair } from '../client/where.ts';
import type { DescribedEndpoint } from '../describe/description.ts';
import { writeJson } from '../util/json/json.ts';
import { Decimal, type PlainMap, type PlainValue } from '../util/text/decimal.ts';
import type { Arguments } from './arguments.ts';
import { countFitting, fittingText, MAX_RESULT_BYTES, sizeOf } from './result-size.ts';
import { ToolError, type ToolResult, type ToolSession } from './session.ts';
import { bodyOf, forClients, jsonBytes, mapOf, rejectUnsafe } from './values.ts';

export const CALL_OUTPUT = {
  type: 'object',
  properties: { status: { type: 'integer' }, version: { type: ['string', 'null'] }, body: {}, truncated: { type: 'boolean' } },
  required: ['status', 'truncated'],
};

function textOf(value: PlainValue): string {
  return typeof value === 'string' ? value : value instanceof Decimal ? value.text : writeJson(value);
}

/** Lists become repeated parameters. */
function asQuery(input: PlainMap): readonly QueryPair[] {
  return [...input].flatMap(([name, value]): QueryPair[] =>
    Array.isArray(value) ? (value as readonly PlainValue[]).map((item) => [name, textOf(item)]) : [[name, textOf(value)]],
  );
}

interface EndpointCall {
  readonly uri: string;
  readonly method: string;
  readonly inputType: string;
  readonly input: PlainMap;
  readonly version: string | undefined;
}

async function call(session: ToolSession, { uri, method, inputType, input, version }: EndpointCall): Promise<ToolResult> {
  const { org, project } = await session.outline();
  const inQuery = method === 'get' || method === 'delete';
  if (!inQuery && inputType === 'multipart') throw new ToolError('This endpoint takes a multipart form, which tools cannot send.');
  const isForm = inputType === 'form';
  const form = (): string => new URLSearchParams(asQuery(input).map(([name, value]): [string, string] => [name, value])).toString();
  const response = await session.send({
    method: method.toUpperCase(),
    path: `api/rest/v1/${org}/${project}/${uri}`,
    query: [...(inQuery ? asQuery(input) : []), ...(version === undefined ? [] : [['version', version] as const])],
    ...(inQuery
      ? {}
      : { body: isForm ? Buffer.from(form()) : jsonBytes(input), type: isForm ? 'application/x-www-form-urlencoded' : 'application/json' }),
  });
  const body = forClients(bodyOf(response));
  const result = { status: response.status, version: response.headers.get('x-served-version') ?? null };
  const isLong = sizeOf(mapOf({ ...result, body, truncated: true })) > MAX_RESULT_BYTES;
  const shown = isLong ? shorten(body, mapOf({ ...result, body: [], truncated: true })) : body;
  return { value: mapOf({ ...result, body: shown, truncated: isLong }) };
}

/** The beginning of a list, or of a text. Other values are shortened as their JSON. */
function shorten(body: PlainValue, rest: PlainMap): PlainValue {
  if (!Array.isArray(body)) return fittingText(typeof body === 'string' ? body : writeJson(body), rest);
  const items = body as readonly PlainValue[];
  return items.slice(0, countFitting(items, rest));
}

export async function callEndpoint(session: ToolSession, args: Arguments): Promise<ToolResult> {
  const uri = args.text('uri').replace(/^\/+/, '');
  const method = args.text('method');
  const { endpoints } = await session.outline();
  const inputType = endpoints.find((endpoint) => endpoint.method === method && matches(endpoint.uri, uri))?.inputType ?? 'json';
  const path = uri
    .split('/')
    .map((segment) => encodeURIComponent(decode(segment)))
    .join('/');
  return call(session, {
    uri: path,
    method,
    inputType,
    input: args.map('input'),
    version: args.has('version') ? args.text('version') : undefined,
  });
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function matches(pattern: string, uri: string): boolean {
  const parts = pattern.split('/');
  const segments = uri.split('/');
  return parts.length === segments.length && parts.every((part, index) => part.startsWith('{') || part === segments[index]);
}

/** Calls a definition that is a tool of its own. Its input includes the values of braces. */
export async function callDefinition(session: ToolSession, endpoint: DescribedEndpoint, args: PlainMap): Promise<ToolResult> {
  rejectUnsafe(args);
  const input = new Map(args);
  const uri = endpoint.uri.replace(/\{([^/}]*)\}/g, (_, name: string) => {
    const value = input.get(name);
    if (value === undefined || value === null) throw new ToolError(`The arguments are not valid: ${name} is missing.`);
    input.delete(name);
    return encodeURIComponent(textOf(value));
  });
  const version = endpoint.needsVersion ? endpoint.version : undefined;
  return call(session, { uri, method: endpoint.method, inputType: endpoint.inputType, input, version });
}
