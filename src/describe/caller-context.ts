/** The context of a caller as data: who it is, where it is, and what it may do there. */
import type { Engines } from '../engines/registry.ts';
import type { Caller } from '../model/caller.ts';
import type { Entry } from '../model/entry.ts';
import type { Operation } from '../model/persona.ts';
import type { PowerToken } from '../model/power-token.ts';
import type { ProjectContext, Space } from '../model/project.ts';
import type { EffectivePersona } from '../personas/effective-persona.ts';
import type { GrantBook } from '../personas/grants.ts';
import { plainDocument } from '../util/json/plain-document.ts';
import type { PlainValue } from '../util/text/decimal.ts';
import { allows, LETTERS } from './table-view.ts';

export interface ContextParts {
  readonly caller: Caller;
  readonly context: ProjectContext;
  readonly effective: EffectivePersona;
  /** The caller's token; `undefined` for a caller with context headers. */
  readonly token: PowerToken | undefined;
  readonly grants: GrantBook;
  readonly engines: Engines;
  readonly version: string;
  readonly maxPageSize: number;
}

/** A caller that names no space is in dev. */
function spaceOf({ spaces }: ProjectContext, { spaceId }: Caller): Space | undefined {
  return spaceId === undefined ? [...spaces.values()].find(({ name }) => name === 'dev') : spaces.get(spaceId);
}

const describeSpace = ({ spaceId, name }: Space) => ({ space_id: spaceId, name });

export function describeContext(parts: ContextParts): PlainValue {
  const { caller, context, effective, token, version, maxPageSize } = parts;
  const { org, project, spaces } = context;
  const space = spaceOf(context, caller);
  return plainDocument({
    version,
    max_page_size: maxPageSize,
    user_id: caller.userId,
    roles: [...caller.roles],
    claims: caller.claims ?? {},
    persona: effective.kind === 'persona' ? effective.persona.persona : null,
    personas: effective.kind === 'persona' ? effective.all.map(({ persona }) => persona) : [],
    unrestricted: effective.kind === 'unrestricted',
    org: { org_id: org.orgId, name: org.name, abbreviation: org.abbreviation },
    project: { project_id: project.projectId, name: project.name, abbreviation: project.abbreviation },
    space: space === undefined ? null : describeSpace(space),
    spaces: [...spaces.values()].map(describeSpace),
    databases: databasesOf(parts),
    token: token === undefined ? null : { token_id: token.tokenId, name: token.name, key_type: token.keyType, expires_at: token.expiresAt },
    may: rightsOf(parts),
  });
}

/** Databases in which a persona grants nothing are hidden from it, as their tables are. */
function databasesOf({ context, engines, effective, grants, caller }: ContextParts): readonly object[] {
  const isVisible = (entry: Entry): boolean =>
    effective.kind === 'unrestricted' ||
    (effective.kind === 'persona' && grants.everywhereIn(effective.persona, context, caller, entry).length > 0);
  return [...context.entries.values()].filter(isVisible).map((entry) => {
    const name = entry.alias ?? entry.database;
    const engine = engines.find(entry.type)?.label ?? entry.type;
    return { ref: `${entry.type}/${name}`, db_type: entry.type, name, engine, read_only: entry.readOnly === true };
  });
}

function rightsOf(parts: ContextParts): object {
  const { caller } = parts;
  const isAdmin = caller.roles.has('admin');
  return {
    read: may(parts, 'read'),
    write: may(parts, 'insert') || may(parts, 'update'),
    delete: may(parts, 'delete'),
    author: (isAdmin || caller.roles.has('power')) && allows(caller, LETTERS.insert),
    admin: isAdmin,
    system: isAdmin && caller.tokenId !== undefined,
  };
}

/** `true` if the token permits the operation, and the persona grants it on some table. */
function may({ caller, context, effective, grants }: ContextParts, operation: Operation): boolean {
  if (!allows(caller, LETTERS[operation]) || effective.kind === 'none') return false;
  if (effective.kind === 'unrestricted') return true;
  return [...context.entries.values()].some(
    (entry) =>
      (operation === 'read' || entry.readOnly !== true) &&
      grants.everywhereIn(effective.persona, context, caller, entry).some((granted) => granted.grants(operation)),
  );
}
