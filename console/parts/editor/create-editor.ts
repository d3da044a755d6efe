/** Creates the editor. Loaded when one is first shown. */
import { acceptCompletion, autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from '@codemirror/commands';
import { bracketMatching, indentOnInput, indentUnit, type LanguageSupport } from '@codemirror/language';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { Compartment, EditorSelection, EditorState, type Extension, Prec } from '@codemirror/state';
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  MatchDecorator,
  ViewPlugin,
} from '@codemirror/view';
import type { Problem } from '../../api/types.ts';
import { completionSource } from './completion.ts';
import { definitionLanguage, engineOf, larkLanguage, personaLanguage } from './languages.ts';
import { nextProblem, offsetOf, problemMarks, showProblems } from './problems.ts';
import { createSurroundings } from './surroundings.ts';
import { theme } from './theme.ts';

export type EditorKind = 'definition' | 'persona' | 'lark';

export interface EditorOptions {
  readonly parent: ShadowRoot;
  readonly kind: EditorKind;
  readonly label: string;
  readonly text: string;
  readonly isReadOnly: boolean;
  readonly onChange: (text: string) => void;
}

export interface EditorHandle {
  readonly focus: () => void;
  readonly setText: (text: string) => void;
  readonly setProblems: (problems: readonly Problem[]) => void;
  readonly goTo: (problem: Problem) => void;
  readonly goToNext: () => void;
  readonly destroy: () => void;
}

/** Keys of the console, which the editor leaves alone. */
const LEFT_ALONE = new Set(['Mod-Enter', 'Mod-k', 'F8']);
/** Time in which Tab leaves the editor after Escape, unless another key is pressed. */
const LEAVE_MS = 60_000;

/** Escape also closes what is open. The mode is set after the editor has handled the key. */
const leaveWithTab = Prec.highest(
  keymap.of([
    {
      key: 'Escape',
      run: (view) => {
        queueMicrotask(() => view.setTabFocusMode(LEAVE_MS));
        return false;
      },
    },
  ]),
);

const indentWithTab = Prec.lowest(
  keymap.of([{ key: 'Tab', run: (view) => acceptCompletion(view) || indentMore(view), shift: indentLess }]),
);

const keys = [...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap].filter(
  ({ key = '' }) => !LEFT_ALONE.has(key),
);

/**
 * Inserts long texts, and texts in place of several lines, without the browser: it would make
 * elements with inline styles of them, which the policy of the page forbids. The range is that of
 * the event, because the editor follows the selection of the page later.
 */
const insertTexts = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType } = event;
    if (inputType !== 'insertText' || data === null || view.state.readOnly) return false;
    const { from, to } = selectedPlace(event, view);
    const { state } = view;
    if (data.length === 1 && data !== '\n' && state.doc.lineAt(from).to >= to) return false;
    event.preventDefault();
    const insert = () =>
      state.update({
        changes: { from, to, insert: data },
        selection: EditorSelection.cursor(from + data.length),
        userEvent: 'input.paste',
        scrollIntoView: true,
      });
    const isHandled = state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, data, insert));
    if (!isHandled) view.dispatch(insert());
    return true;
  },
});

/** Ranges of events inside of a shadow root are empty in some browsers. */
function selectedPlace(event: InputEvent, view: EditorView): { from: number; to: number } {
  const selection = (view.root as Partial<Pick<Document, 'getSelection'>>).getSelection?.();
  const range = event.getTargetRanges()[0] ?? (selection != null && selection.rangeCount > 0 ? selection.getRangeAt(0) : undefined);
  const isInside = range !== undefined && view.contentDOM.contains(range.startContainer) && view.contentDOM.contains(range.endContainer);
  return isInside ? placeOf(view, range) : view.state.selection.main;
}

function placeOf(view: EditorView, { startContainer, startOffset, endContainer, endOffset }: AbstractRange): { from: number; to: number } {
  return { from: view.posAtDOM(startContainer, startOffset), to: view.posAtDOM(endContainer, endOffset) };
}

const placeholder = new MatchDecorator({ regexp: /\?:[A-Za-z_][\w.[\]]*/g, decoration: Decoration.mark({ class: 'cm-placeholder-name' }) });
const placeholders = ViewPlugin.define(
  (view) => ({
    decorations: placeholder.createDeco(view),
    update(update) {
      this.decorations = placeholder.updateDeco(update, this.decorations);
    },
  }),
  { decorations: ({ decorations }) => decorations },
);

const LANGUAGES: Readonly<Record<EditorKind, (text: string) => LanguageSupport>> = {
  definition: (text) => definitionLanguage(engineOf(text)),
  persona: personaLanguage,
  lark: larkLanguage,
};

function extensions({ kind, label, isReadOnly, text, onChange }: EditorOptions, language: Compartment): Extension[] {
  return [
    lineNumbers(),
    highlightActiveLineGutter(),
    highlightActiveLine(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    highlightSelectionMatches(),
    indentUnit.of(kind === 'lark' ? '    ' : '  '),
    language.of(LANGUAGES[kind](text)),
    // Precedes completion, which handles Escape exclusively.
    leaveWithTab,
    autocompletion({ override: [completionSource(kind, createSurroundings())], icons: false, tooltipClass: () => 'completions' }),
    keymap.of(keys),
    indentWithTab,
    insertTexts,
    problemMarks,
    kind === 'definition' ? placeholders : [],
    theme,
    EditorState.readOnly.of(isReadOnly),
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0', spellcheck: 'false', autocapitalize: 'off', autocorrect: 'off' }),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) onChange(state.doc.toString());
    }),
  ];
}

export function createEditor(options: EditorOptions): EditorHandle {
  const language = new Compartment();
  let engine = engineOf(options.text);
  let problems: readonly Problem[] = [];
  const followEngine = EditorView.updateListener.of(({ docChanged, view }) => {
    if (!docChanged || options.kind !== 'definition') return;
    const named = engineOf(view.state.doc.toString());
    if (named === engine) return;
    engine = named;
    view.dispatch({ effects: language.reconfigure(definitionLanguage(named)) });
  });
  const view = new EditorView({
    parent: options.parent,
    root: options.parent,
    state: EditorState.create({ doc: options.text, extensions: [...extensions(options, language), followEngine] }),
  });
  const goTo = (problem: Problem): void => {
    const at = offsetOf(view.state.doc, problem);
    view.dispatch({ selection: EditorSelection.cursor(at), effects: EditorView.scrollIntoView(at, { y: 'center' }) });
    view.focus();
  };
  return {
    focus: () => view.focus(),
    setText(text) {
      if (text !== view.state.doc.toString()) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    setProblems(found) {
      problems = found;
      showProblems(view, found);
    },
    goTo,
    goToNext() {
      const next = nextProblem(view, problems);
      if (next !== undefined) goTo(next);
    },
    destroy: () => view.destroy(),
  };
}
