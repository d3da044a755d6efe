/** Parses the body of a copy to another space, and of its preview (diff). */
import { apiError } from '../../errors.ts';
import { versionSortKey } from '../../model/definition.ts';
import type { ProjectContext } from '../../model/project.ts';
import { parseUlid } from '../../model/ulid.ts';
import { parseUserId, type UserIds } from '../../model/user-id.ts';
import type { PlainMap, PlainValue } from '../../util/text/decimal.ts';
import type { Author } from './management.ts';

export interface PromotionRequest {
  readonly targetVersion: string;
  readonly targetSpaceId: string;
  readonly definitionIds: readonly string[];
  /** `true` copies the Lark modules that the definitions load. */
  readonly modules: boolean;
  /** `true` replaces modules of the target that differ. */
  readonly overwrite: boolean;
  /** `true` copies in spite of problems. */
  readonly force: boolean;
}

const STRINGS = ['org_id', 'project_id', 'space_id', 'user_id', 'target_version', 'target_space_id'] as const;
const FLAGS = ['modules', 'overwrite', 'force'] as const;

export function parsePromotionRequest(body: PlainValue, { caller, context }: Author, userIds: UserIds): PromotionRequest {
  if (!(body instanceof Map)) throw apiError('body_not_object');
  const list = body.get('definition_list');
  const problems = [
    ...STRINGS.filter((name) => typeof body.get(name) !== 'string' || body.get(name) === '').map((name) => `${name} must be a string`),
    ...(isStrings(list) ? [] : ['definition_list must be a list of ids']),
    ...FLAGS.filter((name) => body.has(name) && typeof body.get(name) !== 'boolean').map((name) => `${name} must be true or false`),
  ];
  if (problems.length > 0) throw apiError('bad_field', problems.join('; '));
  const text = (name: (typeof STRINGS)[number]): string => String(body.get(name));
  const own = { org_id: caller.orgId, project_id: caller.projectId, space_id: caller.spaceId, user_id: caller.userId };
  const parse = (name: keyof typeof own) => (name === 'user_id' ? parseUserId(text(name), userIds) : parseUlid(text(name)));
  for (const [name, id] of Object.entries(own)) if (parse(name as keyof typeof own) !== id) throw apiError('definition_foreign', name);
  if (versionSortKey(text('target_version')) === undefined)
    throw apiError('refused_field', 'target_version is not a version such as 1.2.0');
  if ((list as readonly string[]).length === 0) throw apiError('refused_field', 'definition_list is empty');
  const flag = (name: (typeof FLAGS)[number]): boolean => (body as PlainMap).get(name) === true;
  return {
    targetVersion: text('target_version'),
    targetSpaceId: spaceOf(context, text('target_space_id')),
    definitionIds: (list as readonly string[]).map((id) => parseUlid(id) ?? id),
    modules: flag('modules'),
    overwrite: flag('overwrite'),
    force: flag('force'),
  };
}

function isStrings(value: PlainValue | undefined): boolean {
  return Array.isArray(value) && (value as readonly PlainValue[]).every((item) => typeof item === 'string');
}

/** Looks up a space by id or name. */
function spaceOf({ spaces }: ProjectContext, text: string): string {
  const space = [...spaces.values()].find(({ spaceId, name }) => spaceId === parseUlid(text) || name === text);
  if (space === undefined) throw apiError('target_unknown', text, Array.from(spaces.values(), ({ name }) => name).join(', '));
  return space.spaceId;
}
