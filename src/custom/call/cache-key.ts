/**
 * Cache key of a call: a hash of everything that its response depends on. Every deploy, update or
 * deletion of a version, and every change of a module in use, yields new keys.
 */
import { createHash } from 'node:crypto';
import type { Endpoint } from '../../model/definition.ts';
import type { LarkModules } from '../../model/lark-module.ts';
import { writeJson } from '../../util/json/json.ts';
import { memo } from '../../util/memo.ts';
import type { PlainValue } from '../../util/text/decimal.ts';
import type { Attempt } from './attempt.ts';

export function cacheKey({ call: { caller, format }, endpoint, version, modules, input }: Attempt): string {
  const { definition, compiled } = version;
  const { userId, roles, claims, persona } = caller;
  const hash = createHash('sha256');
  const parts = [
    caller.orgId,
    caller.projectId,
    caller.spaceId,
    definition.definitionId,
    definition.revision,
    endpointRevisions(endpoint),
    compiled.usesModules ? moduleRevisions(modules) : '',
    format,
    compiled.readsContext ? writeJson([userId, [...roles].sort(), sorted(claims ?? new Map()), persona ?? null]) : '',
    writeJson(sorted(input)),
  ];
  // Each part follows its length, so that no two lists of parts hash alike.
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest('base64url');
}

/** Includes the other versions, because any of them may be a rollback version. */
const endpointRevisions = memo(({ versions }: Endpoint) =>
  joined([...versions.values()].flatMap((definitions) => definitions.map(({ revision }) => revision))),
);

const moduleRevisions = memo((modules: LarkModules) =>
  joined(Array.from(modules.values(), ({ module, revision }) => `${module}=${revision}`)),
);

function joined(revisions: readonly string[]): string {
  return revisions.toSorted().join(' ');
}

/** Sorts fields by name: their order does not distinguish requests. */
function sorted(value: PlainValue): PlainValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (!(value instanceof Map)) return value;
  return new Map([...value].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, field]) => [name, sorted(field)]));
}
