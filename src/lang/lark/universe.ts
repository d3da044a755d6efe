/** Everything that is predeclared in every program: the builtins, and the modules that can also be loaded. */
import { CORE } from './builtins.ts';
import { JSON_MODULE } from './json-module.ts';
import { MATH } from './math-module.ts';
import { STRUCT } from './struct.ts';
import { TIME } from './time-module.ts';
import type { Value } from './value.ts';

const MODULES = [JSON_MODULE, MATH, TIME];

export const UNIVERSE: ReadonlyMap<string, Value> = new Map<string, Value>([
  ...CORE,
  ...MODULES.map((module) => [module.name, module] as const),
  ['struct', STRUCT],
]);

/** `load("json", "encode")` gives a member, `load("json.star", "json")` the module itself. */
const LOADABLE: ReadonlyMap<string, ReadonlyMap<string, Value>> = new Map<string, ReadonlyMap<string, Value>>([
  ...MODULES.flatMap((module) => [
    [module.name, new Map<string, Value>([[module.name, module], ...module.members])] as const,
    [`${module.name}.star`, new Map<string, Value>([[module.name, module]])] as const,
  ]),
  ['struct', new Map([['struct', STRUCT]])],
  ['struct.star', new Map([['struct', STRUCT]])],
]);

export function builtinModule(name: string): ReadonlyMap<string, Value> | undefined {
  return LOADABLE.get(name);
}
