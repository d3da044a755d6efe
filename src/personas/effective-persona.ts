/**
 * Determines the effective persona of a caller in its space: unrestricted, one persona, or none.
 * Must not know tables.
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
  /** `persona` is in force; `all` are the caller's personas in order. */
  | { readonly kind: 'persona'; readonly persona: PersonaRecord; readonly all: readonly PersonaRecord[] }
  | { readonly kind: 'none' };

const UNRESTRICTED: EffectivePersona = { kind: 'unrestricted' };
const NONE: EffectivePersona = { kind: 'none' };
const ADMIN = 'admin';

/** Throws if the caller requests a persona that it does not have. */
export function effectivePersonaOf(store: Store, caller: Caller, context: ProjectContext): MaybePromise<EffectivePersona> {
  const space = caller.spaceId === undefined ? firstSpace(context) : context.spaces.get(caller.spaceId);
  if (space?.isGuarded !== true) return inOpenSpace(caller);
  const { org, project } = context;
  return after(store.personas(org.orgId, project.projectId, space.spaceId), (personas) =>
    // The last persona may have been deleted since the project was read.
    personas === undefined || personas.size === 0 ? inOpenSpace(caller) : choose(personas, caller),
  );
}

/** The default space is dev. */
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

/** A token bound to a persona cannot act as another one. */
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
