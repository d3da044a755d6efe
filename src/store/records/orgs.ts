/** Organizations in SQL. */
import type { Organization } from '../../model/org.ts';
import type { Sql } from '../sql-driver.ts';
import type { OrgCreation, OrgDraft, OrgRemoval, Renaming } from '../store.ts';

interface OrgRow {
  readonly org_id: string;
  readonly name: string;
  readonly abbreviation: string;
  readonly admin_email: string | null;
  readonly admin_name: string | null;
  readonly address: string | null;
  readonly state: string | null;
  readonly country: string | null;
  readonly pin_code: string | null;
  readonly created_at: string;
  readonly created_by: string;
}

const COLUMNS = 'org_id, name, abbreviation, admin_email, admin_name, address, state, country, pin_code, created_at, created_by';

function toOrganization(row: OrgRow): Organization {
  return {
    orgId: row.org_id,
    name: row.name,
    abbreviation: row.abbreviation,
    adminEmail: row.admin_email,
    adminName: row.admin_name,
    address: row.address,
    state: row.state,
    country: row.country,
    pinCode: row.pin_code,
    createdAt: row.created_at,
    createdBy: row.created_by,
  };
}

export async function findOrganization(sql: Sql, orgId: string): Promise<Organization | undefined> {
  const [row] = await sql.all<OrgRow>(`SELECT ${COLUMNS} FROM organizations WHERE org_id = ?`, [orgId]);
  return row && toOrganization(row);
}

export async function listOrganizations(sql: Sql): Promise<readonly Organization[]> {
  return (await sql.all<OrgRow>(`SELECT ${COLUMNS} FROM organizations ORDER BY org_id`)).map(toOrganization);
}

/** The id takes precedence over the abbreviation when both exist. */
export async function insertOrganization(tx: Sql, org: Organization): Promise<OrgCreation> {
  const taken = await tx.all<OrgRow>(`SELECT ${COLUMNS} FROM organizations WHERE org_id = ? OR abbreviation = ?`, [
    org.orgId,
    org.abbreviation,
  ]);
  const existing = taken.find((row) => row.org_id === org.orgId) ?? taken[0];
  if (existing !== undefined) return { kind: 'exists', org: toOrganization(existing) };
  await tx.all(`INSERT INTO organizations (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, [
    org.orgId,
    org.name,
    org.abbreviation,
    org.adminEmail,
    org.adminName,
    org.address,
    org.state,
    org.country,
    org.pinCode,
    org.createdAt,
    org.createdBy,
  ]);
  return { kind: 'created' };
}

export async function changeOrganization(tx: Sql, orgId: string, draft: OrgDraft): Promise<Renaming> {
  const before = await findOrganization(tx, orgId);
  if (before === undefined) return 'unknown';
  const org = { ...before, ...draft };
  const taken = await tx.all('SELECT org_id FROM organizations WHERE abbreviation = ? AND org_id <> ?', [org.abbreviation, orgId]);
  if (taken.length > 0) return 'abbreviation_taken';
  await tx.all(
    `UPDATE organizations SET name = ?, abbreviation = ?, admin_email = ?, admin_name = ?, address = ?, state = ?, country = ?, pin_code = ?
     WHERE org_id = ?`,
    [org.name, org.abbreviation, org.adminEmail, org.adminName, org.address, org.state, org.country, org.pinCode, orgId],
  );
  return 'changed';
}

export async function deleteOrganization(tx: Sql, orgId: string): Promise<OrgRemoval> {
  if ((await tx.all('SELECT project_id FROM projects WHERE org_id = ? LIMIT 1', [orgId])).length > 0) return 'has_projects';
  const rows = await tx.all('DELETE FROM organizations WHERE org_id = ? RETURNING org_id', [orgId]);
  return rows.length > 0 ? 'removed' : 'unknown';
}
