/** Requests about definitions. */

import { type Exact, type ExactObject, isObject, parseExact, writeExact } from '../../../ui/exact.ts';
import { context } from '../../api/context.ts';
import { getJson, request, sendJson } from '../../api/request.ts';
import { newUlid } from '../../api/ulid.ts';
import type { CheckAnswer } from '../../parts/check.ts';
import { withIdentifiers, withoutIdentifiers } from './definition.ts';
import { shapeOf } from './versions.ts';

const PATH = 'rest/definition/v1';
const YAML = 'application/x-yaml';

/** An item of the list. */
export interface Definition {
  readonly definition_id: string;
  readonly uri: string;
  readonly method: string;
  readonly version: string;
  readonly updated_at: string;
  readonly uses: { readonly tables: readonly string[]; readonly modules: readonly string[] };
  readonly last_failure: { readonly time: string; readonly message: string | null } | null;
  /** `true` if it answers calls without a version. */
  readonly default?: boolean;
  readonly rollback_version?: string | null;
  readonly permission?: readonly string[];
  readonly summary?: string | null;
  readonly database?: string | null;
}

export interface Revision {
  readonly revision_id: string;
  readonly version: string;
  readonly action: 'deploy' | 'update' | 'delete' | 'copy';
  readonly user_id: string;
  readonly at: string;
}

/** Adds the identifiers of the caller's context. */
function inContext(source: string): string {
  const { value } = context;
  if (value === undefined) return source;
  const { org, project, space, user_id } = value;
  return withIdentifiers(source, {
    org_id: org.org_id,
    project_id: project.project_id,
    space_id: space.space_id,
    user_id,
    feature_id: newUlid(),
  });
}

export const mayAuthor = (): boolean => context.value?.may.author === true;

export const listDefinitions = (signal?: AbortSignal): Promise<readonly Definition[]> =>
  getJson<readonly Definition[]>(`${PATH}/list`, signal === undefined ? {} : { signal });

/** Versions of an endpoint in the order of the list, the one that answers by default first. */
export function versionsOf(all: readonly Definition[], method: string, uri: string): readonly Definition[] {
  const own = all.filter((one) => one.method === method && shapeOf(one.uri) === shapeOf(uri));
  return [...own.filter((one) => one.default === true), ...own.filter((one) => one.default !== true)];
}

/** The document as its author wrote it, without identifiers. */
export async function readText(definitionId: string, signal?: AbortSignal): Promise<string> {
  const query = { definition_id: definitionId, format: 'yaml' };
  const { text } = await request('GET', PATH, { query, ...(signal === undefined ? {} : { signal }) });
  return withoutIdentifiers(text);
}

async function readObject(path: string, query: Record<string, string>): Promise<ExactObject> {
  const answer = parseExact((await request('GET', path, { query })).text);
  const document = isObject(answer) ? answer['definition'] : undefined;
  return isObject(document) ? document : {};
}

export const readDocument = (definitionId: string): Promise<ExactObject> => readObject(PATH, { definition_id: definitionId });
export const readRevision = (revisionId: string): Promise<ExactObject> => readObject(`${PATH}/history`, { revision_id: revisionId });

export const readHistory = (method: string, uri: string, signal: AbortSignal): Promise<readonly Revision[]> =>
  getJson<readonly Revision[]>(`${PATH}/history`, { query: { uri, method }, signal });

export async function checkText(source: string, signal?: AbortSignal): Promise<CheckAnswer> {
  const body = inContext(source);
  const answer = await request('POST', `${PATH}/check`, { body, contentType: YAML, ...(signal === undefined ? {} : { signal }) });
  return JSON.parse(answer.text) as CheckAnswer;
}

export interface Trial {
  readonly definition: string;
  readonly input: ExactObject;
  readonly roles: readonly string[];
}

/** Runs a definition in a transaction that is rolled back. Values stay exact. */
export async function runTrial({ definition, input, roles }: Trial, signal: AbortSignal): Promise<Exact> {
  const body = writeExact({ definition: inContext(definition), input, roles });
  return parseExact((await request('POST', `${PATH}/check`, { query: { execute: 'true' }, body, signal })).text);
}

export const deployText = (source: string): Promise<{ definition_id: string; warnings: readonly string[] }> =>
  request('POST', PATH, { body: inContext(source), contentType: YAML }).then(
    ({ text }) => JSON.parse(text) as { definition_id: string; warnings: readonly string[] },
  );

export async function deleteVersion({ uri, method, version }: Definition): Promise<void> {
  await request('DELETE', PATH, { query: { uri, method, version } });
}

export interface PromotionChoice {
  readonly definitions: readonly string[];
  readonly target: string;
  readonly version: string;
  readonly modules: boolean;
  readonly overwrite: boolean;
  readonly force: boolean;
}

type State = 'new' | 'same' | 'changed';

export interface PromotionPlan {
  readonly definitions: readonly {
    readonly uri: string;
    readonly method: string;
    readonly version: string;
    readonly state: State;
    readonly diff: string;
  }[];
  readonly modules: readonly { readonly module: string; readonly state: State; readonly diff: string }[];
  readonly databases: readonly { readonly ref: string; readonly ok: boolean; readonly reason?: string }[];
  readonly problems: readonly { readonly message: string }[];
}

function promotionBody({ definitions, target, version, ...flags }: PromotionChoice): object {
  const { value } = context;
  return {
    org_id: value?.org.org_id,
    project_id: value?.project.project_id,
    space_id: value?.space.space_id,
    user_id: value?.user_id,
    definition_list: definitions,
    target_version: version,
    target_space_id: target,
    ...flags,
  };
}

export const diffPromotion = (choice: PromotionChoice, signal: AbortSignal): Promise<PromotionPlan> =>
  sendJson<PromotionPlan>('POST', `${PATH}/space/diff`, promotionBody(choice), { signal });

export interface Promoted {
  readonly copied: readonly { readonly uri: string; readonly method: string; readonly version: string }[];
  readonly modules?: readonly string[];
  readonly warnings: readonly string[];
}

export const promote = (choice: PromotionChoice): Promise<Promoted> =>
  sendJson<Promoted>('PUT', `${PATH}/space/copy`, promotionBody(choice));
