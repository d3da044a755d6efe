/** Determines a caller's access to a table or a schema from its effective persona. */
import { type Access, UNRESTRICTED } from '../auto/plan/access.ts';
import { apiError } from '../errors.ts';
import type { Caller, SpaceCaller } from '../model/caller.ts';
import type { Located } from '../model/database-name.ts';
import type { Entry } from '../model/entry.ts';
import type { ProjectContext } from '../model/project.ts';
import type { DeclaredKey } from '../model/relation.ts';
import type { Column, Table } from '../model/table.ts';
import type { EffectivePersona } from './effective-persona.ts';
import type { GrantBook, SchemaGrants } from './grants.ts';

export interface Place extends Located {
  readonly context: ProjectContext;
  readonly caller: Caller;
}

/**
 * Access without tables. The lookup takes as long as for a missing table, so that timing reveals
 * nothing.
 */
const BLIND: Access = {
  key: 'blind',
  restriction: {
    subject: { caller: { userId: '', roles: new Set(), serverKey: false, orgId: '', projectId: '', spaceId: '' }, persona: '' },
    seal: { seal: (text) => text, open: () => undefined },
    rightsOn: () => undefined,
    visibleKeys: () => [],
  },
  isBlind: true,
};

/** Throws `table_unknown` if the caller may not see a table of that name. */
export function accessTo(
  book: GrantBook,
  effective: EffectivePersona,
  caller: SpaceCaller,
  context: ProjectContext,
  entry: Entry,
  schema: string | undefined,
  table: string,
): Access {
  if (effective.kind === 'unrestricted') return UNRESTRICTED;
  if (effective.kind === 'none') throw apiError('persona_none');
  const grants = book.in(effective.persona, context, caller, entry, schema);
  if (grants?.grantsOf(table) !== undefined) return grants.accessFor(caller);
  if (grants?.opensOthers) return BLIND;
  throw apiError('table_unknown', table);
}

/** The part of a schema that is visible to a caller. */
interface SchemaVisibility {
  hasTable(name: string): boolean;
  columnsOf(table: Table): readonly Column[] | undefined;
  /** Relations over other keys are hidden. */
  visibleKeys<K extends DeclaredKey>(keys: readonly K[]): readonly K[];
}

export const EVERYTHING_VISIBLE: SchemaVisibility = {
  hasTable: () => true,
  columnsOf: (table) => table.columns,
  visibleKeys: (keys) => keys,
};
const NOTHING_VISIBLE: SchemaVisibility = { hasTable: () => false, columnsOf: () => undefined, visibleKeys: () => [] };

export function schemaVisibility(book: GrantBook, effective: EffectivePersona, place: Place): SchemaVisibility {
  if (effective.kind === 'unrestricted') return EVERYTHING_VISIBLE;
  if (effective.kind === 'none') return NOTHING_VISIBLE;
  const grants = book.in(effective.persona, place.context, place.caller, place.entry, place.schema);
  return grants === undefined ? NOTHING_VISIBLE : visibilityBy(grants);
}

function visibilityBy(grants: SchemaGrants): SchemaVisibility {
  return {
    hasTable: (name) => grants.grantsOf(name) !== undefined,
    columnsOf: (table) => grants.rightsOn(table)?.visible,
    visibleKeys: (keys) => grants.visibleKeys(keys),
  };
}
