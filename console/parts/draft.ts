/** Text that is kept in the tab until it is stored or discarded, so that a reload loses nothing. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { context } from '../api/context.ts';

interface KeptDraft {
  readonly text: string;
  /** The stored text on which the draft is based. */
  readonly base: string;
}

export interface Draft {
  readonly text: string;
  readonly isChanged: boolean;
  /** `true` if the stored text is another one than when the draft was begun. */
  readonly isOutdated: boolean;
  /** Changes when the text becomes another one than was typed. */
  readonly generation: number;
  readonly setText: (text: string) => void;
  readonly discard: () => void;
}

const keyOf = (name: string): string => `millrace.draft.${context.value?.space.space_id ?? ''}.${name}`;

function restore(name: string): KeptDraft | undefined {
  const kept = sessionStorage.getItem(keyOf(name));
  return kept === null ? undefined : (JSON.parse(kept) as KeptDraft);
}

function keep(name: string, draft: KeptDraft): void {
  try {
    sessionStorage.setItem(keyOf(name), JSON.stringify(draft));
  } catch {
    // The tab's storage is full: the text is still in the page.
  }
}

export function forgetDraft(name: string): void {
  sessionStorage.removeItem(keyOf(name));
}

export const hasDraft = (name: string): boolean => sessionStorage.getItem(keyOf(name)) !== null;

/** `name` identifies the object, `stored` is its text in the service. */
export function useDraft(name: string, stored: string): Draft {
  const [draft, setDraft] = useState<KeptDraft | undefined>(() => restore(name));
  const [generation, setGeneration] = useState(0);
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) isFirst.current = false;
    else {
      setDraft(restore(name));
      setGeneration((count) => count + 1);
    }
  }, [name, stored]);
  const text = draft?.text ?? stored;
  return {
    text,
    isChanged: draft !== undefined && draft.text !== stored,
    isOutdated: draft !== undefined && draft.base !== stored && draft.text !== stored,
    generation,
    setText(changed) {
      if (changed === text) return;
      const next = { text: changed, base: draft?.base ?? stored };
      if (changed === stored) forgetDraft(name);
      else keep(name, next);
      setDraft(changed === stored ? undefined : next);
    },
    discard() {
      forgetDraft(name);
      setDraft(undefined);
      setGeneration((count) => count + 1);
    },
  };
}
