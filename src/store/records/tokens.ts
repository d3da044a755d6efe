/** Power Tokens in SQL, as hashes only. */

import { readClaims } from '../../model/claims.ts';
import type { KeyType, PowerToken } from '../../model/power-token.ts';
import type { ProjectScope } from '../../model/project.ts';
import { writeJson } from '../../util/json/json.ts';
import type { Sql } from '../sql-driver.ts';
import type { Page, TokenCreation } from '../store.ts';
import { spaceExists } from './projects.ts';

interface TokenRow {
  readonly token_id: string;
  readonly hash: string;
  readonly org_id: string;
  readonly project_id: string;
  readonly space_id: string;
  readonly name: string;
  readonly description: string;
  readonly key_type: KeyType;
  readonly roles: string;
  readonly user_id: string;
  readonly feature_id: string | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly persona: string | null;
  readonly claims: string | null;
}

const COLUMNS =
  'token_id, hash, org_id, project_id, space_id, name, description, key_type, roles, user_id, feature_id, created_at, expires_at, persona, claims';
const OWNED = 'org_id = ? AND project_id = ?';

function toToken(row: TokenRow): PowerToken {
  return {
    tokenId: row.token_id,
    hash: row.hash,
    orgId: row.org_id,
    projectId: row.project_id,
    spaceId: row.space_id,
    name: row.name,
    description: row.description,
    keyType: row.key_type,
    roles: new Set(JSON.parse(row.roles) as string[]),
    userId: row.user_id,
    featureId: row.feature_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    persona: row.persona,
    claims: row.claims === null ? null : readClaims(row.claims),
    expiresAtMs: row.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(row.expires_at),
  };
}

export async function findToken(sql: Sql, hash: string): Promise<PowerToken | undefined> {
  const [row] = await sql.all<TokenRow>(`SELECT ${COLUMNS} FROM tokens WHERE hash = ?`, [hash]);
  return row && toToken(row);
}

export async function listTokens(sql: Sql, scope: ProjectScope, page: Page): Promise<readonly PowerToken[]> {
  const rows = await sql.all<TokenRow>(`SELECT ${COLUMNS} FROM tokens WHERE ${OWNED} ORDER BY token_id LIMIT ? OFFSET ?`, [
    scope.orgId,
    scope.projectId,
    page.limit,
    page.offset,
  ]);
  return rows.map(toToken);
}

export async function insertToken(tx: Sql, token: PowerToken): Promise<TokenCreation> {
  if (!(await spaceExists(tx, token))) return 'project_unknown';
  const named = await tx.all(`SELECT token_id FROM tokens WHERE ${OWNED} AND name = ?`, [token.orgId, token.projectId, token.name]);
  if (named.length > 0) return 'name_taken';
  await tx.all(`INSERT INTO tokens (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, [
    token.tokenId,
    token.hash,
    token.orgId,
    token.projectId,
    token.spaceId,
    token.name,
    token.description,
    token.keyType,
    JSON.stringify([...token.roles]),
    token.userId,
    token.featureId,
    token.createdAt,
    token.expiresAt,
    token.persona,
    token.claims === null ? null : writeJson(token.claims),
  ]);
  return 'created';
}

/** Returns the hash of the deleted token, by which all instances drop it. */
export async function deleteToken(tx: Sql, scope: ProjectScope, tokenId: string): Promise<string | undefined> {
  const [row] = await tx.all<{ hash: string }>(`DELETE FROM tokens WHERE ${OWNED} AND token_id = ? RETURNING hash`, [
    scope.orgId,
    scope.projectId,
    tokenId,
  ]);
  return row?.hash;
}
