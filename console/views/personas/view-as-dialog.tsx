/** Begins to look at the data through a persona's eyes. */
import { useState } from 'preact/hooks';
import { startViewAs, viewAs } from '../../api/view-as.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { toast } from '../../parts/toasts.tsx';
import { tryPersona } from './personas-api.ts';

export function ViewAsDialog({ persona, onClose }: { readonly persona: string; readonly onClose: () => void }) {
  const [claims, setClaims] = useState(viewAs.value?.persona === persona ? viewAs.value.claims : '');
  const [error, setError] = useState<string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const start = async (): Promise<void> => {
    // A header has one line; in JSON a line break means nothing.
    const sent = claims.trim().replace(/\s*\n\s*/g, ' ');
    setBusy(true);
    setError(undefined);
    try {
      await tryPersona(persona, sent);
      startViewAs({ persona, claims: sent });
      toast(`The data views act as ${persona}.`);
      onClose();
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={`View as ${persona}`}
      onClose={onClose}
      actions={
        <>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" form="view-as" class="primary" data-testid="view-as-start" disabled={isBusy}>
            View as {persona}
          </button>
        </>
      }
    >
      <form
        id="view-as"
        class="section-form"
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
      >
        <p class="muted">From then on rows, counts and exports are those of the persona, until you stop.</p>
        <label class="field">
          Claims, as a JSON object
          <textarea
            class="mono"
            rows={3}
            data-testid="view-as-claims"
            spellcheck={false}
            placeholder={'{"customer_id": 7}'}
            value={claims}
            onInput={(event) => setClaims(event.currentTarget.value)}
          />
        </label>
        {error !== undefined && (
          <p class="field-error" role="alert" data-testid="error">
            {error}
          </p>
        )}
      </form>
    </Dialog>
  );
}
