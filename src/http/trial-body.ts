/**
 * The body of a definition check: YAML, or a JSON object with the YAML and the input of a trial
 * call.
 */
import type { Trial } from '../custom/manage/dry-run.ts';
import { apiError } from '../errors.ts';
import { JsonDepthError, JsonError, parseJson } from '../util/json/json.ts';
import type { PlainMap, PlainValue } from '../util/text/decimal.ts';
import type { Exchange } from './exchange.ts';
import { JSON_TYPES, jsonBody, mediaType, yamlBody } from './request-body.ts';

export interface TrialBody {
  readonly source: string;
  /** `undefined` if nothing is to be run. */
  readonly trial: Omit<Trial, 'signal' | 'lease'> | undefined;
}

export function trialOf(exchange: Exchange): TrialBody {
  if (JSON_TYPES.includes(mediaType(exchange.header('content-type') ?? ''))) return trialOfJson(jsonBody(exchange));
  const source = yamlBody(exchange);
  if (exchange.parameter('execute') !== 'true') return { source, trial: undefined };
  const input = exchange.parameter('input');
  const query = exchange.parameter('query');
  return {
    source,
    trial: {
      input: input === undefined ? undefined : parseInput(input),
      query,
      roles: undefined,
      before: [],
      after: [],
      withoutRollback: 'allow_reads',
    },
  };
}

const MAX_DEPTH = 64;

function parseInput(json: string): PlainValue {
  try {
    return objectOf(parseJson(Buffer.from(json), { maxDepth: MAX_DEPTH }));
  } catch (error) {
    if (error instanceof JsonError || error instanceof JsonDepthError) throw apiError('bad_parameter', 'input', 'it must be a JSON object');
    throw error;
  }
}

function objectOf(input: PlainValue): PlainMap {
  if (input instanceof Map) return input;
  throw apiError('bad_parameter', 'input', 'it must be a JSON object');
}

function trialOfJson(body: PlainValue): TrialBody {
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
      roles: body.get('roles') === undefined ? undefined : stringList(body, 'roles'),
      before: stringList(body, 'before'),
      after: stringList(body, 'after'),
      withoutRollback: body.get('keep') === true ? 'run' : 'reject',
    },
  };
}

function stringList(body: PlainMap, name: string): readonly string[] {
  const list = body.get(name) ?? [];
  const isStringList = Array.isArray(list) && (list as readonly PlainValue[]).every((item) => typeof item === 'string');
  if (!isStringList) throw apiError('bad_field', `${name} must be a list of texts`);
  return list as readonly string[];
}
