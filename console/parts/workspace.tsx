/** A document that is edited, checked while it is typed, and saved: a module or a persona. */
import type { ComponentChildren } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { useKeys } from '../app/keys.ts';
import { addressOf } from '../app/router.ts';
import { Bar } from './bar.tsx';
import { type CheckAnswer, useCheck } from './check.ts';
import { useDraft } from './draft.ts';
import type { EditorKind } from './editor/create-editor.ts';
import { Editor, type EditorSlot } from './editor/editor.tsx';
import { CheckState, ProblemList } from './problem-list.tsx';

interface WorkspaceProps {
  readonly kind: EditorKind;
  readonly parent: { readonly segment: string; readonly label: string };
  readonly title: string;
  readonly draftName: string;
  readonly stored: string;
  /** `undefined` if the caller may not change the document. */
  readonly check: ((text: string, signal: AbortSignal) => Promise<CheckAnswer>) | undefined;
  /** What the check depends on besides the text. */
  readonly checkKeys?: readonly unknown[];
  readonly saveLabel: string;
  readonly saveTestId: string;
  /** Rejects if the document is refused; the text then stays as it is. */
  readonly onSave: (text: string) => Promise<void>;
  readonly actions?: ComponentChildren;
  readonly strip?: ComponentChildren;
}

export function Workspace(props: WorkspaceProps) {
  const { kind, parent, title, draftName, stored, check: ask, checkKeys = [], saveLabel, saveTestId, onSave, actions, strip } = props;
  const isWritable = ask !== undefined;
  const draft = useDraft(draftName, stored);
  const slot = useMemo<EditorSlot>(() => ({ current: undefined }), []);
  const check = useCheck(draft.text, ask, checkKeys);
  const [error, setError] = useState<string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);

  const save = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setError(undefined);
    try {
      await onSave(draft.text);
      draft.discard();
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
    } finally {
      setBusy(false);
    }
  };
  const latest = useRef(save);
  latest.current = save;
  useKeys(
    isWritable
      ? [
          { key: 'Ctrl+S', meaning: saveLabel, inFields: true, run: () => void latest.current() },
          { key: 'F8', meaning: 'Go to the next problem', inFields: true, run: () => slot.current?.goToNext() },
          { key: 'Escape Tab', meaning: 'Leave the editor' },
        ]
      : [],
    [isWritable, saveLabel],
  );

  return (
    <>
      <Bar
        title={
          <>
            <a class="crumb" href={addressOf([parent.segment])}>
              {parent.label}
            </a>{' '}
            {title}
          </>
        }
        actions={
          isWritable && (
            <>
              {draft.isChanged && (
                <button type="button" class="plain" data-testid="discard" onClick={draft.discard}>
                  Discard changes
                </button>
              )}
              {actions}
              <button type="button" class="primary" data-testid={saveTestId} disabled={isBusy} onClick={() => void save()}>
                {saveLabel}
              </button>
            </>
          )
        }
      >
        {draft.isChanged && <span class="badge warn">not saved</span>}
        {!isWritable && <span class="badge">read only</span>}
      </Bar>
      {strip !== undefined && <div class="strip">{strip}</div>}
      {error !== undefined && (
        <p class="notice field-error" role="alert" data-testid="error">
          {error}
        </p>
      )}
      {draft.isOutdated && (
        <p class="notice" role="status">
          It was changed since you began. Your text is kept; Discard changes shows the present one.
        </p>
      )}
      <div class="workbench">
        <div class="workbench-main">
          <Editor
            kind={kind}
            label={title}
            text={draft.text}
            generation={draft.generation}
            problems={check.problems}
            isReadOnly={!isWritable}
            onChange={draft.setText}
            slot={slot}
          />
          {isWritable && (
            <div class="editor-foot">
              <div class="editor-status">
                <CheckState check={check} />
              </div>
              <ProblemList check={check} onGoTo={(problem) => slot.current?.goTo(problem)} />
            </div>
          )}
        </div>
      </div>
    </>
  );
}
