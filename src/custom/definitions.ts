/**
 * Definitions in the management API: deploy, update, delete, get, list, copy. One check guards every way into the store, and nothing is stored that
 * does not compile. Knows nothing of HTTP beyond the status of an answer.
 */
import type { Connections } from '../engines/connections.ts';
import type { Engines } from '../engines/registry.ts';
import { apiError, REASONS } from '../errors.ts';
import type { SpaceCaller } from '../model/caller.ts';
import {
  DEFINITION_METHODS,
  type Definition,
  type DefinitionDraft,
  type DefinitionMethod,
  type DefinitionSummary,
} from '../model/definition.ts';
import type { DbType } from '../model/entry.ts';
import { entryKey, type ProjectContext } from '../model/project.ts';
import type { DefinitionChange, DefinitionInsertion, Store } from '../store/store.ts';
import type { PlainMap, PlainValue } from '../util/decimal.ts';
import { nextSlice } from '../util/loop-scheduler.ts';
import { type Compiled, type CompileScope, compileDefinition, withPassword } from './compile.ts';
import {
  type DefinitionDocument,
  IDENTIFIERS,
  type Identifier,
  inspectDocument,
  MASK,
  maskPassword,
  type OwnDatabase,
  readDocument,
  showDocument,
} from './document.ts';
import type { Finder } from './find.ts';
import { StepProblems } from './steps/step.ts';
import { warningsOf } from './warnings.ts';
import { type LineProblem, YamlProblems } from './yaml-tree.ts';

/** Roles that may change definitions, one of which is needed. */
export const AUTHORS: readonly string[] = ['admin', 'power'];

export interface Management {
  readonly store: Store;
  readonly finder: Finder;
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
  readonly document: DefinitionDocument;
  readonly compiled: Compiled;
  readonly password: string | null;
}

export interface ManagementAnswer {
  readonly status: number;
  readonly body: PlainMap | readonly PlainMap[];
  /** What it is about, for the auditor. */
  readonly object: string;
}

/** A longer document is processed in slices. */
const LARGE = 16 * 1024;

/** Everything that is wrong with a document, in one error. */
export async function checkDefinition(management: Management, author: Author, source: string): Promise<Checked> {
  if (source.length > LARGE) await nextSlice(author.caller.projectId);
  const { document, problems } = inspect(source, management.connections.engines);
  if (source.length > LARGE) await nextSlice(author.caller.projectId);
  const modules = await management.finder.modules(author.caller);
  const found: (LineProblem & { readonly kind: string })[] = problems.map((problem) => ({ ...problem, kind: 'document' }));
  const { database } = document;
  if (problems.length === 0 && database.kind === 'ref' && !isRegistered(author.context, database.engine.type, database.name))
    found.push({
      ...database.place,
      message: `database.ref: the project has no database ${database.engine.type}/${database.name}`,
      kind: 'document',
    });
  const scope: CompileScope = { tenant: author.caller, modules, stage: 'deploy', password: null };
  const compiled = await compileDefinition(document, scope).catch((error: unknown) => {
    if (!(error instanceof StepProblems)) throw error;
    found.push(...error.problems);
    return undefined;
  });
  refuse(found);
  if (compiled === undefined) throw new Error('a definition that does not compile has problems');
  checkIdentifiers(author, document);
  if (database.kind === 'own') for (const { host } of database.hosts) await management.checkHost(host);
  const password = await passwordOf(management, author, document);
  if (source.length > LARGE) await nextSlice(author.caller.projectId);
  return { document, password, compiled: withPassword(compiled, { ...scope, password }) };
}

function inspect(source: string, engines: Engines): ReturnType<typeof inspectDocument> {
  try {
    return inspectDocument(source, engines);
  } catch (error) {
    if (error instanceof YamlProblems) throw apiError('definition_invalid', sentences(error.problems));
    throw error;
  }
}

function refuse(problems: readonly (LineProblem & { readonly kind: string })[]): void {
  if (problems.length === 0) return;
  const all = sentences(problems);
  throw problems.some(({ kind }) => kind === 'document') ? apiError('definition_invalid', all) : apiError('definition_code', all);
}

/** Nobody reads more of them at a time. */
const MOST_PROBLEMS = 100;

function sentences(problems: readonly LineProblem[]): string {
  const told = problems
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
    .slice(0, MOST_PROBLEMS)
    .map(({ line, column, message }) => `line ${line}, column ${column}: ${message}.`);
  return problems.length > told.length ? `${told.join(' ')} And ${problems.length - told.length} more.` : told.join(' ');
}

function isRegistered(context: ProjectContext, type: DbType, name: string): boolean {
  return context.entries.has(entryKey(type, name)) || context.unreadable.has(entryKey(type, name));
}

function checkIdentifiers({ caller, featureId }: Author, { identifiers }: DefinitionDocument): void {
  const expected: Readonly<Record<Identifier, string | undefined>> = {
    org_id: caller.orgId,
    project_id: caller.projectId,
    space_id: caller.spaceId,
    user_id: caller.userId,
    feature_id: featureId,
  };
  for (const name of IDENTIFIERS) {
    if (expected[name] !== undefined && identifiers[name] !== expected[name]) throw apiError('definition_foreign', name);
  }
}

/** A document that shows the mask keeps the stored password, if it still goes to the same place. */
async function passwordOf(management: Management, { caller }: Author, document: DefinitionDocument): Promise<string | null> {
  const { database, uri, method, version, config } = document;
  if (database.kind !== 'own' || database.password !== MASK) return database.kind === 'own' ? database.password : null;
  const endpoint = await management.store.endpoint(caller.orgId, caller.projectId, caller.spaceId, uri);
  const versions = endpoint?.versions.get(method) ?? [];
  const stored =
    versions.find((one) => one.version === version) ?? versions.find((one) => one.version === config.rollbackVersion) ?? versions[0];
  const before = stored === undefined ? undefined : readDocument(stored.document, management.connections.engines).database;
  if (stored === undefined || before?.kind !== 'own' || !isSameServer(before, database))
    throw apiError(
      'definition_invalid',
      `line ${database.place.line}, column ${database.place.column}: database.password is ${MASK}, but no password is stored for this server and user; give it.`,
    );
  if (stored.unreadable !== null) throw apiError('record_unreadable', `${uri} ${stored.version}`, stored.definitionId);
  return stored.password;
}

function isSameServer(a: OwnDatabase, b: OwnDatabase): boolean {
  return a.engine === b.engine && a.username === b.username && JSON.stringify(a.hosts) === JSON.stringify(b.hosts);
}

function draftOf({ document, password }: Checked, source: string): DefinitionDraft {
  return {
    uri: document.uri,
    method: document.method,
    version: document.version,
    featureId: document.identifiers.feature_id,
    userId: document.identifiers.user_id,
    rollbackVersion: document.config.rollbackVersion,
    document: maskPassword(source),
    password,
  };
}

export async function deploy(management: Management, author: Author, source: string): Promise<ManagementAnswer> {
  const checked = await checkDefinition(management, author, source);
  const inserted = await management.store.insertDefinitions(author.caller, [draftOf(checked, source)], 'refuse');
  const [definition] = insertedOrRefused(inserted, 'definition_exists');
  return { status: 201, body: storedBody(definition?.definitionId ?? '', checked), object: nameOf(checked.document) };
}

/** `get reports/sales 1.0.0` */
export function nameOf({ uri, method, version }: Addressed): string {
  return `${method} ${uri} ${version}`;
}

function storedBody(definitionId: string, { compiled }: Checked): PlainMap {
  return new Map<string, PlainValue>([
    ['definition_id', definitionId],
    ['warnings', warningsOf(compiled)],
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
    case 'space_unknown':
      throw apiError('space_unknown');
  }
}

export async function update(management: Management, author: Author, source: string): Promise<ManagementAnswer> {
  const checked = await checkDefinition(management, author, source);
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
  const change = await store.deleteDefinition(caller, { uri, method: parseMethod(method), version });
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
    ['last_failure', failure],
  ]);
}

export async function list({ store }: Management, { caller }: Author, method: string | undefined): Promise<readonly PlainMap[]> {
  const found = await store.listDefinitions(caller, method === undefined ? undefined : parseMethod(method));
  return found.map((definition) => describeSummary(definition, caller));
}
