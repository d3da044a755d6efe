// Authorization of plans without a database. Every mutation of `scripts/mutate-access.mjs` fails
// here. MILLRACE_TEST_SEED repeats a run.
import { expect, test } from 'vitest';
import type { Caller } from '../../src/model/caller.ts';
import type { PersonaRecord } from '../../src/model/persona.ts';
import type { ProjectContext } from '../../src/model/project.ts';
import { effectivePersonaOf } from '../../src/personas/effective-persona.ts';
import type { Store } from '../../src/store/store.ts';
import { oracle, PROMISES } from './authorize-checks.ts';

const SEED = Number(process.env['MILLRACE_TEST_SEED'] ?? Date.now() % 1_000_000);
const PERSONAS = Number(process.env['MILLRACE_TEST_PERSONAS'] ?? 100);

test(`personas read and write what the oracle derives from the document (seed ${SEED})`, () => oracle(SEED, PERSONAS));
test.each(Object.entries(PROMISES))('%s', (_, check) => check());

/** A space with many personas, one per role; `looks` counts reads of their roles. */
function space(count: number): { readonly store: Store; readonly looks: () => number } {
  let looks = 0;
  const personas = new Map(
    Array.from({ length: count }, (_, i): [string, PersonaRecord] => {
      const record = { persona: `p${i}`, about: '', rank: i, document: '{}', userId: 'u', updatedAt: '', revision: String(i) };
      const roles = [`r${i}`, 'all'];
      return [
        record.persona,
        Object.defineProperty(record, 'roles', {
          get: () => {
            looks++;
            return roles;
          },
        }) as PersonaRecord,
      ];
    }),
  );
  return { store: { personas: () => personas } as unknown as Store, looks: () => looks };
}

const context = {
  org: { orgId: 'o' },
  project: { projectId: 'p' },
  spaces: new Map([['s', { spaceId: 's', name: 'dev', isGuarded: true }]]),
} as unknown as ProjectContext;
const caller = (roles: readonly string[], more: Partial<Caller> = {}): Caller => ({
  userId: 'u',
  roles: new Set(roles),
  serverKey: false,
  orgId: 'o',
  projectId: 'p',
  spaceId: 's',
  ...more,
});

test('the roles of a thousand personas are read once per list of roles', async () => {
  const { store, looks } = space(1000);
  const roles = new Set(['r7', 'r900']);
  const ask = (more: Partial<Caller> = {}) => effectivePersonaOf(store, caller([], { roles, ...more }), context);
  expect(await ask()).toMatchObject({ kind: 'persona', persona: { persona: 'p7' } });
  const first = looks();
  for (let i = 0; i < 100; i++) await ask({ userId: String(i) });
  expect(await ask({ personaAsked: 'p900' })).toMatchObject({ persona: { persona: 'p900' } });
  await ask({ personaBound: 'p500' });
  expect(looks()).toBe(first);
});

test('the effective persona follows roles, rank, request and token', async () => {
  const { store } = space(3);
  const acts = async (roles: readonly string[], more: Partial<Caller> = {}, at = context): Promise<unknown> => {
    try {
      const effective = await effectivePersonaOf(store, caller(roles, more), at);
      return effective.kind === 'persona' ? [effective.persona.persona, ...effective.all.map(({ persona }) => persona)] : effective.kind;
    } catch (error) {
      return (error as { status?: number }).status;
    }
  };
  expect(await acts(['r1'])).toEqual(['p1', 'p1']);
  expect(await acts(['all'])).toEqual(['p0', 'p0', 'p1', 'p2']);
  expect(await acts(['all'], { personaAsked: 'p2' })).toEqual(['p2', 'p0', 'p1', 'p2']);
  expect(await acts(['r1'], { personaAsked: 'p2' })).toBe(403);
  expect(await acts(['r1'], { personaAsked: 'none' })).toBe(403);
  expect(await acts(['stranger'])).toBe('none');
  expect(await acts(['admin'])).toBe('unrestricted');
  expect(await acts(['admin', 'r1'])).toBe('unrestricted');
  expect(await acts(['admin'], { personaAsked: 'p2' })).toEqual(['p2', 'p2']);
  expect(await acts(['admin'], { personaAsked: 'none' })).toBe(404);
  expect(await acts(['admin'], { personaBound: 'p1' })).toEqual(['p1', 'p1']);
  expect(await acts(['all'], { personaBound: 'p1', personaAsked: 'p2' })).toBe(403);
  expect(await acts(['all'], { personaBound: 'gone' })).toBe(403);
  const open = { ...context, spaces: new Map([['s', { spaceId: 's', name: 'dev' as const }]]) };
  expect(await acts(['stranger'], {}, open)).toBe('unrestricted');
  expect(await acts(['admin'], { personaAsked: 'p1' }, open)).toBe(404);
});

test('an open space needs no store: it works while the store confirms nothing', () => {
  const open = { ...context, spaces: new Map([['s', { spaceId: 's', name: 'dev' as const }]]) };
  const store = {
    personas: () => {
      throw new Error('unconfirmed');
    },
  } as unknown as Store;
  expect(effectivePersonaOf(store, caller(['user']), open)).toEqual({ kind: 'unrestricted' });
  expect(() => effectivePersonaOf(store, caller(['user']), context)).toThrow('unconfirmed');
});
