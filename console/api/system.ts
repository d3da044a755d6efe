/** Requests of set-up, live figures and audit. The holder of the server key names its project. */
import { identity } from './identity.ts';
import { getJson, type RequestOptions, sendJson } from './request.ts';
import type { Space } from './types.ts';

export interface Org {
  readonly org_id: string;
  readonly name: string;
  readonly abbreviation: string;
}

export interface Entry {
  readonly db_type: string;
  readonly db_name: string;
  readonly alias?: string;
  readonly host_details: readonly { readonly host: string; readonly port: string }[];
  readonly username: string;
  readonly tls?: string;
  readonly ca?: string;
  readonly read_only?: boolean;
  readonly spaces?: readonly string[];
}

export interface Project {
  readonly project_id: string;
  readonly org_id: string;
  readonly name: string;
  readonly abbreviation: string;
  readonly description?: string | null;
  readonly spaces: readonly Space[];
  readonly databases: readonly Entry[];
}

export interface Scope {
  readonly orgId?: string | undefined;
  readonly projectId?: string | undefined;
  readonly spaceId?: string | undefined;
  readonly roles?: string;
}

/** Context headers beside the server key. A token has its own context. */
function headersOf({ orgId, projectId, spaceId, roles }: Scope): Record<string, string> {
  if (identity.current.value.kind !== 'server-key') return {};
  return {
    ...(orgId === undefined ? {} : { 'x-org-id': orgId }),
    ...(projectId === undefined ? {} : { 'x-project-id': projectId }),
    ...(spaceId === undefined ? {} : { 'x-space-id': spaceId }),
    ...(roles === undefined ? {} : { 'x-user-roles': roles }),
  };
}

export const getSystem = <T>(path: string, scope: Scope = {}, options: RequestOptions = {}): Promise<T> =>
  getJson<T>(`system/api/v1/${path}`, { ...options, headers: headersOf(scope) });

export const sendSystem = <T>(method: string, path: string, body: unknown, scope: Scope = {}, options: RequestOptions = {}): Promise<T> =>
  sendJson<T>(method, `system/api/v1/${path}`, body, { ...options, headers: headersOf(scope) });
