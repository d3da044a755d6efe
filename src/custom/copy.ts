/** Copies definitions into another space of the project: all or none, under one version, with references that exist in the target only. */
import { apiError } from '../errors.ts';
import { type Definition, type DefinitionDraft, versionSortKey } from '../model/definition.ts';
import type { SpaceScope } from '../model/project.ts';
import { parseUlid } from '../model/ulid.ts';
import { parseUserId } from '../model/user-id.ts';
import type { PlainMap, PlainValue } from '../util/decimal.ts';
import { compileDefinition, refuseKept } from './compile.ts';
import { type Author, insertedOrRefused, type Management, type ManagementAnswer, nameOf } from './definitions.ts';
import { type DefinitionDocument, editDocument, readDocument } from './document.ts';
import { type Step, StepProblems } from './steps/step.ts';

interface CopyRequest {
  readonly targetVersion: string;
  readonly targetSpaceId: string;
  readonly definitionIds: readonly string[];
}

const TEXTS = ['org_id', 'project_id', 'space_id', 'user_id', 'target_version', 'target_space_id'] as const;

function parseRequest(body: PlainValue, { caller }: Author): CopyRequest {
  if (!(body instanceof Map)) throw apiError('body_not_object');
  const wrong = TEXTS.filter((name) => typeof body.get(name) !== 'string' || body.get(name) === '');
  const list = body.get('definition_list');
  const isList = Array.isArray(list) && (list as readonly PlainValue[]).every((id) => typeof id === 'string');
  if (wrong.length > 0 || !isList)
    throw apiError(
      'bad_field',
      [...wrong.map((name) => `${name} must be a text`), ...(isList ? [] : ['definition_list must be a list of ids'])].join('; '),
    );
  const text = (name: (typeof TEXTS)[number]): string => String(body.get(name));
  const own = { org_id: caller.orgId, project_id: caller.projectId, space_id: caller.spaceId, user_id: caller.userId };
  for (const [name, id] of Object.entries(own))
    if ((name === 'user_id' ? parseUserId : parseUlid)(text(name as keyof typeof own)) !== id) throw apiError('definition_foreign', name);
  if (versionSortKey(text('target_version')) === undefined) throw apiError('refused_field', 'target_version is no version such as 1.2.0');
  if ((list as readonly PlainValue[]).length === 0) throw apiError('refused_field', 'definition_list is empty');
  return {
    targetVersion: text('target_version'),
    targetSpaceId: parseUlid(text('target_space_id')) ?? text('target_space_id'),
    definitionIds: (list as readonly string[]).map((id) => parseUlid(id) ?? id),
  };
}

export async function copy(management: Management, author: Author, body: PlainValue): Promise<ManagementAnswer> {
  const request = parseRequest(body, author);
  const { caller, context } = author;
  if (!context.spaces.has(request.targetSpaceId)) throw apiError('space_unknown');
  const target: SpaceScope = { orgId: caller.orgId, projectId: caller.projectId, spaceId: request.targetSpaceId };
  const sources = await Promise.all(request.definitionIds.map((id) => findSource(management, author, id)));
  const drafts: DefinitionDraft[] = [];
  for (const source of sources) drafts.push(await draftOf(management, author, target, source, request.targetVersion));
  const inserted = insertedOrRefused(await management.store.insertDefinitions(target, drafts, 'drop'), 'copy_conflict');
  const copied = inserted.map(
    ({ definitionId, uri, method, version }, index): PlainMap =>
      new Map([
        ['definition_id', definitionId],
        ['source_definition_id', sources[index]?.definitionId ?? ''],
        ['uri', uri],
        ['method', method],
        ['version', version],
      ]),
  );
  const object = `${inserted.map(nameOf).join(', ')} to space ${request.targetSpaceId}`;
  return { status: 200, body: new Map([['copied', copied]]), object };
}

async function findSource({ store }: Management, { caller }: Author, id: string): Promise<Definition> {
  const definition = await store.definition(caller, id);
  if (definition === undefined) throw apiError('definition_unknown');
  if (definition.unreadable !== null) throw apiError('record_unreadable', `${definition.uri} ${definition.version}`, id);
  return definition;
}

async function draftOf(
  management: Management,
  author: Author,
  target: SpaceScope,
  source: Definition,
  version: string,
): Promise<DefinitionDraft> {
  const { uri, method } = source;
  const deployed = (await management.store.endpoint(target.orgId, target.projectId, target.spaceId, uri))?.versions.get(method) ?? [];
  const keepsRollback = source.rollbackVersion !== version && deployed.some((one) => one.version === source.rollbackVersion);
  const document = editDocument(source.document, [
    { path: ['http', 'version'], text: JSON.stringify(version) },
    { path: ['identifiers', 'space_id'], text: target.spaceId },
    { path: ['identifiers', 'user_id'], text: author.caller.userId },
    ...(keepsRollback ? [] : [{ path: ['config', 'rollback_version'] as const, text: 'null' }]),
  ]);
  // What was deployed compiles; this is the same check again for the copy, with the modules of its new space.
  const read = readDocument(document, management.connections.engines);
  const { steps } = await compileDefinition(read, {
    tenant: target,
    modules: await management.finder.modules(target),
    stage: 'call',
    password: source.password,
  });
  refuseWriting(read, steps);
  return {
    uri,
    method,
    version,
    featureId: source.featureId,
    userId: author.caller.userId,
    rollbackVersion: keepsRollback ? source.rollbackVersion : null,
    document,
    password: source.password,
    uses: source.uses,
  };
}

/** A definition that was stored before this was refused is not copied either. */
function refuseWriting(document: DefinitionDocument, steps: readonly Step[]): void {
  try {
    refuseKept(document, steps);
  } catch (error) {
    throw error instanceof StepProblems ? apiError('definition_invalid', error.message) : error;
  }
}
