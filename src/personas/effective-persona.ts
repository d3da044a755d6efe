/**
 * As whom a caller acts in its space: without restriction, as one persona, or as nobody. Knows nothing of tables: what a persona grants is said
 * elsewhere.
 */
import { apiError } from '../errors.ts';
import type { Caller } from '../model/caller.ts';
import type { PersonaRecord, Personas } from '../model/persona.ts';
import type { ProjectContext, Space } from '../model/project.ts';
import type { Store } from '../store/store.ts';
import { after, type MaybePromise } from '../util/concurrency/maybe-promise.ts';
import { memoPair } from '../util/memo.ts';

export type EffectivePersona =
  | { readonly kind: 'unrestricted' }
  /** `persona`: the one in force. `all`: those that the caller has, in order. */
  | { readonly kind: 'persona'; readonly persona: PersonaRecord; readonly all: readonly PersonaRecord[] }
  | { readonly kind: 'none' };

const UNRESTRICTED: EffectivePersona = { kind: 'unrestricted' };
const NONE: EffectivePersona = { kind: 'none' };
const ADMIN = 'admin';

/** Throws when the caller asks to act as someone it is not. A space without personas costs one look. */
export function effectivePersonaOf(store: Store, caller: Caller, context: ProjectContext): MaybePromise<EffectivePersona> {
  const space = caller.spaceId === undefined ? firstSpace(context) : context.spaces.get(caller.spaceId);
  if (space?.isGuarded !== true) return inOpenSpace(caller);
  const { org, project } = context;
  return after(store.personas(org.orgId, project.projectId, space.spaceId), (personas) =>
    // The last one may have gone since the project was looked up.
    personas === undefined || personas.size === 0 ? inOpenSpace(caller) : choose(personas, caller),
  );
}

/** Where a caller names no space, it is in dev. */
function firstSpace({ spaces }: ProjectContext): Space | undefined {
  for (const space of spaces.values()) if (space.name === 'dev') return space;
  return undefined;
}

function inOpenSpace({ personaAsked }: Caller): EffectivePersona {
  if (personaAsked !== undefined) throw apiError('persona_unknown', personaAsked);
  return UNRESTRICTED;
}

function choose(personas: Personas, caller: Caller): EffectivePersona {
  const { personaAsked, personaBound, roles } = caller;
  if (personaBound !== undefined) return bound(personas, personaBound, personaAsked);
  const effective = byRoles(personas, roles);
  if (personaAsked === undefined) return roles.has(ADMIN) ? UNRESTRICTED : effective;
  const all = effective.kind === 'persona' ? effective.all : [];
  const persona = personas.get(personaAsked);
  if (roles.has(ADMIN)) {
    if (persona === undefined) throw apiError('persona_unknown', personaAsked);
    return { kind: 'persona', persona, all: all.includes(persona) ? all : [...all, persona] };
  }
  if (persona === undefined || !all.includes(persona)) throw apiError('persona_not_yours', personaAsked);
  return { kind: 'persona', persona, all };
}

/** A token that acts as a persona acts as no other. */
function bound(personas: Personas, name: string, asked: string | undefined): EffectivePersona {
  const persona = personas.get(name);
  if (persona === undefined || (asked !== undefined && asked !== name)) throw apiError('persona_not_yours', asked ?? name);
  return { kind: 'persona', persona, all: [persona] };
}

const byRoles = memoPair((personas: Personas, roles: ReadonlySet<string>): EffectivePersona => {
  const all = [...personas.values()].filter((persona) => persona.roles.some((role) => roles.has(role)));
  const [first] = all;
  return first === undefined ? NONE : { kind: 'persona', persona: first, all };
});
