/** Finds or builds the database entry that a definition runs on. No I/O. */
import { createHash } from 'node:crypto';
import { ApiError, apiError } from '../../errors.ts';
import type { Entry } from '../../model/entry.ts';
import { findEntry, type ProjectContext, type ProjectScope } from '../../model/project.ts';
import type { DefinitionDocument } from '../document/document.ts';
import type { OwnDatabase } from '../document/document-database.ts';

/**
 * `entry` is `undefined` for a registered database, which may change or disappear after the deploy.
 */
export interface DatabaseUse {
  readonly document: DefinitionDocument;
  readonly entry: Entry | undefined;
}

export function resolveEntry({ entry, document }: DatabaseUse, context: ProjectContext): Entry {
  if (entry !== undefined) return entry;
  const { name, engine } = document.database;
  const { type } = engine;
  try {
    return findEntry(context, type, name);
  } catch (error) {
    if (error instanceof ApiError && error.key === 'database_unknown')
      throw apiError('step_unreachable', '0', `the database ${type}/${name} is not registered in the project`);
    throw error;
  }
}

/**
 * Builds the entry of a definition with its own database. The id is a hash of tenant and values:
 * versions with the same database share connections, tenants never do.
 */
export function ownEntry(database: OwnDatabase, tenant: ProjectScope, password: string | null): Entry {
  const values = {
    type: database.engine.type,
    database: database.name,
    hosts: database.hosts,
    username: database.username,
    password: password ?? '',
    tls: database.tls,
    ...(database.ca === undefined ? {} : { ca: database.ca }),
    connectTimeoutSecs: database.connectTimeoutSecs,
    idleTimeoutSecs: database.idleTimeoutSecs,
    maxOpenConnections: database.maxOpenConnections,
    maxIdleConnections: database.maxIdleConnections,
  };
  const id = createHash('sha256')
    .update(JSON.stringify([tenant.orgId, tenant.projectId, values]))
    .digest('base64url');
  return { id: `definition-${id}`, ...values, queryTimeoutSecs: database.timeoutSecs };
}
