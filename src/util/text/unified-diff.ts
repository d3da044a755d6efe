/**
 * Two texts → a unified diff of their lines. The work is bounded: texts that have too little in common are shown as one replaced by the other. A
 * missing end of the last line is no difference.
 */
import type { StructuredPatch } from 'diff';
import { diff } from '../on-demand.ts';

/** A text and what its line in the head of the diff says. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
}

/** Lines that are shown around a change. */
const AROUND = 3;
/** Lines that may come and go before looking for what stays is given up: the work grows with its square. */
const MOST_EDITS = 500;

/** Empty when nothing differs. */
export function unifiedDiff(before: NamedText, after: NamedText): string {
  const [old, young] = [ended(before.text), ended(after.text)];
  if (old === young) return '';
  const { FILE_HEADERS_ONLY, formatPatch, structuredPatch } = diff();
  const options = { context: AROUND, maxEditLength: MOST_EDITS };
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
