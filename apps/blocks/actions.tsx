/** Buttons of a row: each opens its form in a dialog. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { CurrentBlock } from '../page/block.tsx';
import type { Form } from '../page/document.ts';
import type { Row } from '../page/fill.ts';
import { FormBlock } from './form.tsx';
import { operationOf } from './form-target.ts';

const LABELS: Readonly<Record<string, string>> = { call: 'Send', insert: 'Insert', update: 'Change', delete: 'Delete' };

const labelOf = (form: Form): string => form.button ?? LABELS[operationOf(form)] ?? 'Open';

interface ActionsProps {
  readonly actions: readonly Form[];
  readonly row: Row;
  readonly onDone: (message: string) => void;
}

export function Actions({ actions, row, onDone }: ActionsProps) {
  // The row as it was when the dialog was opened: the table may be read again meanwhile.
  const [open, setOpen] = useState<{ readonly form: Form; readonly row: Row } | undefined>(undefined);
  return (
    <span class="actions">
      {actions.map((form, at) => (
        <button key={String(at)} type="button" data-testid={`action-${at + 1}`} onClick={() => setOpen({ form, row })}>
          {labelOf(form)}
        </button>
      ))}
      {open !== undefined && <ActionDialog {...open} onDone={onDone} onClose={() => setOpen(undefined)} />}
    </span>
  );
}

interface ActionDialogProps {
  readonly form: Form;
  readonly row: Row;
  readonly onDone: (message: string) => void;
  readonly onClose: () => void;
}

function ActionDialog({ form, row, onDone, onClose }: ActionDialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current?.showModal(), []);
  return (
    <dialog ref={element} class="action" aria-label={labelOf(form)} onCancel={onClose} onClose={onClose}>
      <button type="button" class="plain close" aria-label="Close" onClick={onClose}>
        ✕
      </button>
      {/* The form has states of its own, beside those of its table. */}
      <CurrentBlock.Provider value={undefined}>
        <FormBlock
          form={form}
          row={row}
          onDone={(message) => {
            onClose();
            onDone(message);
          }}
        />
      </CurrentBlock.Provider>
    </dialog>
  );
}
