/** Lark modules in SQL. */
import type { LarkModule, LarkModules } from '../../model/lark-module.ts';
import type { SpaceScope } from '../../model/project.ts';
import { newUlid } from '../../model/ulid.ts';
import type { Sql } from '../sql-driver.ts';
import type { ArrivingModule, ModuleDraft } from '../store.ts';
import { spaceExists } from './projects.ts';

interface ModuleRow {
  readonly module: string;
  readonly code: string;
  readonly user_id: string;
  readonly updated_at: string;
  readonly revision: string;
}

const OWNED = 'org_id = ? AND project_id = ? AND space_id = ?';

function toModule(row: ModuleRow): LarkModule {
  return { module: row.module, code: row.code, userId: row.user_id, updatedAt: row.updated_at, revision: row.revision };
}

export async function readModules(sql: Sql, scope: SpaceScope): Promise<LarkModules> {
  const rows = await sql.all<ModuleRow>(
    `SELECT module, code, user_id, updated_at, revision FROM lark_modules WHERE ${OWNED} ORDER BY module`,
    [scope.orgId, scope.projectId, scope.spaceId],
  );
  return new Map(rows.map((row) => [row.module, toModule(row)]));
}

/** Finds the first module that was changed since its replacement was prepared. */
export async function findChanged(tx: Sql, scope: SpaceScope, arriving: readonly ArrivingModule[]): Promise<string | undefined> {
  const present = await readModules(tx, scope);
  return arriving.find(({ module, replaces }) => (present.get(module)?.revision ?? null) !== replaces)?.module;
}

/** Returns `false` if the space does not belong to the project. */
export async function putModule(tx: Sql, scope: SpaceScope, { module, code, userId }: ModuleDraft): Promise<boolean> {
  if (!(await spaceExists(tx, scope))) return false;
  await tx.all(
    `INSERT INTO lark_modules (org_id, project_id, space_id, module, code, user_id, updated_at, revision) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (space_id, module) DO UPDATE
     SET code = excluded.code, user_id = excluded.user_id, updated_at = excluded.updated_at, revision = excluded.revision`,
    [scope.orgId, scope.projectId, scope.spaceId, module, code, userId, new Date().toISOString(), newUlid()],
  );
  return true;
}

export async function deleteModule(tx: Sql, scope: SpaceScope, module: string): Promise<boolean> {
  const rows = await tx.all(`DELETE FROM lark_modules WHERE ${OWNED} AND module = ? RETURNING module`, [
    scope.orgId,
    scope.projectId,
    scope.spaceId,
    module,
  ]);
  return rows.length > 0;
}
