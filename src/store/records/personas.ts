/** Persona documents and their revisions in SQL. */
import type { PersonaDraft, PersonaRecord, Personas } from '../../model/persona.ts';
import type { SpaceScope } from '../../model/project.ts';
import { newUlid } from '../../model/ulid.ts';
import type { Sql } from '../sql-driver.ts';
import type { PersonaStorage } from '../store.ts';
import { spaceExists } from './projects.ts';

interface PersonaRow {
  readonly persona: string;
  readonly about: string;
  readonly roles: string;
  readonly position: number;
  readonly document: string;
  readonly user_id: string;
  readonly updated_at: string;
  readonly revision: string;
}

const COLUMNS = 'persona, about, roles, position, document, user_id, updated_at, revision';
const OWNED = 'org_id = ? AND project_id = ? AND space_id = ?';

const idsOf = ({ orgId, projectId, spaceId }: SpaceScope) => [orgId, projectId, spaceId] as const;

function toRecord(row: PersonaRow): PersonaRecord {
  return {
    persona: row.persona,
    about: row.about,
    roles: JSON.parse(row.roles) as string[],
    rank: row.position,
    document: row.document,
    userId: row.user_id,
    updatedAt: row.updated_at,
    revision: row.revision,
  };
}

export async function readPersonas(sql: Sql, scope: SpaceScope): Promise<Personas> {
  const rows = await sql.all<PersonaRow>(`SELECT ${COLUMNS} FROM personas WHERE ${OWNED} ORDER BY position, persona`, idsOf(scope));
  return new Map(rows.map((row) => [row.persona, toRecord(row)]));
}

async function namesOf(sql: Sql, scope: SpaceScope): Promise<ReadonlySet<string>> {
  const rows = await sql.all<{ persona: string }>(`SELECT persona FROM personas WHERE ${OWNED}`, idsOf(scope));
  return new Set(rows.map(({ persona }) => persona));
}

/** `wasOpen` is `true` if the space had no persona before. */
export async function putPersonas(
  tx: Sql,
  scope: SpaceScope,
  drafts: readonly PersonaDraft[],
): Promise<{ readonly outcome: PersonaStorage; readonly wasOpen: boolean }> {
  if (!(await spaceExists(tx, scope))) return { outcome: 'space_unknown', wasOpen: false };
  const before = await namesOf(tx, scope);
  const now = new Date().toISOString();
  for (const { persona, about, roles, rank, document, userId } of drafts)
    await tx.all(
      `INSERT INTO personas (org_id, project_id, space_id, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (space_id, persona) DO UPDATE
       SET about = excluded.about, roles = excluded.roles, position = excluded.position, document = excluded.document,
           user_id = excluded.user_id, updated_at = excluded.updated_at, revision = excluded.revision`,
      [...idsOf(scope), persona, about, JSON.stringify(roles), rank, document, userId, now, newUlid()],
    );
  return { outcome: drafts.some(({ persona }) => before.has(persona)) ? 'replaced' : 'created', wasOpen: before.size === 0 };
}

/** `isOpen` is `true` if this was the last persona of the space. */
export async function deletePersona(
  tx: Sql,
  scope: SpaceScope,
  persona: string,
): Promise<{ readonly wasDeleted: boolean; readonly isOpen: boolean }> {
  const rows = await tx.all(`DELETE FROM personas WHERE ${OWNED} AND persona = ? RETURNING persona`, [...idsOf(scope), persona]);
  return { wasDeleted: rows.length > 0, isOpen: (await namesOf(tx, scope)).size === 0 };
}
