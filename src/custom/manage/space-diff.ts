/** What copying definitions into another space would change there, and what speaks against it. Changes nothing. */

import { plainDocument } from '../../util/json/plain-document.ts';
import type { PlainValue } from '../../util/text/decimal.ts';
import { unifiedDiff } from '../../util/text/unified-diff.ts';
import { editDocument } from '../document/document.ts';
import { comparableText, plainText } from '../document/document-text.ts';
import { parseCopyRequest } from './copy-request.ts';
import { type Author, type Management, nameOf } from './definitions.ts';
import { type InspectOptions, sliceFor } from './inspection.ts';
import { type PromotedDefinition, type PromotedModule, planPromotion } from './promotion.ts';

type State = 'new' | 'same' | 'changed';

interface Difference {
  readonly state: State;
  /** `-` is the target, `+` the source. */
  readonly diff: string;
}

export async function diff(management: Management, author: Author, body: PlainValue, options: InspectOptions): Promise<PlainValue> {
  const request = parseCopyRequest(body, author);
  const plan = await planPromotion(management, author, request, options);
  const from = author.context.spaces.get(author.caller.spaceId)?.name ?? '';
  const definitions: object[] = [];
  for (const definition of plan.definitions) {
    const { uri, method, version, document } = definition.draft;
    await sliceFor(document, author.caller.projectId);
    definitions.push({ uri, method, version, ...definitionDifference(definition, from, plan.to) });
  }
  const modules: object[] = [];
  for (const module of plan.modules) {
    await sliceFor(module.source.code, author.caller.projectId);
    modules.push({ module: module.module, ...moduleDifference(module, from, plan.to) });
  }
  const databases = plan.databases.map(({ ref, reason }) => ({ ref, ok: reason === undefined, reason }));
  return plainDocument({ definitions, modules, databases, problems: plan.problems });
}

/** Nothing of a password is shown but that it is another one. */
const OTHER_PASSWORD = '"*** (another one)"';

function definitionDifference({ draft, source, there }: PromotedDefinition, from: string, to: string): Difference {
  const name = `${from}: ${nameOf(source)}`;
  if (there === undefined) return difference('new', { name: `${to}: nothing`, text: '' }, { name, text: plainText(draft.document) });
  const isOther = there.password !== draft.password;
  const shown = isOther
    ? { ...draft, document: editDocument(draft.document, [{ path: ['database', 'password'], text: OTHER_PASSWORD }]) }
    : draft;
  return difference('changed', { name: `${to}: ${nameOf(there)}`, text: comparableText(there) }, { name, text: comparableText(shown) });
}

function moduleDifference({ module, source, there }: PromotedModule, from: string, to: string): Difference {
  const after = { name: `${from}: module ${module}`, text: source.code };
  if (there === undefined) return difference('new', { name: `${to}: nothing`, text: '' }, after);
  return difference('changed', { name: `${to}: module ${module}`, text: there.code }, after);
}

function difference(state: State, before: Parameters<typeof unifiedDiff>[0], after: Parameters<typeof unifiedDiff>[1]): Difference {
  const told = unifiedDiff(before, after);
  return { state: state === 'changed' && told === '' ? 'same' : state, diff: told };
}
