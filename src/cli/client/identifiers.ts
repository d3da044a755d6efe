/** Adds the identifiers of a context to definitions that have none of their own. */
import { newUlid } from '../../model/ulid.ts';
import type { Client } from './client.ts';

const IDENTIFIERS = /^identifiers\s*:/m;

/** Place and author of a document. */
export type Ids = Readonly<Record<'org_id' | 'project_id' | 'space_id' | 'user_id', string>>;

/** Adds the identifiers of the context to a document without any. */
export function withIdentifiers(source: string, ids: Ids): string {
  if (IDENTIFIERS.test(source)) return source;
  const { org_id, project_id, space_id, user_id } = ids;
  const lines = Object.entries({ org_id, project_id, space_id, user_id, feature_id: newUlid() }).map(([name, id]) => `  ${name}: ${id}\n`);
  // Appended, so that line numbers of the file stay the same.
  return `${source}${source.endsWith('\n') ? '' : '\n'}identifiers:\n${lines.join('')}`;
}

/** Adds the identifiers given on the command line. */
export function inContext(client: Client, source: string): string {
  const id = (name: string): string => client.setting(name) ?? '';
  return withIdentifiers(source, { org_id: id('org_id'), project_id: id('project_id'), space_id: id('space_id'), user_id: id('user_id') });
}
