/**
 * Validates a definition before it is stored: document, code, SQL and references to other records.
 * Deploy rejects the findings that a check only reports. Stores nothing.
 */
import { ApiError, apiError } from '../../errors.ts';
import { isBuiltinModule } from '../../lang/lark/index.ts';
import type { DbType } from '../../model/entry.ts';
import { entryKey, type ProjectContext } from '../../model/project.ts';
import { nextSlice } from '../../util/concurrency/loop-scheduler.ts';
import { runCooperatively } from '../../util/concurrency/slices.ts';
import { type DefinitionDocument, IDENTIFIERS, type Identifier, MASK, readDocumentSlices, validateSlices } from '../document/document.ts';
import type { OwnDatabase } from '../document/document-database.ts';
import { type Compiled, type CompileScope, compileDefinition, type SqlSteps, withPassword } from '../program/compile.ts';
import { resolveEntry } from '../program/database-entry.ts';
import { type Step, StepProblems } from '../steps/step.ts';
import { type LineProblem, placeOf, type Tree, YamlProblems } from '../yaml/yaml-tree.ts';
import { checkSqlSteps, type SqlFindings } from './check-sql.ts';
import type { Author, Management } from './management.ts';
import { undeclaredPlaceholders, warningsOf } from './warnings.ts';

export interface Finding extends LineProblem {
  /**
   * `document`: a mistake in the document; `code`: code or SQL that does not compile; `refused`: a
   * conflict with other records.
   */
  readonly kind: 'document' | 'code' | 'refused';
  readonly step?: number | undefined;
  /** Error of deploy, if the finding has its own. */
  readonly error?: ApiError;
}

export interface Validation {
  /** `undefined`, like the document, if the YAML cannot be read. */
  readonly tree: Tree | undefined;
  readonly document: DefinitionDocument | undefined;
  /** `undefined` if a step does not compile. */
  readonly compiled: Compiled | undefined;
  readonly password: string | null;
  readonly findings: readonly Finding[];
  readonly warnings: readonly string[];
}

/** `prepare` lets the database check the SQL. */
export interface ValidateOptions {
  readonly prepare: boolean;
}

const LONG_TEXT = 16 * 1024;

/** Yields to other requests before work on a long text. */
export async function yieldForLongText(text: string, projectId: string): Promise<void> {
  if (text.length > LONG_TEXT) await nextSlice(projectId);
}

export async function validateDefinition(
  management: Management,
  author: Author,
  source: string,
  { prepare }: ValidateOptions,
): Promise<Validation> {
  const pause = (): Promise<void> => nextSlice(author.caller.projectId);
  await pause();
  const { tree, document, findings } = await readAll(management, source, author.caller.projectId);
  if (document === undefined) return { tree, document, compiled: undefined, password: null, findings, warnings: [] };
  await pause();
  const modules = await management.resolver.modules(author.caller);
  if (findings.length === 0) findings.push(...unregistered(author.context, document));
  const isReadable = findings.length === 0;
  const { stepCache } = management.resolver;
  const scope: CompileScope = { tenant: author.caller, modules, stage: 'deploy', password: null, stepCache };
  const outcome = await compileDefinition(document, scope).catch((error: unknown) => {
    if (!(error instanceof StepProblems)) throw error;
    findings.push(...error.problems);
    return error.others;
  });
  // If some steps do not compile, the database still checks the others.
  const compiled = 'steps' in outcome ? outcome : undefined;
  const checkable: SqlSteps = compiled ?? { document, steps: outcome as readonly Step[], entry: undefined };
  findings.push(...undeclaredPlaceholders(checkable));
  findings.push(...missingModules(checkable, (name) => modules.has(name)));
  findings.push(...foreign(author, document));
  if (!isReadable) return { tree, document, compiled, password: null, findings, warnings: [] };
  await pause();
  const { database } = document;
  const password = await collectError(findings, database, async () => {
    if (database.kind === 'own') for (const { host } of database.hosts) await management.checkHost(host);
    return passwordOf(management, author, document);
  });
  const complete = <T extends SqlSteps>(steps: T): T => withPassword(steps, author.caller, password ?? null);
  const callable = compiled && complete(compiled);
  const warnings = callable === undefined ? [] : [...warningsOf(callable, 'others')];
  if (prepare && findings.every(({ kind }) => kind !== 'refused')) {
    const sql = await checkSql(management, author.context, callable ?? complete(checkable));
    findings.push(...sql.problems);
    warnings.push(...sql.warnings);
  }
  return { tree, document, compiled: callable, password: password ?? null, findings, warnings };
}

async function readAll(
  management: Management,
  source: string,
  owner: string,
): Promise<Pick<Validation, 'tree' | 'document'> & { readonly findings: Finding[] }> {
  try {
    const { tree, document, problems } = await runCooperatively(
      validateSlices(source, management.connections.engines, management.userIds),
      owner,
    );
    return { tree, document, findings: problems.map((problem) => ({ ...problem, kind: 'document' })) };
  } catch (error) {
    if (!(error instanceof YamlProblems)) throw error;
    return { tree: undefined, document: undefined, findings: error.problems.map((problem) => ({ ...problem, kind: 'document' })) };
  }
}

/** Turns an ApiError into a finding. */
async function collectError<T>(
  findings: Finding[],
  { place }: DefinitionDocument['database'],
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    findings.push({ ...place, message: error.message, kind: 'refused', error });
    return undefined;
  }
}

function unregistered(context: ProjectContext, { database }: DefinitionDocument): readonly Finding[] {
  if (database.kind !== 'ref' || isRegistered(context, database.engine.type, database.name)) return [];
  const message = `database.ref: the project has no database ${database.engine.type}/${database.name}`;
  return [{ ...database.place, message, kind: 'document' }];
}

function isRegistered(context: ProjectContext, type: DbType, name: string): boolean {
  return context.entries.has(entryKey(type, name)) || context.unreadable.has(entryKey(type, name));
}

function missingModules({ steps }: SqlSteps, isKnown: (name: string) => boolean): readonly Finding[] {
  return steps.flatMap(({ source, label, modules }) =>
    modules
      .filter((name) => !isKnown(name) && !isBuiltinModule(name))
      .map((name) => ({
        ...placeOf(source.codeAt),
        message: `step ${label} loads the module ${JSON.stringify(name)}, which the space does not have`,
        kind: 'code' as const,
        step: source.index,
      })),
  );
}

function foreign({ caller, featureId }: Author, { identifiers, places }: DefinitionDocument): readonly Finding[] {
  const expected: Readonly<Record<Identifier, string | undefined>> = {
    org_id: caller.orgId,
    project_id: caller.projectId,
    space_id: caller.spaceId,
    user_id: caller.userId,
    feature_id: featureId,
  };
  return IDENTIFIERS.filter((name) => identifiers[name] !== '' && expected[name] !== undefined && identifiers[name] !== expected[name]).map(
    (name) => {
      const error = apiError('definition_foreign', name);
      return { ...places.identifiers, message: error.message, kind: 'refused', error };
    },
  );
}

/** Lets the database check the SQL, if the database is registered and its password readable. */
export async function checkSql(management: Management, context: ProjectContext, compiled: SqlSteps): Promise<SqlFindings> {
  try {
    return await checkSqlSteps(management.connections, resolveEntry(compiled, context), compiled);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { problems: [], warnings: [`the database cannot be used, so its SQL was not checked: ${error.message}`] };
  }
}

export interface Conflicts {
  readonly findings: readonly Finding[];
  readonly warnings: readonly string[];
}

/**
 * Finds what the store would reject. `update`: a version that exists is replaced, unless another
 * version falls back to it.
 */
export async function conflicts(
  { store }: Management,
  { caller }: Author,
  document: DefinitionDocument,
  existing: 'refuse' | 'update',
): Promise<Conflicts> {
  const { uri, method, version, config, places } = document;
  const endpoint = await store.endpoint(caller.orgId, caller.projectId, caller.spaceId, uri);
  const versions = endpoint?.versions.get(method) ?? [];
  const findings: Finding[] = [];
  const refuse = (place: LineProblem | { line: number; column: number }, error: ApiError): void =>
    void findings.push({ line: place.line, column: place.column, message: error.message, kind: 'refused', error });
  const exists = versions.some((one) => one.version === version);
  const user = versions.find((one) => one.rollbackVersion === version && one.version !== version);
  if (exists && existing === 'refuse') refuse(places.version, apiError('definition_exists', uri, method, version));
  else if (exists && user !== undefined) refuse(places.version, apiError('definition_referenced', version, user.version));
  const isUpdate = exists && existing === 'update' && user === undefined;
  const { rollbackVersion } = config;
  if (rollbackVersion !== null && (rollbackVersion === version || !versions.some((one) => one.version === rollbackVersion)))
    refuse(places.rollback, apiError('rollback_unknown', rollbackVersion));
  return { findings, warnings: isUpdate ? [`version ${version} is deployed already; an update replaces it`] : [] };
}

/** Throws the error of deploy, if there is one. Its message lists all problems of the document. */
export function throwFindings(findings: readonly Finding[]): void {
  const wrong = findings.filter(({ kind }) => kind !== 'refused');
  if (wrong.length > 0)
    throw apiError(wrong.some(({ kind }) => kind === 'document') ? 'definition_invalid' : 'definition_code', sentences(wrong));
  const error = findings.find((finding) => finding.error !== undefined)?.error;
  if (error !== undefined) throw error;
}

/** Findings in one response; an author fixes only a few at a time. */
export const MAX_FINDINGS = 100;

export function inOrder(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted((a, b) => a.line - b.line || a.column - b.column).slice(0, MAX_FINDINGS);
}

function sentences(findings: readonly Finding[]): string {
  const listed = inOrder(findings).map(({ line, column, message }) => `line ${line}, column ${column}: ${message}.`);
  return findings.length > listed.length ? `${listed.join(' ')} And ${findings.length - listed.length} more.` : listed.join(' ');
}

/** A masked password means the stored one, provided that server and user are the same. */
async function passwordOf(management: Management, { caller }: Author, document: DefinitionDocument): Promise<string | null> {
  const { database, uri, method, version, config } = document;
  if (database.kind !== 'own' || database.password !== MASK) return database.kind === 'own' ? database.password : null;
  const endpoint = await management.store.endpoint(caller.orgId, caller.projectId, caller.spaceId, uri);
  const versions = endpoint?.versions.get(method) ?? [];
  const stored =
    versions.find((one) => one.version === version) ?? versions.find((one) => one.version === config.rollbackVersion) ?? versions[0];
  const before = stored === undefined ? undefined : await databaseOf(management, caller.projectId, stored.document);
  if (stored === undefined || before?.kind !== 'own' || !isSameServer(before, database))
    throw apiError(
      'definition_invalid',
      `line ${database.place.line}, column ${database.place.column}: database.password is ${MASK}, but no password is stored for this server and user; give it.`,
    );
  if (stored.unreadable !== null) throw apiError('record_unreadable', `${uri} ${stored.version}`, stored.definitionId);
  return stored.password;
}

async function databaseOf({ connections }: Management, owner: string, source: string): Promise<DefinitionDocument['database']> {
  return (await runCooperatively(readDocumentSlices(source, connections.engines), owner)).database;
}

function isSameServer(a: OwnDatabase, b: OwnDatabase): boolean {
  return a.engine === b.engine && a.username === b.username && JSON.stringify(a.hosts) === JSON.stringify(b.hosts);
}
