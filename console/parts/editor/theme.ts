/** Look of the editor. Custom properties reach into the shadow root, so one theme is enough. */
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const look = EditorView.theme({
  '&': { height: '100%', color: 'var(--fg)', backgroundColor: 'var(--bg)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { font: 'var(--text-code)', overflow: 'auto' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--fg)' },
  '.cm-line': { padding: '0 12px 0 4px' },
  '.cm-gutters': { backgroundColor: 'var(--bg)', color: 'var(--fg-faint)', border: '0' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 8px 0 4px', minWidth: '32px' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in oklch, var(--bg-hover) 45%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--fg)' },
  '.cm-cursor': { borderLeftColor: 'var(--fg)', borderLeftWidth: '2px' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'var(--bg-selected)',
  },
  '.cm-selectionMatch': { backgroundColor: 'var(--bg-selected)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--bg-selected)',
    outline: '1px solid var(--line-strong)',
  },
  '.cm-searchMatch': { backgroundColor: 'var(--pending)' },
  '.cm-searchMatch-selected': { outline: '1px solid var(--focus)' },
  '.cm-placeholder-name, .cm-placeholder-name span': { color: 'var(--warn)', fontWeight: '600' },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: 'var(--radius)',
    backgroundColor: 'var(--bg-raised)',
    color: 'var(--fg)',
    boxShadow: 'var(--shadow)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { font: 'var(--text-code)', maxHeight: '224px', minWidth: '220px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    display: 'flex',
    gap: '12px',
    alignItems: 'center',
    padding: '2px 8px',
    minHeight: '24px',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--bg-selected)', color: 'var(--fg)' },
  '.cm-completionDetail': { marginLeft: 'auto', color: 'var(--fg-muted)', fontStyle: 'normal', font: 'var(--text-xs)' },
  '.cm-completionMatchedText': { textDecoration: 'none', color: 'var(--accent)', fontWeight: '600' },
  '.cm-diagnostic': { padding: '6px 10px', border: '0', font: 'var(--text)', maxWidth: '520px', whiteSpace: 'pre-wrap' },
  '.cm-diagnosticText': { overflowWrap: 'anywhere' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--danger) 1px',
    textUnderlineOffset: '3px',
  },
  '.cm-lintPoint-error:after': { borderBottomColor: 'var(--danger)' },
  '.cm-problem-line': { backgroundColor: 'color-mix(in oklch, var(--danger) 9%, transparent)' },
  '.cm-problem-number': { color: 'var(--danger)', fontWeight: '600' },
  '.cm-panels': { backgroundColor: 'var(--bg-sunken)', color: 'var(--fg)', font: 'var(--text)' },
  '.cm-panels.cm-panels-bottom': { borderTop: '1px solid var(--line)' },
  '.cm-textfield': {
    height: 'var(--control)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    backgroundColor: 'var(--bg-raised)',
    color: 'var(--fg)',
    font: 'var(--text)',
  },
  '.cm-button': {
    height: 'var(--control)',
    border: '1px solid var(--line)',
    borderRadius: 'var(--radius)',
    backgroundColor: 'var(--bg-raised)',
    backgroundImage: 'none',
    color: 'var(--fg)',
    font: 'var(--text)',
  },
  '.cm-panel.cm-search label': { font: 'var(--text-sm)', color: 'var(--fg-muted)' },
  '.cm-panel.cm-search [name=close]': { width: '24px', height: '24px', color: 'var(--fg)' },
});

const highlight = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.controlKeyword, tags.definitionKeyword], color: 'var(--series-4)' },
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--ok)' },
  { tag: [tags.number], color: 'var(--warn)' },
  { tag: [tags.bool, tags.null, tags.atom], color: 'var(--null)' },
  { tag: [tags.comment, tags.lineComment, tags.blockComment, tags.meta], color: 'var(--fg-faint)' },
  { tag: [tags.function(tags.variableName), tags.standard(tags.name), tags.typeName], color: 'var(--null)' },
  { tag: [tags.operator, tags.punctuation, tags.separator, tags.bracket], color: 'var(--fg-muted)' },
  { tag: tags.invalid, color: 'var(--danger)' },
]);

export const theme = [look, syntaxHighlighting(highlight)];
