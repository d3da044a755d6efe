/** Buttons of a row: each opens its form in a dialog. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { CurrentBlock } from '../page/block.tsx';
import type { Form } from '../page/document.ts';
import type { Row } from '../page/fill.ts';
import { FormBlock } from './form.tsx';
import { operationOf } from './form-target.ts';

const LABELS: Readonly<Record<string, string>> = { call: 'Send', insert: 'Insert', update: 'Change', delete: 'Delete' };

const labelOf = (form: Form): string => form.button ?? LABELS[operationOf(form)] ?? 'Open';

export function Actions({ actions, row }: { readonly actions: readonly Form[]; readonly row: Row }) {
  const [open, setOpen] = useState<Form | undefined>(undefined);
  return (
    <span class="actions">
      {actions.map((form, at) => (
        <button key={labelOf(form)} type="button" data-testid={`action-${at + 1}`} onClick={() => setOpen(form)}>
          {labelOf(form)}
        </button>
      ))}
      {open !== undefined && <ActionDialog form={open} row={row} onClose={() => setOpen(undefined)} />}
    </span>
  );
}

function ActionDialog({ form, row, onClose }: { readonly form: Form; readonly row: Row; readonly onClose: () => void }) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current?.showModal(), []);
  return (
    <dialog ref={element} class="action" aria-label={labelOf(form)} onCancel={onClose} onClose={onClose}>
      <button type="button" class="plain close" aria-label="Close" onClick={onClose}>
        ✕
      </button>
      {/* The form has states of its own, beside those of its table. */}
      <CurrentBlock.Provider value={undefined}>
        <FormBlock form={form} row={row} onDone={onClose} />
      </CurrentBlock.Provider>
    </dialog>
  );
}
