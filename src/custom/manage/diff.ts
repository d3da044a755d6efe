/**
 * Previews a copy to another space: differences per definition and module, and problems. Changes
 * nothing.
 */
import { apiError } from '../../errors.ts';
import { plainDocument } from '../../util/json/plain-document.ts';
import type { PlainValue } from '../../util/text/decimal.ts';
import { unifiedDiff } from '../../util/text/unified-diff.ts';
import { editDocument } from '../document/document.ts';
import { comparableText, plainText } from '../document/document-text.ts';
import { nameOf } from './definitions.ts';
import type { Author, Management } from './management.ts';
import { type PromotedDefinition, type PromotedModule, type Promotion, planPromotion } from './promotion-plan.ts';
import { parsePromotionRequest } from './promotion-request.ts';
import { type ValidateOptions, yieldForLongText } from './validate.ts';

type State = 'new' | 'same' | 'changed';

interface Difference {
  readonly state: State;
  /** Unified diff from the target (`-`) to the source (`+`). */
  readonly diff: string;
}

export async function diff(management: Management, author: Author, body: PlainValue, options: ValidateOptions): Promise<PlainValue> {
  const request = parsePromotionRequest(body, author, management.userIds);
  const plan = await planPromotion(management, author, request, options);
  rejectImpossible(plan, author.caller.spaceId);
  const from = author.context.spaces.get(author.caller.spaceId)?.name ?? '';
  const definitions: object[] = [];
  for (const definition of plan.definitions) {
    const { uri, method, version, document } = definition.draft;
    await yieldForLongText(document, author.caller.projectId);
    definitions.push({ uri, method, version, ...definitionDifference(definition, from, plan.to) });
  }
  const modules: object[] = [];
  for (const module of plan.modules) {
    await yieldForLongText(module.source.code, author.caller.projectId);
    modules.push({ module: module.module, ...moduleDifference(module, from, plan.to) });
  }
  const databases = plan.databases.map(({ ref, reason }) => ({ ref, ok: reason === undefined, reason }));
  return plainDocument({ definitions, modules, databases, problems: plan.problems });
}

/** Rejects what no copy can do: two of a version, or a version over itself. */
function rejectImpossible({ definitions, target }: Promotion, sourceSpace: string): void {
  const seen = new Set<string>();
  for (const { draft, existing } of definitions) {
    const { uri, method, version } = draft;
    const isItself = target.spaceId === sourceSpace && existing?.version === version;
    if (isItself || seen.has(nameOf(draft))) throw apiError('copy_conflict', uri, method, version);
    seen.add(nameOf(draft));
  }
}

/** The diff shows that passwords differ, but not the passwords. */
const OTHER_PASSWORD = '"*** (another one)"';

function definitionDifference({ draft, source, existing }: PromotedDefinition, from: string, to: string): Difference {
  const name = `${from}: ${nameOf(source)}`;
  if (existing === undefined) return difference('new', { name: `${to}: nothing`, text: '' }, { name, text: plainText(draft.document) });
  const hasOtherPassword = existing.password !== draft.password;
  const shown = hasOtherPassword
    ? { ...draft, document: editDocument(draft.document, [{ path: ['database', 'password'], text: OTHER_PASSWORD }]) }
    : draft;
  return difference(
    'changed',
    { name: `${to}: ${nameOf(existing)}`, text: comparableText(existing) },
    { name, text: comparableText(shown) },
  );
}

function moduleDifference({ module, source, existing }: PromotedModule, from: string, to: string): Difference {
  const after = { name: `${from}: module ${module}`, text: source.code };
  if (existing === undefined) return difference('new', { name: `${to}: nothing`, text: '' }, after);
  return difference('changed', { name: `${to}: module ${module}`, text: existing.code }, after);
}

function difference(state: State, before: Parameters<typeof unifiedDiff>[0], after: Parameters<typeof unifiedDiff>[1]): Difference {
  const text = unifiedDiff(before, after);
  return { state: state === 'changed' && text === '' ? 'same' : state, diff: text };
}
