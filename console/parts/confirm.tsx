/** Questions before something is lost or destroyed. */
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { Dialog } from './dialog.tsx';

interface Question {
  readonly title: string;
  readonly text: string;
  /** A verb with its object: `Delete 3 rows`. */
  readonly action: string;
  readonly isDangerous?: boolean;
  /** The text that must be typed before the action is possible. */
  readonly typed?: string;
}

interface Asked extends Question {
  readonly answer: (yes: boolean) => void;
}

const asked = signal<Asked | undefined>(undefined);

/** Asks, and resolves with `true` if the user agrees. */
export function confirm(question: Question): Promise<boolean> {
  asked.value?.answer(false);
  return new Promise((resolve) => {
    asked.value = {
      ...question,
      answer: (yes) => {
        asked.value = undefined;
        resolve(yes);
      },
    };
  });
}

export function ConfirmDialog() {
  const { value } = asked;
  return value === undefined ? null : <Confirm key={value.title + value.text} {...value} />;
}

function Confirm({ title, text, action, isDangerous = false, typed, answer }: Asked) {
  const [entered, setEntered] = useState('');
  return (
    <Dialog
      title={title}
      testId="confirm"
      onClose={() => answer(false)}
      actions={
        <>
          <button type="button" data-testid="confirm-cancel" onClick={() => answer(false)}>
            Cancel
          </button>
          <button
            type="button"
            class={isDangerous ? 'danger' : 'primary'}
            data-testid="confirm-ok"
            disabled={typed !== undefined && entered !== typed}
            onClick={() => answer(true)}
          >
            {action}
          </button>
        </>
      }
    >
      <p class="pre-line">{text}</p>
      {typed !== undefined && (
        <label class="field">
          Type {typed} to confirm
          <input value={entered} onInput={(event) => setEntered(event.currentTarget.value)} />
        </label>
      )}
    </Dialog>
  );
}
