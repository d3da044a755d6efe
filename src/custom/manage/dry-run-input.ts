/**
 * The input of a trial, treated as that of a call: a JSON object as the body (as a query where the method has no body, as the fields of a form where the
 * definition takes forms), a query as a query. Names in the braces of the uri are taken from either.
 */
import { apiError } from '../../errors.ts';
import { writeJson } from '../../util/json/json.ts';
import { Decimal, type PlainMap, type PlainValue } from '../../util/text/decimal.ts';
import { parseQuery } from '../../util/text/query.ts';
import { type Allowance, addField } from '../call/bodies.ts';
import { type InputRules, settleInput } from '../call/input.ts';

export interface DryRunInput {
  readonly input: PlainValue | undefined;
  readonly query: string | undefined;
}

export function readDryInput({ input, query }: DryRunInput, rules: InputRules, allowance: Allowance): PlainMap | Promise<PlainMap> {
  if (input !== undefined && !(input instanceof Map)) throw apiError('bad_parameter', 'input', 'it must be a JSON object');
  const takesBody = rules.method !== 'get' && rules.method !== 'delete';
  const asked: PlainMap = new Map();
  for (const { name, value } of parseQuery(query ?? '')) if (!(takesBody && name === 'version')) addField(asked, name, value);
  const sent = input === undefined ? undefined : takesBody && rules.inputType === 'json' ? new Map(input) : texts(input);
  const path: PlainMap = new Map();
  for (const { name } of rules.braces) {
    const value = asked.get(name) ?? sent?.get(name);
    if (value !== undefined) path.set(name, textOf(value));
    asked.delete(name);
    sent?.delete(name);
  }
  if (!takesBody && sent !== undefined) for (const [name, value] of sent) asked.set(name, value);
  const bodyOrigin = rules.inputType === 'json' ? 'json' : 'text';
  const shown = rules.braces.length === 0 ? undefined : path;
  return settleInput({ query: asked, path: shown, body: takesBody ? sent : undefined, bodyOrigin }, rules, allowance);
}

/** As a query or a form would say it; files stay what they are. */
function texts(input: PlainMap): PlainMap {
  return new Map(
    [...input].map(([name, value]) => [name, Array.isArray(value) ? value.map(textOf) : value instanceof Map ? value : textOf(value)]),
  );
}

function textOf(value: PlainValue): PlainValue {
  if (typeof value === 'string') return value;
  if (value instanceof Decimal) return value.text;
  return value !== null && typeof value === 'object' ? writeJson(value) : String(value);
}
