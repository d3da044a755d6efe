/** Copies apps to another space of the project, all or none. Must not import HTTP. */
import { apiError } from '../errors.ts';
import type { AppDraft, AppRecord } from '../model/app.ts';
import type { SpaceCaller } from '../model/caller.ts';
import { inSpace, type ProjectContext } from '../model/project.ts';
import { parseUlid } from '../model/ulid.ts';
import type { Store } from '../store/store.ts';
import { plainDocument } from '../util/json/plain-document.ts';
import type { PlainValue } from '../util/text/decimal.ts';
import { type AppAnswer, documentOf, findApp, textOf } from './apps.ts';
import type { SpaceParts, SpaceServices } from './check/space.ts';
import { type AppProblem, describeProblems } from './document/problems.ts';
import { inspectApp } from './validate.ts';

interface CopyRequest {
  readonly target: string;
  readonly names: readonly string[];
  readonly force: boolean;
}

const FIELDS = ['target_space_id', 'apps', 'force'];

function readCopy(body: PlainValue): CopyRequest {
  if (!(body instanceof Map)) throw apiError('body_not_object');
  const target = body.get('target_space_id');
  const names = body.get('apps');
  const force = body.get('force') ?? false;
  const isList = Array.isArray(names) && names.length > 0 && (names as readonly PlainValue[]).every((name) => typeof name === 'string');
  const problems = [
    ...(typeof target === 'string' ? [] : ['target_space_id must be a string']),
    ...(isList ? [] : ['apps must be a list of names, with at least one']),
    ...(typeof force === 'boolean' ? [] : ['force must be true or false']),
    ...[...body.keys()].filter((name) => !FIELDS.includes(name)).map((name) => `${name.slice(0, 80)} is unknown`),
  ];
  if (typeof target !== 'string' || problems.length > 0) throw apiError('bad_field', problems.join('; '));
  return { target: parseUlid(target) ?? target, names: [...new Set(names as readonly string[])], force: force === true };
}

/** `services` and `context` make the target space, with which the apps are compared. */
export async function copyApps(
  caller: SpaceCaller,
  services: SpaceServices,
  context: ProjectContext,
  body: PlainValue,
): Promise<AppAnswer> {
  const { names, force, ...request } = readCopy(body);
  const target = spaceOf(context, request.target);
  const records: AppRecord[] = [];
  for (const name of names) records.push(await findApp(services.store, caller, name));
  const scope = { orgId: caller.orgId, projectId: caller.projectId, spaceId: target };
  const report = await inspectCopies(records, { ...services, scope, context: inSpace(await wholeProject(services.store, caller), target) });
  if (report.problems.length > 0 && !force)
    throw apiError('app_copy_refused', describeProblems(report.problems.map(named))).withLists({ problems: report.problems });
  const outcome = await services.store.putApps(
    scope,
    records.map((record) => draftOf(record, caller)),
    'copy',
  );
  if (outcome === 'space_unknown') throw apiError('space_unknown');
  const warnings = [...report.problems.map(({ app, path, message }) => `${app}: ${path} ${message}`), ...report.warnings];
  return { status: 200, body: plainDocument({ copied: names, warnings }), object: names.join(' ') };
}

/** A space may be named by its id or its name. */
function spaceOf({ spaces }: ProjectContext, target: string): string {
  const space = spaces.get(target) ?? [...spaces.values()].find(({ name }) => name === target);
  if (space === undefined) throw apiError('space_unknown');
  return space.spaceId;
}

/** The project with the databases of all its spaces: that of the request has only those of one. */
async function wholeProject(store: Store, { orgId, projectId }: SpaceCaller): Promise<ProjectContext> {
  const context = await store.projectContext(orgId, projectId);
  if (context === undefined) throw apiError('project_unknown');
  return context;
}

interface CopyProblem extends AppProblem {
  readonly app: string;
}

const named = ({ app, path, ...problem }: CopyProblem): AppProblem => ({ ...problem, path: path === '' ? app : `${app} ${path}` });

async function inspectCopies(
  records: readonly AppRecord[],
  parts: SpaceParts,
): Promise<{ readonly problems: readonly CopyProblem[]; readonly warnings: readonly string[] }> {
  const arriving = new Map(records.map((record) => [record.app, inputsOf(record)]));
  const problems: CopyProblem[] = [];
  const warnings: string[] = [];
  for (const record of records) {
    const report = await inspectApp(textOf(record), parts, arriving);
    problems.push(...report.problems.map((problem) => ({ app: record.app, ...problem })));
    warnings.push(...report.warnings.map((warning) => `${record.app}: ${warning}`));
  }
  return { problems, warnings };
}

function inputsOf(record: AppRecord): ReadonlySet<string> {
  const inputs = documentOf(record).get('inputs');
  return new Set(inputs instanceof Map ? inputs.keys() : []);
}

function draftOf({ app, title, permission, document, source }: AppRecord, { userId }: SpaceCaller): AppDraft {
  return { app, title, permission, document, source, userId };
}
