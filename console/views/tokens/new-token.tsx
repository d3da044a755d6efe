/** Creates a token and shows its value once. */
import { useState } from 'preact/hooks';
import { context } from '../../api/context.ts';
import { getJson, sendJson } from '../../api/request.ts';
import { copyText } from '../../parts/copy-text.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FormError, SelectField, TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useResource } from '../../parts/resource.ts';
import { useSubmission } from '../../parts/submission.ts';

const TYPES = [
  ['r--', 'r--  read'],
  ['rw-', 'rw-  read and write'],
  ['rwd', 'rwd  read, write and delete'],
  ['-w-', '-w-  write'],
  ['--d', '--d  delete'],
  ['-wd', '-wd  write and delete'],
  ['r-d', 'r-d  read and delete'],
] as const;

/** A day without a time begins at midnight UTC. */
const instantOf = (text: string): string => (/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);

interface Draft {
  readonly name: string;
  readonly type: string;
  readonly roles: string;
  readonly persona: string;
  readonly claims: string;
  readonly expires: string;
}

const EMPTY: Draft = { name: '', type: 'r--', roles: '', persona: '', claims: '', expires: '' };

function bodyOf({ name, type, roles, persona, claims, expires }: Draft): Record<string, unknown> {
  const words = roles.split(',').map((role) => role.trim());
  return {
    name,
    key_type: type,
    roles: words.filter((role) => role !== ''),
    ...(persona === '' ? {} : { persona }),
    ...(claims.trim() === '' ? {} : { claims: parseClaims(claims) }),
    ...(expires.trim() === '' ? {} : { expires_at: instantOf(expires.trim()) }),
  };
}

function parseClaims(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('The claims are not JSON. Write an object, for example {"region": "north"}.');
  }
}

export function NewToken({ onClose, onCreated }: { readonly onClose: () => void; readonly onCreated: () => void }) {
  const [draft, setDraft] = useState(EMPTY);
  const [value, setValue] = useState<string | undefined>(undefined);
  const submission = useSubmission();
  const personas = useResource((signal) => readPersonas(signal), []);
  const set = (part: Partial<Draft>): void => setDraft({ ...draft, ...part });
  const create = (): Promise<void> =>
    submission.run(async () => {
      const made = await sendJson<{ power_token: string }>('POST', 'system/api/v1/token', bodyOf(draft));
      setValue(made.power_token);
      onCreated();
    });
  if (value !== undefined) return <Value value={value} name={draft.name} onDone={onClose} />;
  return (
    <Dialog
      title="New token"
      onClose={onClose}
      actions={
        <>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" form="new-token" class="primary" data-testid="token-create" disabled={submission.isBusy}>
            Create the token
          </button>
        </>
      }
    >
      <form
        id="new-token"
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <TextField label="Name" testId="token-name" value={draft.name} onValue={(name) => set({ name })} />
        <div class="fields">
          <SelectField label="Type" testId="token-type" value={draft.type} options={TYPES} onValue={(type) => set({ type })} />
          <TextField
            label="Roles"
            hint="Separated by commas"
            testId="token-roles"
            value={draft.roles}
            placeholder="reader, support"
            onValue={(roles) => set({ roles })}
          />
          <SelectField
            label="Persona"
            testId="token-persona"
            value={draft.persona}
            options={[['', 'by its roles'], ...(personas.value ?? []).map((name) => [name, name] as const)]}
            onValue={(persona) => set({ persona })}
          />
          <TextField
            label="Ends"
            hint="Empty: never"
            testId="token-expires"
            value={draft.expires}
            placeholder="2027-01-31"
            onValue={(expires) => set({ expires })}
          />
        </div>
        <label class="field">
          Claims, as a JSON object
          <textarea
            class="mono"
            rows={2}
            data-testid="token-claims"
            value={draft.claims}
            spellcheck={false}
            onInput={(event) => set({ claims: event.currentTarget.value })}
          />
        </label>
        <p class="faint">It acts in the space {context.value?.space.name}.</p>
        <FormError error={submission.error} />
      </form>
    </Dialog>
  );
}

async function readPersonas(signal: AbortSignal): Promise<readonly string[]> {
  const list = await getJson<readonly { persona: string }[]>('persona/v1/list', { signal });
  return list.map(({ persona }) => persona);
}

function Value({ value, name, onDone }: { readonly value: string; readonly name: string; readonly onDone: () => void }) {
  return (
    <Dialog
      title={`The token ${name}`}
      onClose={onDone}
      actions={
        <>
          <button type="button" onClick={() => void copyText(value)}>
            <Icon name="copy" /> Copy the token
          </button>
          <button type="button" class="primary" data-testid="token-done" onClick={onDone}>
            Done
          </button>
        </>
      }
    >
      <p>Copy it now. It is not stored and cannot be shown again.</p>
      <output class="token-value mono" data-testid="token-value">
        {value}
      </output>
    </Dialog>
  );
}
