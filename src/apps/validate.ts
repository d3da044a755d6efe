/** Reads a document and compares it with a space. Throws all problems, or returns them. */
import { apiError } from '../errors.ts';
import { runCooperatively } from '../util/concurrency/slices.ts';
import { checkNeeds } from './check/check.ts';
import type { SpaceParts } from './check/space.ts';
import type { AppDocument } from './document/app-document.ts';
import { type AppSourceType, type ReadApp, readApp } from './document/document.ts';
import { type AppProblem, describeProblems, inOrder } from './document/problems.ts';
import { UnreadableApp } from './document/source.ts';

export interface AppText {
  readonly text: string;
  readonly type: AppSourceType;
}

export interface AppReport {
  /** `undefined` if the text cannot be parsed. */
  readonly document: AppDocument | undefined;
  /** `true` if the text itself has faults. */
  readonly isMalformed: boolean;
  /** In document order. */
  readonly problems: readonly AppProblem[];
  readonly warnings: readonly string[];
}

/** `arriving`: names and inputs of other apps that are stored together with this one. */
export async function inspectApp(
  { text, type }: AppText,
  parts: SpaceParts,
  arriving: ReadonlyMap<string, ReadonlySet<string>> = new Map(),
): Promise<AppReport> {
  let app: ReadApp;
  try {
    app = await runCooperatively(readApp(text, type, parts.engines), parts.scope.projectId);
  } catch (error) {
    if (!(error instanceof UnreadableApp)) throw error;
    return { document: undefined, isMalformed: true, problems: error.problems, warnings: [] };
  }
  const { document, needs, malformed } = app;
  const own = new Map([...arriving, [document.app, new Set(document.inputs.keys())] as const]);
  const { refused, warnings } = await checkNeeds(needs, parts, own);
  return { document, isMalformed: malformed.length > 0, problems: inOrder({ malformed, refused }), warnings };
}

/** Returns the document and its warnings. Throws if there is any problem. */
export async function validateApp(
  text: AppText,
  parts: SpaceParts,
): Promise<{ readonly document: AppDocument; readonly warnings: readonly string[] }> {
  const { document, isMalformed, problems, warnings } = await inspectApp(text, parts);
  if (document !== undefined && problems.length === 0) return { document, warnings };
  const error = isMalformed ? apiError('app_invalid', describeProblems(problems)) : apiError('app_refused', describeProblems(problems));
  throw error.withLists({ problems });
}
