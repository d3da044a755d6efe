/**
 * Everything that can be found out about a definition before it is stored: what is wrong with the document, its code, its SQL and its place in the space, and
 * what is hardly meant. Deploy refuses what check only tells. Stores nothing.
 */
import { ApiError, apiError } from '../../errors.ts';
import { isBuiltinModule } from '../../lang/lark/index.ts';
import type { DbType } from '../../model/entry.ts';
import { entryKey, type ProjectContext } from '../../model/project.ts';
import { nextSlice } from '../../util/concurrency/loop-scheduler.ts';
import { runCooperatively } from '../../util/concurrency/slices.ts';
import { entryOf } from '../call/step-runner.ts';
import {
  type DefinitionDocument,
  IDENTIFIERS,
  type Identifier,
  inspectSlices,
  MASK,
  type OwnDatabase,
  readDocument,
} from '../document/document.ts';
import { type Askable, type Compiled, type CompileScope, compileDefinition, withPassword } from '../program/compile.ts';
import { type Step, StepProblems } from '../steps/step.ts';
import { type LineProblem, placeOf, type Tree, YamlProblems } from '../yaml/yaml-tree.ts';
import type { Author, Management } from './definitions.ts';
import { prepareSteps } from './prepare.ts';
import { warningsOf } from './warnings.ts';

export interface Finding extends LineProblem {
  /** A mistake in the document; code or SQL that does not compile; something that other records do not allow. */
  readonly kind: 'document' | 'code' | 'refused';
  readonly step?: number | undefined;
  /** What deploy answers because of it, where that is an error of its own. */
  readonly error?: ApiError;
}

export interface Inspection {
  /** The document as it was written; undefined, like the next, when it cannot be read. */
  readonly tree: Tree | undefined;
  readonly document: DefinitionDocument | undefined;
  /** Undefined when it does not compile. */
  readonly compiled: Compiled | undefined;
  readonly password: string | null;
  readonly findings: readonly Finding[];
  readonly warnings: readonly string[];
}

/** `prepare`: is the database asked about the SQL? */
export interface InspectOptions {
  readonly prepare: boolean;
}

/** A longer text is dealt with when others have had a turn. */
const LARGE = 16 * 1024;

/** Others come first, where a text is long. */
export async function sliceFor(text: string, projectId: string): Promise<void> {
  if (text.length > LARGE) await nextSlice(projectId);
}

export async function inspectDefinition(
  management: Management,
  author: Author,
  source: string,
  { prepare }: InspectOptions,
): Promise<Inspection> {
  const pause = (): Promise<void> => nextSlice(author.caller.projectId);
  await pause();
  const { tree, document, findings } = await inspect(management, source, author.caller.projectId);
  if (document === undefined) return { tree, document, compiled: undefined, password: null, findings, warnings: [] };
  await pause();
  const modules = await management.resolver.modules(author.caller);
  if (findings.length === 0) findings.push(...unregistered(author.context, document));
  const isWhole = findings.length === 0;
  const scope: CompileScope = { tenant: author.caller, modules, stage: 'deploy', password: null };
  const outcome = await compileDefinition(document, scope).catch((error: unknown) => {
    if (!(error instanceof StepProblems)) throw error;
    findings.push(...error.problems);
    return error.others;
  });
  // What does not compile keeps nobody from asking about the rest.
  const compiled = 'steps' in outcome ? outcome : undefined;
  const askable: Askable = compiled ?? { document, steps: outcome as readonly Step[], entry: undefined };
  findings.push(...missingModules(askable, (name) => modules.has(name)));
  findings.push(...foreign(author, document));
  if (!isWhole) return { tree, document, compiled, password: null, findings, warnings: [] };
  await pause();
  const { database } = document;
  const password = await noted(findings, database, async () => {
    if (database.kind === 'own') for (const { host } of database.hosts) await management.checkHost(host);
    return passwordOf(management, author, document);
  });
  const sealed = { ...scope, password: password ?? null };
  const whole = compiled && withPassword(compiled, sealed);
  const warnings = whole === undefined ? [] : [...warningsOf(whole)];
  if (prepare && findings.every(({ kind }) => kind !== 'refused')) {
    const asked = await ask(management, author.context, whole ?? withPassword(askable, sealed));
    findings.push(...asked.problems);
    warnings.push(...asked.warnings);
  }
  return { tree, document, compiled: whole, password: password ?? null, findings, warnings };
}

async function inspect(
  management: Management,
  source: string,
  owner: string,
): Promise<Pick<Inspection, 'tree' | 'document'> & { readonly findings: Finding[] }> {
  try {
    const { tree, document, problems } = await runCooperatively(inspectSlices(source, management.connections.engines), owner);
    return { tree, document, findings: problems.map((problem) => ({ ...problem, kind: 'document' })) };
  } catch (error) {
    if (!(error instanceof YamlProblems)) throw error;
    return { tree: undefined, document: undefined, findings: error.problems.map((problem) => ({ ...problem, kind: 'document' })) };
  }
}

/** The error of a part that has one of its own, as a finding. */
async function noted<T>(findings: Finding[], { place }: DefinitionDocument['database'], work: () => Promise<T>): Promise<T | undefined> {
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

function missingModules({ steps }: Askable, isKnown: (name: string) => boolean): readonly Finding[] {
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

/** What the database says against the SQL, if it can be asked. */
export async function ask(management: Management, context: ProjectContext, compiled: Askable): ReturnType<typeof prepareSteps> {
  try {
    return await prepareSteps(management.connections, entryOf(compiled, context), compiled);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { problems: [], warnings: [`the database cannot be used, so its SQL was not looked at: ${error.message}`] };
  }
}

/** What the store would refuse at deploy: the version that is there, the rollback version that is not. */
export async function conflicts({ store }: Management, { caller }: Author, document: DefinitionDocument): Promise<readonly Finding[]> {
  const { uri, method, version, config, places } = document;
  const endpoint = await store.endpoint(caller.orgId, caller.projectId, caller.spaceId, uri);
  const versions = endpoint?.versions.get(method) ?? [];
  const findings: Finding[] = [];
  const refuse = (place: LineProblem | { line: number; column: number }, error: ApiError): void =>
    void findings.push({ line: place.line, column: place.column, message: error.message, kind: 'refused', error });
  if (versions.some((one) => one.version === version)) refuse(places.version, apiError('definition_exists', uri, method, version));
  const { rollbackVersion } = config;
  if (rollbackVersion !== null && (rollbackVersion === version || !versions.some((one) => one.version === rollbackVersion)))
    refuse(places.rollback, apiError('rollback_unknown', rollbackVersion));
  return findings;
}

/** The error that deploy answers, if there is one: everything that is wrong with the document in one message. */
export function refuseFindings(findings: readonly Finding[]): void {
  const wrong = findings.filter(({ kind }) => kind !== 'refused');
  if (wrong.length > 0)
    throw apiError(wrong.some(({ kind }) => kind === 'document') ? 'definition_invalid' : 'definition_code', sentences(wrong));
  const error = findings.find((finding) => finding.error !== undefined)?.error;
  if (error !== undefined) throw error;
}

/** Nobody reads more of them at a time. */
export const MOST_FINDINGS = 100;

export function inOrder(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted((a, b) => a.line - b.line || a.column - b.column).slice(0, MOST_FINDINGS);
}

function sentences(findings: readonly Finding[]): string {
  const told = inOrder(findings).map(({ line, column, message }) => `line ${line}, column ${column}: ${message}.`);
  return findings.length > told.length ? `${told.join(' ')} And ${findings.length - told.length} more.` : told.join(' ');
}

/** The password of a document that shows the mask is the stored one, if it still goes to the same place. */
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
