/** Bodies of the definition API: YAML as it is, and for a trial a JSON object that holds the YAML and what it is to be tried with. */
import type { Trial } from '../custom/manage/dry-run.ts';
import { apiError } from '../errors.ts';
import { JsonDepthError, JsonError, parseJson } from '../util/json/json.ts';
import type { PlainMap, PlainValue } from '../util/text/decimal.ts';
import type { Exchange } from './exchange.ts';
import { bodyOf, JSON_TYPES, jsonBody, mediaType } from './route.ts';

export const YAML_TYPES = ['application/x-yaml', 'application/yaml', 'text/yaml', 'text/x-yaml', 'text/plain'];

/** The body as text; bytes that are no UTF-8 are refused. */
export function yamlBody(exchange: Exchange): string {
  const body = bodyOf(exchange, YAML_TYPES);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw apiError('body_not_yaml', 'it is not UTF-8');
  }
}

export interface TrialBody {
  readonly source: string;
  /** Undefined: nothing is run. */
  readonly trial: Omit<Trial, 'signal' | 'lease'> | undefined;
}

export function trialOf(exchange: Exchange): TrialBody {
  if (JSON_TYPES.includes(mediaType(exchange.header('content-type') ?? ''))) return ofJson(jsonBody(exchange));
  const source = yamlBody(exchange);
  if (exchange.parameter('execute') !== 'true') return { source, trial: undefined };
  const input = exchange.parameter('input');
  const query = exchange.parameter('query');
  return {
    source,
    trial: {
      input: input === undefined ? undefined : jsonOf(input),
      query,
      roles: undefined,
      before: [],
      after: [],
      withoutRollback: 'allow_reads',
    },
  };
}

const MOST_DEPTH = 64;

function jsonOf(text: string): PlainValue {
  try {
    return objectOf(parseJson(Buffer.from(text), { maxDepth: MOST_DEPTH }));
  } catch (error) {
    if (error instanceof JsonError || error instanceof JsonDepthError) throw apiError('bad_parameter', 'input', 'it must be a JSON object');
    throw error;
  }
}

function objectOf(input: PlainValue): PlainMap {
  if (input instanceof Map) return input;
  throw apiError('bad_parameter', 'input', 'it must be a JSON object');
}

function ofJson(body: PlainValue): TrialBody {
  if (!(body instanceof Map)) throw apiError('body_not_object');
  const source = body.get('definition');
  if (typeof source !== 'string') throw apiError('bad_field', 'definition must be the YAML of a definition, as a text');
  const query = body.get('query');
  if (query !== undefined && query !== null && typeof query !== 'string') throw apiError('bad_field', 'query must be a text');
  return {
    source,
    trial: {
      input: body.get('input') === undefined ? undefined : objectOf(body.get('input') ?? null),
      query: query ?? undefined,
      roles: body.get('roles') === undefined ? undefined : texts(body, 'roles'),
      before: texts(body, 'before'),
      after: texts(body, 'after'),
      withoutRollback: body.get('keep') === true ? 'run' : 'reject',
    },
  };
}

function texts(body: PlainMap, name: string): readonly string[] {
  const list = body.get(name) ?? [];
  const isRight = Array.isArray(list) && (list as readonly PlainValue[]).every((item) => typeof item === 'string');
  if (!isRight) throw apiError('bad_field', `${name} must be a list of texts`);
  return list as readonly string[];
}
