/** Projects and their spaces in SQL. */
import type { OrgScope } from '../../model/org.ts';
import type { Project, ProjectContext, ProjectScope, Space, SpaceName } from '../../model/project.ts';
import type { KeyRing } from '../secrets.ts';
import type { Sql } from '../sql-driver.ts';
import type { EntryDraft, ProjectCreation, ProjectDraft, ProjectSummary, Renaming } from '../store.ts';
import { insertEntries, readEntries } from './entries.ts';
import { findOrganization } from './orgs.ts';

interface ProjectRow {
  readonly project_id: string;
  readonly org_id: string;
  readonly name: string;
  readonly abbreviation: string;
  readonly description: string;
  readonly created_at: string;
}

interface SpaceRow {
  readonly project_id: string;
  readonly space_id: string;
  readonly name: SpaceName;
  readonly guarded: number;
}

const COLUMNS = 'project_id, org_id, name, abbreviation, description, created_at';
const SPACE_COLUMNS = `project_id, space_id, name,
  CASE WHEN EXISTS (SELECT 1 FROM personas WHERE personas.space_id = spaces.space_id) THEN 1 ELSE 0 END AS guarded`;
const OWNED = 'org_id = ? AND project_id = ?';

function toProject(row: ProjectRow): Project {
  return {
    projectId: row.project_id,
    orgId: row.org_id,
    name: row.name,
    abbreviation: row.abbreviation,
    description: row.description,
    createdAt: row.created_at,
  };
}

const toSpace = ({ space_id, name, guarded }: SpaceRow): Space => ({ spaceId: space_id, name, ...(guarded > 0 && { isGuarded: true }) });

async function findProject(sql: Sql, scope: ProjectScope): Promise<Project | undefined> {
  const [row] = await sql.all<ProjectRow>(`SELECT ${COLUMNS} FROM projects WHERE ${OWNED}`, [scope.orgId, scope.projectId]);
  return row && toProject(row);
}

async function readSpaces(sql: Sql, scope: ProjectScope): Promise<readonly Space[]> {
  const rows = await sql.all<SpaceRow>(`SELECT ${SPACE_COLUMNS} FROM spaces WHERE ${OWNED} ORDER BY position`, [
    scope.orgId,
    scope.projectId,
  ]);
  return rows.map(toSpace);
}

export async function projectExists(sql: Sql, scope: ProjectScope): Promise<boolean> {
  return (await findProject(sql, scope)) !== undefined;
}

/** `true` if the space belongs to the project and the project to the organization. */
export async function spaceExists(sql: Sql, scope: ProjectScope & { readonly spaceId: string }): Promise<boolean> {
  const rows = await sql.all(`SELECT space_id FROM spaces WHERE ${OWNED} AND space_id = ?`, [scope.orgId, scope.projectId, scope.spaceId]);
  return rows.length > 0;
}

export async function readProjectContext(sql: Sql, ring: KeyRing, scope: ProjectScope): Promise<ProjectContext | undefined> {
  const [org, project, spaces, entrySet] = await Promise.all([
    findOrganization(sql, scope.orgId),
    findProject(sql, scope),
    readSpaces(sql, scope),
    readEntries(sql, ring, scope),
  ]);
  if (org === undefined || project === undefined) return undefined;
  return { org, project, spaces: new Map(spaces.map((space) => [space.spaceId, space])), ...entrySet };
}

export async function listProjects(sql: Sql, scope: OrgScope): Promise<readonly ProjectSummary[]> {
  const [projects, spaces] = await Promise.all([
    sql.all<ProjectRow>(`SELECT ${COLUMNS} FROM projects WHERE org_id = ? ORDER BY project_id`, [scope.orgId]),
    sql.all<SpaceRow>(`SELECT ${SPACE_COLUMNS} FROM spaces WHERE org_id = ? ORDER BY project_id, position`, [scope.orgId]),
  ]);
  const spacesOf = new Map(projects.map((row) => [row.project_id, [] as Space[]]));
  for (const row of spaces) spacesOf.get(row.project_id)?.push(toSpace(row));
  return projects.map((row) => ({ project: toProject(row), spaces: spacesOf.get(row.project_id) ?? [] }));
}

export async function insertProject(
  tx: Sql,
  ring: KeyRing,
  project: Project,
  spaces: readonly Space[],
  entries: readonly EntryDraft[],
): Promise<ProjectCreation> {
  if ((await findOrganization(tx, project.orgId)) === undefined) return { kind: 'org_unknown' };
  const taken = await tx.all<ProjectRow>(`SELECT ${COLUMNS} FROM projects WHERE project_id = ? OR (org_id = ? AND abbreviation = ?)`, [
    project.projectId,
    project.orgId,
    project.abbreviation,
  ]);
  const existing = taken.find((row) => row.project_id === project.projectId) ?? taken[0];
  if (existing !== undefined && existing.org_id !== project.orgId) return { kind: 'id_taken' };
  if (existing !== undefined) {
    const found = toProject(existing);
    return { kind: 'exists', existing: { project: found, spaces: await readSpaces(tx, found) } };
  }
  await tx.all(`INSERT INTO projects (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`, [
    project.projectId,
    project.orgId,
    project.name,
    project.abbreviation,
    project.description,
    project.createdAt,
  ]);
  for (const [position, space] of spaces.entries())
    await tx.all('INSERT INTO spaces (org_id, project_id, space_id, name, position) VALUES (?, ?, ?, ?, ?)', [
      project.orgId,
      project.projectId,
      space.spaceId,
      space.name,
      position,
    ]);
  await insertEntries(tx, ring, project, entries, 0);
  return { kind: 'created' };
}

export async function changeProject(tx: Sql, scope: ProjectScope, draft: ProjectDraft): Promise<Renaming> {
  const before = await findProject(tx, scope);
  if (before === undefined) return 'unknown';
  const { name, abbreviation, description } = { ...before, ...draft };
  const taken = await tx.all('SELECT project_id FROM projects WHERE org_id = ? AND abbreviation = ? AND project_id <> ?', [
    scope.orgId,
    abbreviation,
    scope.projectId,
  ]);
  if (taken.length > 0) return 'abbreviation_taken';
  await tx.all(`UPDATE projects SET name = ?, abbreviation = ?, description = ? WHERE ${OWNED}`, [
    name,
    abbreviation,
    description,
    scope.orgId,
    scope.projectId,
  ]);
  return 'changed';
}

/** Deletes the project; foreign keys delete everything that belongs to it. */
export async function deleteProject(tx: Sql, scope: ProjectScope): Promise<boolean> {
  const rows = await tx.all(`DELETE FROM projects WHERE ${OWNED} RETURNING project_id`, [scope.orgId, scope.projectId]);
  return rows.length > 0;
}
