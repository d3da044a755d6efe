/** Everything that is predeclared in every program: the builtins and the loadable modules. */

import { STRUCT } from '../values/struct.ts';
import type { LarkValue } from '../values/value.ts';
import { CORE } from './builtins.ts';
import { JSON_MODULE } from './json/module.ts';
import { MATH } from './math-module.ts';
import { TIME } from './time/module.ts';

const MODULES = [JSON_MODULE, MATH, TIME];

export const UNIVERSE: ReadonlyMap<string, LarkValue> = new Map<string, LarkValue>([
  ...CORE,
  ...MODULES.map((module) => [module.name, module] as const),
  ['struct', STRUCT],
]);

/** `load("json", "encode")` loads a member, `load("json.star", "json")` the module itself. */
const LOADABLE: ReadonlyMap<string, ReadonlyMap<string, LarkValue>> = new Map<string, ReadonlyMap<string, LarkValue>>([
  ...MODULES.flatMap((module) => [
    [module.name, new Map<string, LarkValue>([[module.name, module], ...module.members])] as const,
    [`${module.name}.star`, new Map<string, LarkValue>([[module.name, module]])] as const,
  ]),
  ['struct', new Map([['struct', STRUCT]])],
  ['struct.star', new Map([['struct', STRUCT]])],
]);

/** `true` if a module is available even if the host provides none. */
export function isBuiltinModule(name: string): boolean {
  return LOADABLE.has(name);
}

export function builtinModule(name: string): ReadonlyMap<string, LarkValue> | undefined {
  return LOADABLE.get(name);
}
