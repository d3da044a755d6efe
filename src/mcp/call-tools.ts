/** Tools that call Custom endpoints, through the same path as any caller. */
import type { QueryPair } from '../client/where.ts';
import type { DescribedEndpoint } from '../describe/description.ts';
import { writeJson } from '../util/json/json.ts';
import { Decimal, type PlainMap, type PlainValue } from '../util/text/decimal.ts';
import type { Arguments } from './arguments.ts';
import { ToolError, type ToolResult, type ToolSession } from './session.ts';
import { bodyOf, forClients, jsonBytes, mapOf, refuseUnsafe } from './values.ts';

const MOST_CHARACTERS = 16 * 1024;

export const CALL_OUTPUT = {
  type: 'object',
  properties: { status: { type: 'integer' }, version: { type: ['string', 'null'] }, body: {}, truncated: { type: 'boolean' } },
  required: ['status', 'truncated'],
};

function textOf(value: PlainValue): string {
  return typeof value === 'string' ? value : value instanceof Decimal ? value.text : writeJson(value);
}

/** A list is a repeated parameter. */
function asQuery(input: PlainMap): readonly QueryPair[] {
  return [...input].flatMap(([name, value]): QueryPair[] =>
    Array.isArray(value) ? (value as readonly PlainValue[]).map((item) => [name, textOf(item)]) : [[name, textOf(value)]],
  );
}

interface CallWanted {
  readonly uri: string;
  readonly method: string;
  readonly inputType: string;
  readonly input: PlainMap;
  readonly version: string | undefined;
}

async function call(session: ToolSession, { uri, method, inputType, input, version }: CallWanted): Promise<ToolResult> {
  const { org, project } = await session.outline();
  const inQuery = method === 'get' || method === 'delete';
  if (!inQuery && inputType === 'multipart') throw new ToolError('This endpoint takes a multipart form, which tools cannot send.');
  const isForm = inputType === 'form';
  const form = (): string => new URLSearchParams(asQuery(input).map(([name, value]): [string, string] => [name, value])).toString();
  const answer = await session.send({
    method: method.toUpperCase(),
    path: `api/rest/v1/${org}/${project}/${uri}`,
    query: [...(inQuery ? asQuery(input) : []), ...(version === undefined ? [] : [['version', version] as const])],
    ...(inQuery
      ? {}
      : { body: isForm ? Buffer.from(form()) : jsonBytes(input), type: isForm ? 'application/x-www-form-urlencoded' : 'application/json' }),
  });
  const body = forClients(bodyOf(answer));
  const isLong = writeJson(body).length > MOST_CHARACTERS;
  const shown = isLong ? shorten(body) : body;
  return {
    value: mapOf({ status: answer.status, version: answer.headers.get('x-served-version') ?? null, body: shown, truncated: isLong }),
  };
}

/** As many items of a list, or characters of a text, as an answer holds. */
function shorten(body: PlainValue): PlainValue {
  if (!Array.isArray(body)) return (typeof body === 'string' ? body : writeJson(body)).slice(0, MOST_CHARACTERS);
  let characters = 0;
  const end = (body as readonly PlainValue[]).findIndex((item) => {
    characters += writeJson(item).length + 1;
    return characters > MOST_CHARACTERS;
  });
  return (body as readonly PlainValue[]).slice(0, Math.max(0, end));
}

export async function callEndpoint(session: ToolSession, given: Arguments): Promise<ToolResult> {
  const uri = given.text('uri').replace(/^\/+/, '');
  const method = given.text('method');
  const { endpoints } = await session.outline();
  const inputType = endpoints.find((endpoint) => endpoint.method === method && fits(endpoint.uri, uri))?.inputType ?? 'json';
  const path = uri
    .split('/')
    .map((segment) => encodeURIComponent(decode(segment)))
    .join('/');
  return call(session, {
    uri: path,
    method,
    inputType,
    input: given.map('input'),
    version: given.has('version') ? given.text('version') : undefined,
  });
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function fits(pattern: string, uri: string): boolean {
  const parts = pattern.split('/');
  const given = uri.split('/');
  return parts.length === given.length && parts.every((part, index) => part.startsWith('{') || part === given[index]);
}

/** A definition that is a tool of its own: what stands in braces is part of its input. */
export async function callDefinition(session: ToolSession, endpoint: DescribedEndpoint, given: PlainMap): Promise<ToolResult> {
  refuseUnsafe(given);
  const input = new Map(given);
  const uri = endpoint.uri.replace(/\{([^/}]*)\}/g, (_, name: string) => {
    const value = input.get(name);
    if (value === undefined || value === null) throw new ToolError(`The arguments are not valid: ${name} is missing.`);
    input.delete(name);
    return encodeURIComponent(textOf(value));
  });
  const version = endpoint.needsVersion ? endpoint.version : undefined;
  return call(session, { uri, method: endpoint.method, inputType: endpoint.inputType, input, version });
}
