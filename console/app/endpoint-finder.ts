/** Offers endpoints in the palette. */
import { context } from '../api/context.ts';
import { getJson } from '../api/request.ts';
import { type Command, finders } from './commands.ts';
import { addressOf, navigate } from './router.ts';

interface Found {
  readonly method: string;
  readonly uri: string;
}

/** Age up to which the list is used again. */
const FRESH_MS = 15_000;
const MAX_FOUND = 20;
let asked: { readonly at: number; readonly spaceId: string; readonly list: Promise<readonly Found[]> } | undefined;

function endpoints(): Promise<readonly Found[]> {
  const spaceId = context.value?.space.space_id ?? '';
  if (asked === undefined || asked.spaceId !== spaceId || Date.now() - asked.at > FRESH_MS)
    asked = { at: Date.now(), spaceId, list: getJson<readonly Found[]>('rest/definition/v1/list') };
  return asked.list;
}

async function findEndpoints(text: string): Promise<readonly Command[]> {
  if (text.trim() === '' || context.value === undefined) return [];
  const words = text.toLowerCase().split(/\s+/);
  const names = new Map((await endpoints()).map((one) => [`${one.method} ${one.uri}`, one]));
  return [...names]
    .filter(([name]) => words.every((word) => `${name} endpoint`.includes(word)))
    .slice(0, MAX_FOUND)
    .map(([name, { method, uri }]) => ({
      label: name,
      hint: 'endpoint',
      run: () => void navigate(addressOf(['endpoints', method, ...uri.split('/')])),
    }));
}

export function startEndpointFinder(): void {
  finders.add(findEndpoints);
}
