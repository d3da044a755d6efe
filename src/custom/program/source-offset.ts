/**
 * Maps an offset in a bound statement to the offset in the SQL of the step. The texts between the
 * slots are the same in both, whatever a binder writes for a slot.
 */
import type { TemplatePart } from '../../sql/template/template.ts';

export function sourceOffset(source: string, parts: readonly TemplatePart[], bound: string, target: number): number {
  let inSource = 0;
  let inBound = 0;
  for (const part of parts) {
    if (part.kind !== 'text') continue;
    const text = findIn(source, part.text, inSource);
    const start = bound.indexOf(part.text, inBound);
    if (text === undefined || start < 0) return lineStart(source, bound, target);
    // The offset is in what replaces a slot.
    if (target < start) return inSource;
    if (target < start + part.text.length) return Math.min(text.at + target - start, text.at + text.length);
    inSource = text.at + text.length;
    inBound = start + part.text.length;
  }
  return inSource;
}

/** A blank that separates a word from a slot is not in the source. */
function findIn(source: string, text: string, from: number): { readonly at: number; readonly length: number } | undefined {
  for (const wanted of text.endsWith(' ') ? [text, text.slice(0, -1)] : [text]) {
    const at = source.indexOf(wanted, from);
    if (at >= 0) return { at, length: wanted.length };
  }
  return undefined;
}

/** Slots contain no line breaks, so both texts have the same lines. */
function lineStart(source: string, bound: string, target: number): number {
  const line = bound.slice(0, target).split('\n').length - 1;
  const lines = source.split('\n');
  const before = lines.slice(0, line).reduce((sum, text) => sum + text.length + 1, 0);
  return Math.min(source.length, before + (/^\s*/.exec(lines[line] ?? '')?.[0].length ?? 0));
}
