/**
 * Definitions in the management API: deploy, update, delete, get, list, copy. One check guards every way into the store, and nothing is stored that
 * does not compile. Knows nothing of HTTP beyond the status of an answer.
 */
import type { Connections } from '../../engines/pool/connections.ts';
import { apiError, REASONS } from '../../errors.ts';
import type { SpaceCaller } from '../../model/caller.ts';
import {
  DEFINITION_METHODS,
  type Definition,
  type DefinitionDraft,
  type DefinitionMethod,
  type DefinitionSummary,
  type DefinitionUses,
} from '../../model/definition.ts';
import type { ProjectContext } from '../../model/project.ts';
import type { DefinitionChange, DefinitionInsertion, DefinitionRevision, Store } from '../../store/store.ts';
import type { PlainMap, PlainValue } from '../../util/text/decimal.ts';
import type { EndpointResolver } from '../call/endpoint-resolver.ts';
import { type DefinitionDocument, maskPassword, showDocument } from '../document/document.ts';
import type { Compiled } from '../program/compile.ts';
import type { Tree } from '../yaml/yaml-tree.ts';
import { type InspectOptions, inspectDefinition, refuseFindings } from './inspection.ts';

/** Roles that may change definitions, one of which is needed. */
export const AUTHORS: readonly string[] = ['admin', 'power'];

export interface Management {
  readonly store: Store;
  readonly resolver: EndpointResolver;
  readonly connections: Connections;
  /** Throws when a host may not be dialled. */
  checkHost(host: string): Promise<void>;
}

/** Who manages, and where; all ids have been found to belong together. */
export interface Author {
  readonly caller: SpaceCaller;
  readonly context: ProjectContext;
  /** Of the header, where one was sent. */
  readonly featureId: string | undefined;
}

export interface Checked {
  readonly tree: Tree;
  readonly document: DefinitionDocument;
  readonly compiled: Compiled;
  readonly password: string | null;
  readonly warnings: readonly string[];
}

export interface ManagementAnswer {
  readonly status: number;
  readonly body: PlainMap | readonly PlainMap[];
  /** What it is about, for the auditor. */
  readonly object: string;
}

/** A definition that may be stored; throws everything that is wrong with it in one error. */
export async function checkDefinition(management: Management, author: Author, source: string, options: InspectOptions): Promise<Checked> {
  const { tree, document, compiled, password, findings, warnings } = await inspectDefinition(management, author, source, options);
  refuseFindings(findings);
  if (tree === undefined || document === undefined || compiled === undefined)
    throw new Error('a definition that does not compile has findings');
  return { tree, document, compiled, password, warnings };
}

function draftOf({ tree, document, password, compiled }: Checked, source: string): DefinitionDraft {
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
  };
}

export async function deploy(management: Management, author: Author, source: string, options: InspectOptions): Promise<ManagementAnswer> {
  const checked = await checkDefinition(management, author, source, options);
  const inserted = await management.store.insertDefinitions(author.caller, [draftOf(checked, source)], 'refuse');
  const [definition] = insertedOrRefused(inserted, 'definition_exists');
  return { status: 201, body: storedBody(definition?.definitionId ?? '', checked), object: nameOf(checked.document) };
}

/** `get reports/sales 1.0.0` */
export function nameOf({ uri, method, version }: Addressed): string {
  return `${method} ${uri} ${version}`;
}

function storedBody(definitionId: string, { warnings }: Checked): PlainMap {
  return new Map<string, PlainValue>([
    ['definition_id', definitionId],
    ['warnings', warnings],
  ]);
}

/** What a definition names: kept beside it, so that lists can tell. */
export function usesOf({ steps }: Compiled): DefinitionUses {
  const unique = (names: readonly string[]): readonly string[] => [...new Set(names)].sort();
  return { tables: unique(steps.flatMap(({ tables = [] }) => tables)), modules: unique(steps.flatMap(({ modules }) => modules)) };
}

function usesBody({ tables, modules }: DefinitionUses): PlainMap {
  return new Map<string, PlainValue>([
    ['tables', tables],
    ['modules', modules],
  ]);
}

export function insertedOrRefused(inserted: DefinitionInsertion, exists: 'definition_exists' | 'copy_conflict') {
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

export async function update(management: Management, author: Author, source: string, options: InspectOptions): Promise<ManagementAnswer> {
  const checked = await checkDefinition(management, author, source, options);
  const changed = await management.store.updateDefinition(author.caller, draftOf(checked, source));
  return {
    status: 200,
    body: storedBody(changedOrRefused(changed, checked.document.version), checked),
    object: nameOf(checked.document),
  };
}

function changedOrRefused(change: DefinitionChange, version: string): string {
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

export interface Addressed {
  readonly uri: string;
  readonly method: string;
  readonly version: string;
}

export async function remove({ store }: Management, { caller }: Author, { uri, method, version }: Addressed): Promise<ManagementAnswer> {
  const change = await store.deleteDefinition(caller, { uri, method: parseMethod(method), version }, caller.userId);
  changedOrRefused(change, version);
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

/** A definition as clients see it. */
export function describeDefinition(definition: Definition, reader: SpaceCaller): PlainMap {
  const shown = describeSummary(definition, reader);
  return new Map(
    [...shown].flatMap(([name, value]) =>
      name === 'created_at'
        ? [
            ['definition', showDocument(definition.document)],
            [name, value],
          ]
        : [[name, value]],
    ) as [string, PlainValue][],
  );
}

/** The text of a failure may quote what some caller sent: only those who may change the definition see it. */
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

export async function list({ store }: Management, { caller }: Author, method: string | undefined): Promise<readonly PlainMap[]> {
  const found = await store.listDefinitions(caller, method === undefined ? undefined : parseMethod(method));
  return found.map((definition) => describeSummary(definition, caller));
}

/** What was deployed under a uri and method, also when it is gone. */
export async function history({ store }: Management, { caller }: Author, uri: string, method: string): Promise<readonly PlainMap[]> {
  return (await store.history(caller, uri, parseMethod(method))).map(describeRevision);
}

export async function revision({ store }: Management, { caller }: Author, revisionId: string): Promise<PlainMap> {
  const found = await store.revision(caller, revisionId);
  if (found === undefined) throw apiError('definition_unknown');
  return describeRevision(found).set('definition', showDocument(found.document));
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
