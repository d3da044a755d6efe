/** `x.name`: methods of the builtin types, members of modules, fields of what has some. A closed table; nothing of JavaScript is reachable. */
import { BYTES_METHODS } from './bytes-methods.ts';
import { DICT_METHODS } from './dict-methods.ts';
import { fail, orElse } from './failure.ts';
import { LIST_METHODS } from './list-methods.ts';
import { SET_METHODS } from './set-methods.ts';
import { nearest } from './spell.ts';
import { STRING_METHODS } from './string-methods.ts';
import { LarkDict, LarkRecord, LarkSet } from './table.ts';
import { Builtin, type BuiltinBody, Extension, LarkBytes, LarkList, LarkModule, typeOf, type Value } from './value.ts';

/** The methods of one name, by type: looked up once when a call is compiled. */
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

export function methodOf(methods: MethodsNamed, value: Value): BuiltinBody | undefined {
  if (typeof value === 'string') return methods.string;
  if (value instanceof LarkList) return methods.list;
  if (value instanceof LarkDict) return methods.dict;
  if (value instanceof LarkSet) return methods.set;
  return value instanceof LarkBytes ? methods.bytes : undefined;
}

function methodTable(value: Value): ReadonlyMap<string, BuiltinBody> | undefined {
  if (typeof value === 'string') return STRING_METHODS;
  if (value instanceof LarkList) return LIST_METHODS;
  if (value instanceof LarkDict) return DICT_METHODS;
  if (value instanceof LarkSet) return SET_METHODS;
  return value instanceof LarkBytes ? BYTES_METHODS : undefined;
}

/** Undefined when there is no such attribute. Of a record, methods win over keys: nobody's data hides them. */
export function findAttribute(value: Value, name: string): Value | undefined {
  const method = methodTable(value)?.get(name);
  if (method !== undefined) return new Builtin(name, method, value);
  if (value instanceof LarkRecord) return value.get(name);
  if (value instanceof LarkModule) return value.members.get(name);
  return value instanceof Extension ? value.attribute(name) : undefined;
}

export function attributeNames(value: Value): string[] {
  const names = [...(methodTable(value)?.keys() ?? [])];
  if (value instanceof LarkRecord) for (const key of value.keys()) if (typeof key === 'string') names.push(key);
  if (value instanceof LarkModule) names.push(...value.members.keys());
  if (value instanceof Extension) names.push(...value.attributeNames());
  return names.sort();
}

export function getAttribute(value: Value, name: string): Value {
  return orElse(findAttribute(value, name), () => fail(missing(value, name)));
}

export function missingText(value: Value, name: string): string {
  return value instanceof Extension ? value.missingAttribute(name) : `${typeOf(value)} has no .${name} field or method`;
}

function missing(value: Value, name: string): string {
  const text = missingText(value, name);
  const meant = nearest(name, attributeNames(value));
  return meant === undefined ? text : `${text} (did you mean .${meant}?)`;
}

export function setAttribute(value: Value, name: string, to: Value): void {
  if (value instanceof Extension) value.setAttribute(name, to);
  else fail(`can't assign to .${name} field of ${typeOf(value)}`);
}
