/** A question before a form is sent. */
import { signal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';

interface Question {
  readonly text: string;
  readonly action: string;
  readonly answer: (yes: boolean) => void;
}

const asked = signal<Question | undefined>(undefined);

export function askFirst(text: string, action: string): Promise<boolean> {
  asked.value?.answer(false);
  return new Promise((resolve) => {
    asked.value = {
      text,
      action,
      answer: (yes) => {
        asked.value = undefined;
        resolve(yes);
      },
    };
  });
}

export function Confirm() {
  return asked.value === undefined ? null : <OpenConfirm {...asked.value} />;
}

function OpenConfirm({ text, action, answer }: Question) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={element} class="confirm" data-testid="confirm" aria-labelledby={id} onCancel={() => answer(false)}>
      <p id={id}>{text}</p>
      <div class="confirm-buttons">
        <button type="button" data-testid="confirm-cancel" onClick={() => answer(false)}>
          Cancel
        </button>
        <button type="button" class="primary" data-testid="confirm-ok" onClick={() => answer(true)}>
          {action}
        </button>
      </div>
    </dialog>
  );
}
