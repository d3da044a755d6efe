/**
 * Builds the input of a trial as a real call would: a JSON object as body, query or form fields,
 * depending on the definition, and a query string. Values of braces are taken from either.
 */
import { apiError } from '../../errors.ts';
import { writeJson } from '../../util/json/json.ts';
import { Decimal, type PlainMap, type PlainValue } from '../../util/text/decimal.ts';
import { parseQuery } from '../../util/text/query.ts';
import { type Allowance, addField } from '../call/bodies.ts';
import { settleInput } from '../call/input.ts';
import type { InputRules } from '../program/compile.ts';

export interface DryRunInput {
  readonly input: PlainValue | undefined;
  readonly query: string | undefined;
}

export function readDryRunInput(sent: DryRunInput, rules: InputRules, allowance: Allowance): PlainMap | Promise<PlainMap> {
  const { input } = sent;
  if (input !== undefined && !(input instanceof Map)) throw apiError('bad_parameter', 'input', 'it must be a JSON object');
  const takesBody = rules.method !== 'get' && rules.method !== 'delete';
  const query: PlainMap = new Map();
  for (const { name, value } of parseQuery(sent.query ?? '')) if (!(takesBody && name === 'version')) addField(query, name, value);
  const body = input === undefined ? undefined : takesBody && rules.inputType === 'json' ? new Map(input) : toStrings(input);
  const path: PlainMap = new Map();
  for (const { name } of rules.braces) {
    const value = query.get(name) ?? body?.get(name);
    if (value !== undefined) path.set(name, toText(value));
    query.delete(name);
    body?.delete(name);
  }
  if (!takesBody && body !== undefined) for (const [name, value] of body) query.set(name, value);
  const bodyOrigin = rules.inputType === 'json' ? 'json' : 'text';
  return settleInput(
    { query, path: rules.braces.length === 0 ? undefined : path, body: takesBody ? body : undefined, bodyOrigin },
    rules,
    allowance,
  );
}

/** Converts values to what a query or a form would hold; files stay objects. */
function toStrings(input: PlainMap): PlainMap {
  return new Map(
    [...input].map(([name, value]) => [name, Array.isArray(value) ? value.map(toText) : value instanceof Map ? value : toText(value)]),
  );
}

function toText(value: PlainValue): PlainValue {
  if (typeof value === 'string') return value;
  if (value instanceof Decimal) return value.text;
  return value !== null && typeof value === 'object' ? writeJson(value) : String(value);
}
