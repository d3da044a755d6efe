/**
 * The cache key of a call. It contains everything that the answer depends on: the tenant, the version and the others beside it (so that every deploy,
 * update and deletion makes new keys), the modules, the input, the format, and the caller if a step reads it.
 */
import { createHash } from 'node:crypto';
import type { SpaceCaller } from '../../model/caller.ts';
import type { Endpoint } from '../../model/definition.ts';
import type { LarkModules } from '../../model/lark-module.ts';
import { writeJson } from '../../util/json/json.ts';
import type { PlainMap, PlainValue } from '../../util/text/decimal.ts';
import type { Version } from './endpoint-resolver.ts';

export interface KeyParts {
  readonly caller: SpaceCaller;
  readonly endpoint: Endpoint;
  readonly version: Version;
  readonly modules: LarkModules;
  readonly input: PlainMap;
  readonly format: string;
}

export function keyOf({ caller, endpoint, version, modules, input, format }: KeyParts): string {
  const { definition, compiled } = version;
  const hash = createHash('sha256');
  const add = (text: string): void => void hash.update(`${text.length}:`).update(text);
  add(caller.orgId);
  add(caller.projectId);
  add(caller.spaceId);
  add(definition.definitionId);
  add(definition.revision);
  add(stampOf(endpoint));
  add(compiled.usesModules ? moduleStampOf(modules) : '');
  add(format);
  add(
    compiled.readsContext
      ? writeJson([caller.userId, [...caller.roles].sort(), sorted(caller.claims ?? new Map()), caller.persona ?? null])
      : '',
  );
  add(writeJson(sorted(input)));
  return hash.digest('base64url');
}

const stamps = new WeakMap<object, string>();

function stampOf(endpoint: Endpoint): string {
  return kept(endpoint, () => [...endpoint.versions.values()].flatMap((versions) => versions.map(({ revision }) => revision)));
}

function moduleStampOf(modules: LarkModules): string {
  return kept(modules, () => [...modules.values()].map(({ module, revision }) => `${module}=${revision}`));
}

function kept(owner: object, parts: () => readonly string[]): string {
  const known = stamps.get(owner);
  if (known !== undefined) return known;
  const stamp = [...parts()].sort().join(' ');
  stamps.set(owner, stamp);
  return stamp;
}

/** The same fields in another order are the same request. */
function sorted(value: PlainValue): PlainValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (!(value instanceof Map)) return value;
  return new Map([...value].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, field]) => [name, sorted(field)]));
}
