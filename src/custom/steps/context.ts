/** `context` as steps see it: the caller. Built on first use. */
import type { SpaceCaller } from '../../model/caller.ts';
import type { PlainMap, PlainValue } from '../../util/text/decimal.ts';

export function contextOf(caller: SpaceCaller): () => PlainMap {
  let context: PlainMap | undefined;
  return () => {
    context ??= new Map<string, PlainValue>([
      ['org_id', caller.orgId],
      ['project_id', caller.projectId],
      ['space_id', caller.spaceId],
      ['user_id', caller.userId],
      ['roles', [...caller.roles]],
      ['claims', caller.claims ?? new Map()],
      ['persona', caller.persona ?? null],
    ]);
    return context;
  };
}
