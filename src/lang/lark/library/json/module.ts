/** The module `json`. */

import { fail, LarkFailure } from '../../values/failure.ts';
import { type BuiltinBody, LarkBuiltin, type NamedArgument } from '../../values/function.ts';
import type { Thread } from '../../values/thread.ts';
import { type LarkValue, ModuleValue } from '../../values/value.ts';
import { positional, unpack, wantString } from '../args.ts';
import { LarkJsonReader } from './decode.ts';
import { indentJson, JsonWriter } from './encode.ts';

/** Prefixes errors with the name of the function. */
function named<T>(name: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof LarkFailure) error.message = `${name}: ${error.message}`;
    throw error;
  }
}

function layout(name: string, keywords: NamedArgument): readonly [string, string] {
  const [prefix = '', indent = '\t'] = unpack(name, [], keywords, ['prefix?', 'indent?']);
  return [wantString(name, 'prefix', prefix), wantString(name, 'indent', indent)];
}

function checkJson(thread: Thread, text: string): void {
  try {
    new LarkJsonReader(thread, text).read();
  } catch (error) {
    if (error instanceof LarkFailure) error.message = `invalid character: ${error.message}`;
    throw error;
  }
}

function decode(thread: Thread, args: readonly LarkValue[], keywords: NamedArgument): LarkValue {
  const unknown = keywords.find(([name]) => name !== 'default');
  if (unknown !== undefined) fail(`json.decode: unexpected keyword argument ${unknown[0]}`);
  if (args.length < 1 || args.length > 2)
    fail(`json.decode: got ${args.length} arguments, want ${args.length < 1 ? 'at least 1' : 'at most 2'}`);
  const fallback = args[1] !== undefined ? args[1] : keywords[0]?.[1];
  const text = wantString('json.decode', 1, args[0] ?? null);
  if (fallback === undefined) return named('json.decode', () => new LarkJsonReader(thread, text).read());
  try {
    return new LarkJsonReader(thread, text).read();
  } catch (error) {
    if (error instanceof LarkFailure) return fallback;
    throw error;
  }
}

const FUNCTIONS: Readonly<Record<string, BuiltinBody>> = {
  decode,
  encode: (thread, args, keywords) => {
    const [value = null] = positional('json.encode', args, keywords, 1, 1);
    return named('json.encode', () => new JsonWriter(thread).write(value));
  },
  encode_indent: (thread, args, keywords) => {
    const [value = null] = positional('json.encode_indent', args, [], 1, 1);
    const [prefix, indent] = layout('json.encode_indent', keywords);
    return named('json.encode_indent', () => indentJson(thread, new JsonWriter(thread).write(value), prefix, indent));
  },
  indent: (thread, args, keywords) => {
    const [value = null] = positional('json.indent', args, [], 1, 1);
    const text = wantString('json.indent', 1, value);
    const [prefix, indent] = layout('json.indent', keywords);
    return named('json.indent', () => {
      checkJson(thread, text);
      return indentJson(thread, text, prefix, indent);
    });
  },
};

export const JSON_MODULE = new ModuleValue(
  'json',
  new Map(Object.entries(FUNCTIONS).map(([name, body]) => [name, new LarkBuiltin(`json.${name}`, body)] as const)),
);
