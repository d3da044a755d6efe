/**
 * Two texts → a unified diff of their lines. The work is bounded: texts that have too little in common are shown as one replaced by the other. A
 * missing end of the last line is no difference.
 */

/** A text and what its line in the head of the diff says. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
}

type Sign = ' ' | '-' | '+';

interface Line {
  readonly sign: Sign;
  readonly text: string;
}

/** Lines that are shown around a change. */
const AROUND = 3;
/** Lines that may come and go before looking for what stays is given up. Memory grows with its square. */
const MOST_EDITS = 500;

/** Empty when nothing differs. */
export function unifiedDiff(before: NamedText, after: NamedText): string {
  const lines = editsOf(linesOf(before.text), linesOf(after.text));
  const hunks = hunksOf(lines);
  if (hunks.length === 0) return '';
  return [`--- ${before.name}`, `+++ ${after.name}`, ...hunks, ''].join('\n');
}

function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** What both begin and end with is left out of the search. */
function editsOf(before: readonly string[], after: readonly string[]): readonly Line[] {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  return [
    ...signed(' ', before.slice(0, head)),
    ...middleOf(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...signed(' ', before.slice(before.length - tail)),
  ];
}

function signed(sign: Sign, texts: readonly string[]): readonly Line[] {
  return texts.map((text) => ({ sign, text }));
}

/** The fewest edits, by Myers' greedy search: `reach[k]` is how far into `before` so many edits lead on the diagonal k. */
function middleOf(before: readonly string[], after: readonly string[]): readonly Line[] {
  const most = Math.min(before.length + after.length, MOST_EDITS);
  const reach = new Int32Array(2 * most + 3);
  const at = (k: number): number => reach[k + most + 1] as number;
  const trail: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits++) {
    for (let k = -edits; k <= edits; k += 2) {
      let x = isInsertion(k, edits, at) ? at(k + 1) : at(k - 1) + 1;
      while (x < before.length && x - k < after.length && before[x] === after[x - k]) x++;
      reach[k + most + 1] = x;
      if (x >= before.length && x - k >= after.length) return walkBack(before, after, trail, edits);
    }
    trail.push(reach.slice(most + 1 - edits, most + 2 + edits));
  }
  return [...signed('-', before), ...signed('+', after)];
}

function isInsertion(k: number, edits: number, at: (k: number) => number): boolean {
  return k === -edits || (k !== edits && at(k - 1) < at(k + 1));
}

/** From the end, through how far each smaller number of edits led. */
function walkBack(before: readonly string[], after: readonly string[], trail: readonly Int32Array[], edits: number): readonly Line[] {
  const lines: Line[] = [];
  let x = before.length;
  let y = after.length;
  for (let left = edits; left > 0; left--) {
    const reached = trail[left - 1] as Int32Array;
    const at = (k: number): number => reached[k + left - 1] ?? -1;
    const k = x - y;
    const inserts = isInsertion(k, left, at);
    const from = inserts ? at(k + 1) : at(k - 1);
    const to = from - (inserts ? k + 1 : k - 1);
    while (x > from + (inserts ? 0 : 1) && y > to + (inserts ? 1 : 0)) {
      lines.push({ sign: ' ', text: before[--x] as string });
      y--;
    }
    lines.push(inserts ? { sign: '+', text: after[--y] as string } : { sign: '-', text: before[--x] as string });
  }
  while (x > 0) lines.push({ sign: ' ', text: before[--x] as string });
  return lines.reverse();
}

/** Changes with what stands around them; those that are close together in one. */
function hunksOf(lines: readonly Line[]): readonly string[] {
  const changed = lines.flatMap(({ sign }, index) => (sign === ' ' ? [] : [index]));
  const spans: { from: number; to: number }[] = [];
  for (const index of changed) {
    const last = spans.at(-1);
    if (last !== undefined && index - AROUND <= last.to) last.to = Math.min(lines.length, index + AROUND + 1);
    else spans.push({ from: Math.max(0, index - AROUND), to: Math.min(lines.length, index + AROUND + 1) });
  }
  const passed = { '-': 0, '+': 0 };
  let at = 0;
  const pass = (until: number): void => {
    for (; at < until; at++) {
      const sign = lines[at]?.sign;
      if (sign !== '+') passed['-']++;
      if (sign !== '-') passed['+']++;
    }
  };
  return spans.map(({ from, to }) => {
    pass(from);
    const start = { ...passed };
    pass(to);
    const range = (side: '-' | '+'): string => {
      const count = passed[side] - start[side];
      return `${side}${start[side] + (count === 0 ? 0 : 1)},${count}`;
    };
    const shown = lines.slice(from, to).map(({ sign, text }) => sign + text);
    return [`@@ ${range('-')} ${range('+')} @@`, ...shown].join('\n');
  });
}
