/**
 * Maps an offset in a bound statement to the offset in the SQL of the step. Walks both in parallel
 * and skips each slot together with its placeholder. Falls back to the start of the line.
 */
const SLOT = /\?:[\p{L}_][\p{L}\p{M}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{M}\p{N}_]*|\[\d+\])*/uy;
const PLACEHOLDER = /(?:\$\d+(?:::text)?|CAST\(\$\d+ AS \w+(?:\[\])?\)|\?|\{p\d+:[^}]*\}|NULL)(?:, (?:\$\d+|\?))*/y;
const LIST = /(?:NOT\s+)?IN\s*\(/iy;
const BOUND_LIST = /(?:= ANY|<> ALL|(?:NOT )?IN) ?\(?/y;

export function sourceOffset(source: string, bound: string, target: number): number {
  let s = 0;
  let b = 0;
  while (b < target && s < source.length) {
    if (source[s] === bound[b] && source[s] !== '?') {
      s++;
      b++;
      continue;
    }
    const slot = lengthAt(SLOT, source, source[s] === "'" ? s + 1 : s);
    const placeholder = lengthAt(PLACEHOLDER, bound, b);
    const list = lengthAt(LIST, source, s);
    const boundList = lengthAt(BOUND_LIST, bound, b);
    if (slot > 0 && placeholder > 0) {
      if (b + placeholder > target) return s;
      s += source[s] === "'" ? slot + 2 : slot;
      b += placeholder;
    } else if (bound[b] === ' ' && slot > 0) b++;
    else if (list > 0 && boundList > 0) {
      s += list;
      b += boundList;
    } else return lineStart(source, bound, target);
  }
  return s;
}

function lengthAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

/** Slots contain no line breaks, so both texts have the same lines. */
function lineStart(source: string, bound: string, target: number): number {
  const line = bound.slice(0, target).split('\n').length - 1;
  const lines = source.split('\n');
  const before = lines.slice(0, line).reduce((sum, text) => sum + text.length + 1, 0);
  return Math.min(source.length, before + (/^\s*/.exec(lines[line] ?? '')?.[0].length ?? 0));
}
