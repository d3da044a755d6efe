/**
 * Caller values such as `?:user_id` and `?:claims.region`. They are never parsed as part of a
 * filter. Must not know tables or SQL.
 */
import type { SpaceCaller } from '../model/caller.ts';
import { Decimal, type PlainValue } from '../util/text/decimal.ts';

const MARK = '?:';
const CLAIM = 'claims.';
/** Names that need no quotes in a filter. */
const CLAIM_NAME = /^[^\s"(),]{1,128}$/;

const KNOWN: ReadonlyMap<string, (caller: SpaceCaller) => PlainValue> = new Map<string, (caller: SpaceCaller) => PlainValue>([
  ['user_id', (caller) => caller.userId],
  ['org_id', (caller) => caller.orgId],
  ['project_id', (caller) => caller.projectId],
  ['space_id', (caller) => caller.spaceId],
  ['roles', (caller) => [...caller.roles]],
]);

export const KNOWN_NAMES = [...[...KNOWN.keys()].map((name) => MARK + name), '?:claims.<name>'].join(', ');

export function isCallerValue(text: string): boolean {
  return text.startsWith(MARK);
}

/** Returns the name after `?:`, or `undefined` if it is unknown. */
export function callerValueName(text: string): string | undefined {
  const name = text.slice(MARK.length);
  if (KNOWN.has(name)) return name;
  return name.startsWith(CLAIM) && CLAIM_NAME.test(name.slice(CLAIM.length)) ? name : undefined;
}

/** `undefined` if the caller does not have the claim. */
export function callerValue(caller: SpaceCaller, name: string): PlainValue | undefined {
  const known = KNOWN.get(name);
  return known === undefined ? caller.claims?.get(name.slice(CLAIM.length)) : known(caller);
}

/** Returns a single value as text, or `undefined` for a list or map. */
export function textOfValue(value: PlainValue): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  return value instanceof Decimal ? value.text : undefined;
}
