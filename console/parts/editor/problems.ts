/** Marks of problems: the line, its number, and the place. */
import { type Diagnostic, setDiagnostics } from '@codemirror/lint';
import { type EditorState, RangeSet, StateEffect, StateField, type Text } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, GutterMarker, gutterLineClass } from '@codemirror/view';
import type { Problem } from '../../api/types.ts';

/** Offset of a place that counts from 1. Places behind the end are at the last line. */
export function offsetOf(doc: Text, { line = 1, column = 1 }: Problem): number {
  const at = doc.line(Math.min(Math.max(1, line), doc.lines));
  return Math.min(at.from + Math.max(0, column - 1), at.to);
}

const lines = StateEffect.define<readonly number[]>();
const lineMark = Decoration.line({ class: 'cm-problem-line' });

const markedLines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    const mapped = marks.map(transaction.changes);
    const effect = transaction.effects.find((candidate) => candidate.is(lines));
    if (effect === undefined) return mapped;
    const starts = (effect.value as readonly number[]).map((offset) => lineMark.range(offset));
    return Decoration.set(starts);
  },
  provide: (field) => EditorView.decorations.from(field),
});

class ProblemNumber extends GutterMarker {
  override elementClass = 'cm-problem-number';
}
const numberMark = new ProblemNumber();

const markedNumbers = gutterLineClass.compute([markedLines], (state) => {
  const starts: number[] = [];
  state.field(markedLines).between(0, state.doc.length, (from) => void starts.push(from));
  return RangeSet.of(starts.map((from) => numberMark.range(from)));
});

export const problemMarks = [markedLines, markedNumbers];

export function showProblems(view: EditorView, problems: readonly Problem[]): void {
  const { state } = view;
  const diagnostics = problems.map((problem) => diagnosticOf(state, problem)).sort((a, b) => a.from - b.from);
  const starts = [...new Set(diagnostics.map(({ from }) => state.doc.lineAt(from).from))];
  const transaction = setDiagnostics(state, diagnostics);
  view.dispatch({ ...transaction, effects: [...[transaction.effects ?? []].flat(), lines.of(starts)] });
}

function diagnosticOf(state: EditorState, problem: Problem): Diagnostic {
  const from = offsetOf(state.doc, problem);
  const word = state.wordAt(from);
  const to = word !== null && word.to > from ? word.to : Math.min(from + 1, state.doc.lineAt(from).to);
  return { from, to, severity: 'error', message: problem.message };
}

/** The problem behind the cursor, or the first. */
export function nextProblem(view: EditorView, problems: readonly Problem[]): Problem | undefined {
  const { head } = view.state.selection.main;
  const sorted = problems.toSorted((a, b) => offsetOf(view.state.doc, a) - offsetOf(view.state.doc, b));
  return sorted.find((problem) => offsetOf(view.state.doc, problem) > head) ?? sorted[0];
}
