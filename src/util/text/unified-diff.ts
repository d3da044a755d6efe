/**
 * Unified diff of two texts, line by line. The work is bounded: texts with too little in common are
 * shown as one replaced by the other. A missing newline at the end is ignored.
 */
import type { StructuredPatch } from 'diff';
import { diff } from '../on-demand.ts';

/** A text and its name in the header of the diff. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
}

/** Unchanged lines shown around a change. */
const CONTEXT_LINES = 3;
/** Number of changed lines after which the search for common lines stops: its cost is quadratic. */
const MAX_EDITS = 500;

/** Empty when the texts are equal. */
export function unifiedDiff(before: NamedText, after: NamedText): string {
  const [old, young] = [ended(before.text), ended(after.text)];
  if (old === young) return '';
  const { FILE_HEADERS_ONLY, formatPatch, structuredPatch } = diff();
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDITS };
  const patch = structuredPatch(before.name, after.name, old, young, undefined, undefined, options);
  return formatPatch(patch ?? replacement(before.name, after.name, old, young), FILE_HEADERS_ONLY);
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function replacement(oldFileName: string, newFileName: string, before: string, after: string): StructuredPatch {
  const [old, young] = [linesOf(before), linesOf(after)];
  const lines = [...old.map((line) => `-${line}`), ...young.map((line) => `+${line}`)];
  const hunk = { oldStart: 1, oldLines: old.length, newStart: 1, newLines: young.length, lines };
  return { oldFileName, newFileName, oldHeader: undefined, newHeader: undefined, hunks: [hunk] };
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').slice(0, -1);
}
