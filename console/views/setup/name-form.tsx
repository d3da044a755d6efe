/** A dialog for what has a name and an abbreviation: organizations and projects. */
import { useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { FormError, TextField } from '../../parts/form.tsx';
import { useSubmission } from '../../parts/submission.ts';

interface NameFormProps {
  /** `organization`, `project`. */
  readonly what: string;
  /** Prefix of the fields' names: `org`, `project`. */
  readonly prefix: string;
  readonly onSave: (name: string, abbreviation: string) => Promise<void>;
  readonly onClose: () => void;
}

/** A proposal for the abbreviation, which is part of addresses. */
const abbreviate = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 63);

export function NameForm({ what, prefix, onSave, onClose }: NameFormProps) {
  const [name, setName] = useState('');
  const [abbreviation, setAbbreviation] = useState<string | undefined>(undefined);
  const submission = useSubmission();
  const formId = `${prefix}-form`;
  return (
    <Dialog
      title={`New ${what}`}
      onClose={onClose}
      actions={
        <>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" form={formId} class="primary" data-testid={`${prefix}-save`} disabled={submission.isBusy}>
            Create the {what}
          </button>
        </>
      }
    >
      <form
        id={formId}
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void submission.run(() => onSave(name.trim(), (abbreviation ?? abbreviate(name)).trim()));
        }}
      >
        <TextField label="Name" testId={`${prefix}-name`} value={name} onValue={setName} />
        <TextField
          label="Abbreviation"
          hint="Part of addresses: small letters, digits and hyphens"
          testId={`${prefix}-abbreviation`}
          value={abbreviation ?? abbreviate(name)}
          onValue={setAbbreviation}
        />
        <FormError error={submission.error} />
      </form>
    </Dialog>
  );
}
