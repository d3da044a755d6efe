/**
 * Merges query, body and path of a call into one input object and checks it against the
 * declaration. Path wins over body, body over query. The service's own parameters (`format`, `pwt`,
 * and `version` beside a body) are never input.
 */
import { apiError } from '../../errors.ts';
import type { PlainMap } from '../../util/text/decimal.ts';
import type { QueryParameter } from '../../util/text/query.ts';
import type { InputType } from '../document/document.ts';
import type { Brace } from '../document/uri.ts';
import type { FieldProblem } from '../inputs/checks.ts';
import { checkConflict, type SentInput, throwProblems } from '../inputs/declared-input.ts';
import type { InputRules } from '../program/compile.ts';
import { type Allowance, addField, BODIES } from './bodies.ts';

export interface RawInput {
  readonly query: readonly QueryParameter[];
  readonly body: Buffer | undefined;
  readonly contentType: string | undefined;
}

const MEDIA_TYPES: Readonly<Record<InputType, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
};

/** Larger inputs are checked in slices. */
const LARGE_BYTES = 256 * 1024;

export function readInput(
  raw: RawInput,
  rules: InputRules,
  segments: readonly string[],
  allowance: Allowance,
): PlainMap | Promise<PlainMap> {
  const { method, inputType } = rules;
  const takesBody = method !== 'get' && method !== 'delete';
  const query = readQuery(raw.query, takesBody);
  const { body, contentType } = raw;
  const path = rules.braces.length === 0 ? undefined : readPath(rules.braces, segments);
  if (!takesBody || body === undefined || body.length === 0)
    return settleInput({ query, path, body: undefined, bodyOrigin: 'text' }, rules, allowance);
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType !== MEDIA_TYPES[inputType] && !(mediaType === undefined && inputType === 'json'))
    throw apiError('wrong_content_type', MEDIA_TYPES[inputType]);
  const fields = BODIES[inputType](body, contentType ?? '', allowance);
  const bodyOrigin = inputType === 'json' ? 'json' : 'text';
  if (fields instanceof Promise) return fields.then((read) => settleInput({ query, path, body: read, bodyOrigin }, rules, allowance));
  return settleInput({ query, path, body: fields, bodyOrigin }, rules, allowance);
}

export function settleInput(sent: SentInput, { declared }: InputRules, { lease }: Allowance): PlainMap | Promise<PlainMap> {
  if (declared === undefined) return merge(sent);
  return lease.held > LARGE_BYTES ? declared.checkInSlices(sent, lease.owner) : declared.check(sent);
}

function merge({ query, path, body }: SentInput): PlainMap {
  const input = body ?? query;
  if (body !== undefined) for (const [name, value] of query) if (!body.has(name)) body.set(name, value);
  if (path === undefined) return input;
  const problems: FieldProblem[] = [];
  for (const [name, value] of path) {
    const other = input.get(name);
    if (other !== undefined) checkConflict(problems, name, value, other);
    input.set(name, value);
  }
  throwProblems(problems);
  return input;
}

function readPath(braces: readonly Brace[], segments: readonly string[]): PlainMap {
  const path: PlainMap = new Map();
  for (const { name, at } of braces) path.set(name, segments[at] ?? '');
  return path;
}

function readQuery(query: readonly QueryParameter[], takesBody: boolean): PlainMap {
  const input: PlainMap = new Map();
  for (const { name, value } of query)
    if (name !== 'format' && name !== 'pwt' && !(takesBody && name === 'version')) addField(input, name, value);
  return input;
}
