/**
 * Management of definitions: deploy, update, delete, get, list, history. Every definition is
 * validated before it is stored. Independent of HTTP except for status codes.
 */
import { apiError, REASONS } from '../../errors.ts';
import type { SpaceCaller } from '../../model/caller.ts';
import {
  compareVersions,
  DEFINITION_METHODS,
  type Definition,
  type DefinitionDraft,
  type DefinitionHead,
  type DefinitionMethod,
  type DefinitionSummary,
  type DefinitionUses,
  shapeOf,
} from '../../model/definition.ts';
import type { DefinitionChange, DefinitionInsertion, DefinitionRevision } from '../../store/store.ts';
import { runCooperatively } from '../../util/concurrency/slices.ts';
import type { PlainMap, PlainValue } from '../../util/text/decimal.ts';
import { type DefinitionDocument, maskPassword, readDocumentSlices, showDocumentSlices } from '../document/document.ts';
import type { Compiled } from '../program/compile.ts';
import { type Tree, YamlProblems } from '../yaml/yaml-tree.ts';
import type { Author, Management } from './management.ts';
import { throwFindings, type ValidateOptions, validateDefinition } from './validate.ts';

/** Roles that may change definitions; one of them suffices. */
export const AUTHORS: readonly string[] = ['admin', 'power'];

interface ValidDefinition {
  readonly tree: Tree;
  readonly document: DefinitionDocument;
  readonly compiled: Compiled;
  readonly password: string | null;
  readonly warnings: readonly string[];
}

export interface ManagementResult {
  readonly status: number;
  readonly body: PlainMap | readonly PlainMap[];
  /** Name of the changed record, for the audit log. */
  readonly object: string;
}

/** Returns a definition that may be stored. Throws one error with all problems. */
async function requireValid(management: Management, author: Author, source: string, options: ValidateOptions): Promise<ValidDefinition> {
  const { tree, document, compiled, password, findings, warnings } = await validateDefinition(management, author, source, options);
  throwFindings(findings);
  if (tree === undefined || document === undefined || compiled === undefined)
    throw new Error('a definition that does not compile has findings');
  return { tree, document, compiled, password, warnings };
}

function draftOf({ tree, document, password, compiled }: ValidDefinition, source: string): DefinitionDraft {
  return {
    uri: document.uri,
    method: document.method,
    version: document.version,
    featureId: document.identifiers.feature_id,
    userId: document.identifiers.user_id,
    rollbackVersion: document.config.rollbackVersion,
    document: maskPassword(source, tree),
    password,
    uses: usesOf(compiled),
    head: headOf(document),
  };
}

export async function deploy(management: Management, author: Author, source: string, options: ValidateOptions): Promise<ManagementResult> {
  const valid = await requireValid(management, author, source, options);
  const inserted = await management.store.insertDefinitions(author.caller, [draftOf(valid, source)], 'refuse');
  const [definition] = insertedOrThrow(inserted, 'definition_exists');
  return { status: 201, body: storedBody(definition?.definitionId ?? '', valid), object: nameOf(valid.document) };
}

/** For example `get reports/sales 1.0.0`. */
export function nameOf({ uri, method, version }: VersionAddress): string {
  return `${method} ${uri} ${version}`;
}

function storedBody(definitionId: string, { warnings }: ValidDefinition): PlainMap {
  return new Map<string, PlainValue>([
    ['definition_id', definitionId],
    ['warnings', warnings],
  ]);
}

/** Tables and modules that a definition names. They are stored with it for lists. */
export function usesOf({ steps }: Compiled): DefinitionUses {
  const unique = (names: readonly string[]): readonly string[] => [...new Set(names)].sort();
  return { tables: unique(steps.flatMap(({ tables = [] }) => tables)), modules: unique(steps.flatMap(({ modules }) => modules)) };
}

/** The parts of a document that lists show. */
export function headOf({ permission, about, database }: DefinitionDocument): DefinitionHead {
  return { permission, summary: about.summary ?? null, database: `${database.engine.type}/${database.name}` };
}

function usesBody({ tables, modules }: DefinitionUses): PlainMap {
  return new Map<string, PlainValue>([
    ['tables', tables],
    ['modules', modules],
  ]);
}

export function insertedOrThrow(inserted: DefinitionInsertion, exists: 'definition_exists' | 'copy_conflict') {
  switch (inserted.kind) {
    case 'inserted':
      return inserted.definitions;
    case 'exists':
      throw apiError(exists, inserted.address.uri, inserted.address.method, inserted.address.version);
    case 'rollback_unknown':
      throw apiError('rollback_unknown', inserted.version);
    case 'module_changed':
      throw apiError('copy_modules_differ', inserted.module);
    case 'space_unknown':
      throw apiError('space_unknown');
  }
}

export async function update(management: Management, author: Author, source: string, options: ValidateOptions): Promise<ManagementResult> {
  const valid = await requireValid(management, author, source, options);
  const changed = await management.store.updateDefinition(author.caller, draftOf(valid, source));
  return {
    status: 200,
    body: storedBody(changedOrThrow(changed, valid.document.version), valid),
    object: nameOf(valid.document),
  };
}

function changedOrThrow(change: DefinitionChange, version: string): string {
  switch (change.kind) {
    case 'changed':
      return change.definitionId;
    case 'unknown':
      throw apiError('definition_unknown');
    case 'referenced':
      throw apiError('definition_referenced', version, change.by);
    case 'rollback_unknown':
      throw apiError('rollback_unknown', change.version);
  }
}

export interface VersionAddress {
  readonly uri: string;
  readonly method: string;
  readonly version: string;
}

export async function remove(
  { store }: Management,
  { caller }: Author,
  { uri, method, version }: VersionAddress,
): Promise<ManagementResult> {
  const change = await store.deleteDefinition(caller, { uri, method: parseMethod(method), version }, caller.userId);
  changedOrThrow(change, version);
  return {
    status: 200,
    body: new Map<string, PlainValue>([
      ['code', 200],
      ['status', REASONS[200] ?? 'OK'],
      ['message', `Version ${version} of ${method} ${uri} was deleted.`],
    ]),
    object: nameOf({ uri, method, version }),
  };
}

export function parseMethod(text: string): DefinitionMethod {
  const method = DEFINITION_METHODS.find((known) => known === text.toLowerCase());
  if (method === undefined) throw apiError('bad_parameter', 'method', `it must be one of ${DEFINITION_METHODS.join(', ')}`);
  return method;
}

export async function find({ store }: Management, { caller }: Author, definitionId: string): Promise<Definition> {
  const definition = await store.definition(caller, definitionId);
  if (definition === undefined) throw apiError('definition_unknown');
  return definition;
}

/** Returns a definition for clients, with passwords masked. */
export async function describeDefinition(definition: Definition, reader: SpaceCaller): Promise<PlainMap> {
  const document = await runCooperatively(showDocumentSlices(definition.document), reader.projectId);
  const summary = describeSummary(definition, reader);
  return new Map(
    [...summary].flatMap(([name, value]) =>
      name === 'created_at'
        ? [
            ['definition', document],
            [name, value],
          ]
        : [[name, value]],
    ) as [string, PlainValue][],
  );
}

/** Failure messages may quote the input of a caller, so only authors see them. */
function describeSummary(definition: DefinitionSummary, reader: SpaceCaller): PlainMap {
  const { lastFailureAt, lastFailureMessage } = definition;
  const failure: PlainValue =
    lastFailureAt === null
      ? null
      : new Map([
          ['time', lastFailureAt],
          ['message', AUTHORS.some((role) => reader.roles.has(role)) ? (lastFailureMessage ?? '') : null],
        ]);
  return new Map<string, PlainValue>([
    ['definition_id', definition.definitionId],
    ['uri', definition.uri],
    ['method', definition.method],
    ['version', definition.version],
    ['created_at', definition.createdAt],
    ['updated_at', definition.updatedAt],
    ['uses', usesBody(definition.uses)],
    ['last_failure', failure],
  ]);
}

export async function list(management: Management, { caller }: Author, method: string | undefined): Promise<readonly PlainMap[]> {
  const summaries = await management.store.listDefinitions(caller, method === undefined ? undefined : parseMethod(method));
  const defaults = defaultVersions(summaries);
  const items: PlainMap[] = [];
  for (const definition of summaries) {
    const { permission, summary, database } = definition.head ?? (await headOfStored(management, caller, definition));
    items.push(
      new Map<string, PlainValue>([
        ...describeSummary(definition, caller),
        ['default', defaults.has(definition)],
        ['rollback_version', definition.rollbackVersion],
        ['permission', permission],
        ['summary', summary],
        ['database', database],
      ]),
    );
  }
  return items;
}

/** The definitions that answer calls without a version: the highest of each uri and method. */
function defaultVersions(summaries: readonly DefinitionSummary[]): ReadonlySet<DefinitionSummary> {
  const highest = new Map<string, DefinitionSummary>();
  for (const definition of summaries) {
    const name = `${definition.method} ${shapeOf(definition.uri)}`;
    const known = highest.get(name);
    if (known === undefined || isHigher(definition.version, known.version)) highest.set(name, definition);
  }
  return new Set(highest.values());
}

/** Versions that are equal, such as 1 and 1.0, are ordered by their text, as calls order them. */
function isHigher(version: string, other: string): boolean {
  const order = compareVersions(version, other);
  return order > 0 || (order === 0 && version > other);
}

/** Reads the document of a definition that an older version of the service deployed. */
async function headOfStored(
  { store, connections }: Management,
  caller: SpaceCaller,
  { definitionId }: DefinitionSummary,
): Promise<{ readonly [K in keyof DefinitionHead]: DefinitionHead[K] | null }> {
  const definition = await store.definition(caller, definitionId);
  try {
    if (definition === undefined) return NO_HEAD;
    return headOf(await runCooperatively(readDocumentSlices(definition.document, connections.engines), caller.projectId));
  } catch (error) {
    if (error instanceof YamlProblems) return NO_HEAD;
    throw error;
  }
}

const NO_HEAD = { permission: null, summary: null, database: null };

/** Revisions of a uri and method, including deleted ones. */
export async function history({ store }: Management, { caller }: Author, uri: string, method: string): Promise<readonly PlainMap[]> {
  return (await store.history(caller, uri, parseMethod(method))).map(describeRevision);
}

export async function revision({ store }: Management, { caller }: Author, revisionId: string): Promise<PlainMap> {
  const stored = await store.revision(caller, revisionId);
  if (stored === undefined) throw apiError('definition_unknown');
  return describeRevision(stored).set('definition', await runCooperatively(showDocumentSlices(stored.document), caller.projectId));
}

function describeRevision({ revisionId, definitionId, version, action, userId, at }: DefinitionRevision): PlainMap {
  return new Map<string, PlainValue>([
    ['revision_id', revisionId],
    ['definition_id', definitionId],
    ['version', version],
    ['action', action],
    ['user_id', userId],
    ['at', at],
  ]);
}
