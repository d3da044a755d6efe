/** The editor of definitions, modules and personas. Its code is loaded when it is first shown. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Problem } from '../../api/types.ts';
import { ErrorState, Loading } from '../states.tsx';
import type { EditorHandle, EditorKind } from './create-editor.ts';

/** Holds the handle while the editor is shown. */
export interface EditorSlot {
  current: EditorHandle | undefined;
}

interface EditorProps {
  readonly kind: EditorKind;
  /** Accessible name of the text. */
  readonly label: string;
  readonly text: string;
  /** A new one replaces what the editor shows by `text`. */
  readonly generation: number;
  readonly problems: readonly Problem[];
  readonly isReadOnly?: boolean;
  readonly onChange: (text: string) => void;
  readonly slot: EditorSlot;
}

export function Editor({ kind, label, text, generation, problems, isReadOnly = false, onChange, slot }: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef({ onChange, text });
  latest.current = { onChange, text };
  const [failure, setFailure] = useState<Error | undefined>(undefined);
  const [isReady, setReady] = useState(false);
  const [attempt, setAttempt] = useState(0);

  useEffect(() => {
    let isGone = false;
    setFailure(undefined);
    import('./create-editor.ts').then(
      ({ createEditor }) => {
        const element = host.current;
        if (isGone || element === null) return;
        const parent = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
        const made = createEditor({
          parent,
          kind,
          label,
          text: latest.current.text,
          isReadOnly,
          onChange: (changed) => latest.current.onChange(changed),
        });
        // So that a dialog can give the focus back to what had it.
        element.focus = made.focus;
        slot.current = made;
        setReady(true);
      },
      () => setFailure(new Error('The editor could not be loaded. Check the connection, then try again.')),
    );
    return () => {
      isGone = true;
      slot.current?.destroy();
      slot.current = undefined;
      setReady(false);
    };
  }, [kind, label, isReadOnly, attempt]);

  useEffect(() => slot.current?.setText(latest.current.text), [generation]);
  useEffect(() => {
    if (isReady) slot.current?.setProblems(problems);
  }, [problems, isReady]);

  return (
    <div class="editor-frame">
      {failure !== undefined && <ErrorState error={failure} onRetry={() => setAttempt(attempt + 1)} />}
      {failure === undefined && !isReady && <Loading what="the editor" />}
      <div ref={host} class="editor" data-testid="editor" />
    </div>
  );
}
