/**
 * `x.name`: methods of builtin types, members of modules, fields. A closed table: no JavaScript
 * property can be reached.
 */

import { Extension } from '../values/extension.ts';
import { fail, LarkFailure, orElse } from '../values/failure.ts';
import { type BuiltinBody, LarkBuiltin } from '../values/function.ts';
import { chargeElements, chargeSort } from '../values/iterate.ts';
import { hasEngineOrder } from '../values/sort.ts';
import { LarkDict, LarkRecord, LarkSet } from '../values/table.ts';
import { nearest } from '../values/text/spell.ts';
import type { Thread } from '../values/thread.ts';
import { LarkBytes, LarkList, type LarkValue, ModuleValue, typeOf } from '../values/value.ts';
import { BYTES_METHODS } from './bytes-methods.ts';
import { DICT_METHODS } from './dict-methods.ts';
import { LIST_METHODS } from './list-methods.ts';
import { SET_METHODS } from './set-methods.ts';
import { STRING_METHODS } from './string-methods.ts';

/** Methods with one name, by type. Looked up once when a call is compiled. */
export interface MethodsNamed {
  readonly string: BuiltinBody | undefined;
  readonly list: BuiltinBody | undefined;
  readonly dict: BuiltinBody | undefined;
  readonly set: BuiltinBody | undefined;
  readonly bytes: BuiltinBody | undefined;
}

export function methodsNamed(name: string): MethodsNamed {
  return {
    string: STRING_METHODS.get(name),
    list: LIST_METHODS.get(name),
    dict: DICT_METHODS.get(name),
    set: SET_METHODS.get(name),
    bytes: BYTES_METHODS.get(name),
  };
}

export function methodOf(methods: MethodsNamed, value: LarkValue): BuiltinBody | undefined {
  if (typeof value === 'string') return methods.string;
  if (value instanceof LarkList) return methods.list;
  if (value instanceof LarkDict) return methods.dict;
  if (value instanceof LarkSet) return methods.set;
  return value instanceof LarkBytes ? methods.bytes : undefined;
}

function methodTable(value: LarkValue): ReadonlyMap<string, BuiltinBody> | undefined {
  if (typeof value === 'string') return STRING_METHODS;
  if (value instanceof LarkList) return LIST_METHODS;
  if (value instanceof LarkDict) return DICT_METHODS;
  if (value instanceof LarkSet) return SET_METHODS;
  return value instanceof LarkBytes ? BYTES_METHODS : undefined;
}

/**
 * `undefined` if the attribute does not exist. Methods of a record take precedence over its keys,
 * so data cannot hide them.
 */
export function findAttribute(thread: Thread, value: LarkValue, name: string): LarkValue | undefined {
  const method = methodTable(value)?.get(name);
  if (method !== undefined) return new LarkBuiltin(name, method, value);
  if (value instanceof LarkRecord) return value.get(thread, name);
  if (value instanceof ModuleValue) return value.members.get(name);
  return value instanceof Extension ? value.attribute(name, thread) : undefined;
}

export function attributeNames(thread: Thread, value: LarkValue): string[] {
  chargeElements(thread, value instanceof LarkRecord ? value.size : 0);
  const names = [...(methodTable(value)?.keys() ?? [])];
  if (value instanceof LarkRecord) for (const key of value.keys(thread)) if (typeof key === 'string') names.push(key);
  if (value instanceof ModuleValue) names.push(...value.members.keys());
  if (value instanceof Extension) names.push(...value.attributeNames());
  chargeSort(thread, names.length);
  hasEngineOrder(thread, names);
  return names.sort();
}

export function getAttribute(thread: Thread, value: LarkValue, name: string): LarkValue {
  return orElse(findAttribute(thread, value, name), () => absent(thread, value, name));
}

/**
 * Reports a field that the host did not provide, so that the host can tell it from a mistake of the
 * program.
 */
function absent(thread: Thread, value: LarkValue, name: string): never {
  const verdict = value instanceof LarkRecord ? ({ kind: 'absent', of: value.name, name } as const) : undefined;
  throw new LarkFailure(missing(thread, value, name), verdict);
}

export function missingText(thread: Thread, value: LarkValue, name: string): string {
  return value instanceof Extension ? value.missingAttribute(name, thread) : `${typeOf(value)} has no .${name} field or method`;
}

function missing(thread: Thread, value: LarkValue, name: string): string {
  const text = missingText(thread, value, name);
  const meant = nearest(name, attributeNames(thread, value));
  return meant === undefined ? text : `${text} (did you mean .${meant}?)`;
}

export function setAttribute(value: LarkValue, name: string, to: LarkValue): void {
  if (value instanceof Extension) value.setAttribute(name, to);
  else fail(`can't assign to .${name} field of ${typeOf(value)}`);
}
