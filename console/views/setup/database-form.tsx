/** Registers or changes a database. The connection can be tested before it is stored. */
import { useState } from 'preact/hooks';
import { ApiError } from '../../api/request.ts';
import { type Entry, type Scope, sendSystem } from '../../api/system.ts';
import type { Space } from '../../api/types.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { FormError, SelectField, TextField } from '../../parts/form.tsx';
import { Loading } from '../../parts/states.tsx';
import { useSubmission } from '../../parts/submission.ts';
import { toast } from '../../parts/toasts.tsx';

const TYPES = [
  ['pg', 'PostgreSQL'],
  ['ms', 'MySQL'],
  ['ma', 'MariaDB'],
  ['ch', 'ClickHouse'],
] as const;
const PORTS: Readonly<Record<string, string>> = { pg: '5432', ms: '3306', ma: '3306', ch: '9000' };
const TLS = ['prefer', 'disable', 'require', 'verify-full'].map((name) => [name, name] as const);

interface Draft {
  readonly type: string;
  readonly host: string;
  readonly port: string;
  readonly name: string;
  readonly alias: string;
  readonly username: string;
  /** `undefined`: the stored one stays. */
  readonly password: string | undefined;
  readonly tls: string;
  readonly ca: string;
  readonly spaces: readonly string[];
  readonly isReadOnly: boolean;
}

const draftOf = (entry: Entry | undefined): Draft => ({
  type: entry?.db_type ?? 'pg',
  host: entry?.host_details[0]?.host ?? '',
  port: entry?.host_details[0]?.port ?? '',
  name: entry?.db_name ?? '',
  alias: entry?.alias ?? '',
  username: entry?.username ?? '',
  password: entry === undefined ? '' : undefined,
  tls: entry?.tls ?? 'prefer',
  ca: entry?.ca ?? '',
  spaces: entry?.spaces ?? [],
  isReadOnly: entry?.read_only === true,
});

/** The entry as the API takes it. Fields that the form does not show stay as they are. */
function bodyOf(draft: Draft, entry: Entry | undefined): Record<string, unknown> {
  const first = { host: draft.host.trim(), port: draft.port.trim() === '' ? (PORTS[draft.type] ?? '') : draft.port.trim() };
  const { alias, spaces, ca, ...kept } = { ...entry };
  return {
    ...kept,
    db_type: draft.type,
    host_details: [first, ...(entry?.host_details.slice(1) ?? [])],
    db_name: draft.name,
    username: draft.username,
    password: draft.password ?? '***',
    tls: draft.tls,
    read_only: draft.isReadOnly,
    ...(draft.alias === '' ? {} : { alias: draft.alias }),
    ...(draft.ca === '' ? {} : { ca: draft.ca }),
    ...(draft.spaces.length === 0 ? {} : { spaces: draft.spaces }),
  };
}

interface TestResult {
  readonly isOk: boolean;
  readonly text: string;
}

async function test(body: Record<string, unknown>, scope: Scope, signal: AbortSignal): Promise<TestResult> {
  try {
    const { engine, version, ms } = await sendSystem<{ engine: string; version: string; ms: number }>(
      'POST',
      'project/database/test',
      body,
      scope,
      { signal },
    );
    // Some engines begin their version with their name.
    const name = version.startsWith(engine) ? version : `${engine} ${version}`;
    return { isOk: true, text: `Connected to ${name} in ${ms} ms.` };
  } catch (error) {
    if (signal.aborted) return { isOk: false, text: 'Stopped before the database answered.' };
    if (!(error instanceof ApiError)) throw error;
    return { isOk: false, text: error.message };
  }
}

interface FormProps {
  readonly entry: Entry | undefined;
  readonly scope: Scope;
  readonly spaces: readonly Space[];
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

export function DatabaseForm({ entry, scope, spaces, onClose, onSaved }: FormProps) {
  const [draft, setDraft] = useState(() => draftOf(entry));
  const [tested, setTested] = useState<TestResult | undefined>(undefined);
  const [testing, setTesting] = useState<AbortController | undefined>(undefined);
  const submission = useSubmission();
  const set = (part: Partial<Draft>): void => {
    setDraft({ ...draft, ...part });
    setTested(undefined);
  };
  const connect = async (): Promise<void> => {
    const running = new AbortController();
    setTested(undefined);
    setTesting(running);
    try {
      setTested(await test(bodyOf(draft, entry), scope, running.signal));
    } finally {
      setTesting(undefined);
    }
  };
  const save = async (): Promise<void> => {
    await sendSystem(entry === undefined ? 'POST' : 'PUT', 'project/database', bodyOf(draft, entry), scope);
    toast(entry === undefined ? 'Registered. Its tables have endpoints now.' : 'Changed.');
    onSaved();
  };
  return (
    <Dialog
      title={entry === undefined ? 'Register a database' : `Change ${entry.db_type}/${entry.alias ?? entry.db_name}`}
      onClose={onClose}
      actions={
        <>
          <button type="button" data-testid="database-test" disabled={submission.isBusy} onClick={() => void submission.run(connect)}>
            Test the connection
          </button>
          <button type="submit" form="database-form" class="primary" data-testid="database-save" disabled={submission.isBusy}>
            {entry === undefined ? 'Register the database' : 'Save the database'}
          </button>
        </>
      }
    >
      <form
        id="database-form"
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void submission.run(save);
        }}
      >
        <div class="fields">
          <SelectField
            label="Engine"
            testId="database-type"
            value={draft.type}
            options={TYPES}
            isDisabled={entry !== undefined}
            onValue={(type) => set({ type })}
          />
          <TextField
            label="Host"
            testId="database-host"
            value={draft.host}
            placeholder="db.example.org"
            onValue={(host) => set({ host })}
          />
          <TextField
            label="Port"
            testId="database-port"
            value={draft.port}
            placeholder={PORTS[draft.type] ?? ''}
            onValue={(port) => set({ port })}
          />
          <TextField label="Database" testId="database-name" value={draft.name} onValue={(name) => set({ name })} />
          <TextField
            label="Alias"
            hint="Its name in addresses; empty: the database's own"
            testId="database-alias"
            value={draft.alias}
            onValue={(alias) => set({ alias })}
          />
          <TextField label="User" testId="database-username" value={draft.username} onValue={(username) => set({ username })} />
          <TextField
            label="Password"
            {...(entry === undefined ? {} : { hint: 'Left alone, the stored one stays' })}
            type="password"
            testId="database-password"
            value={draft.password ?? ''}
            onValue={(password) => set({ password: password === '' && entry !== undefined ? undefined : password })}
          />
          <SelectField label="TLS" testId="database-tls" value={draft.tls} options={TLS} onValue={(tls) => set({ tls })} />
        </div>
        {draft.tls === 'verify-full' && (
          <label class="field">
            Certificate of the authority, as PEM
            <textarea class="mono" rows={3} value={draft.ca} onInput={(event) => set({ ca: event.currentTarget.value })} />
          </label>
        )}
        <fieldset class="choice-line" data-testid="database-spaces">
          <legend class="label">Spaces (none chosen: all)</legend>
          {spaces.map(({ name }) => (
            <label key={name} class="check-line">
              <input
                type="checkbox"
                value={name}
                checked={draft.spaces.includes(name)}
                onChange={() =>
                  set({ spaces: draft.spaces.includes(name) ? draft.spaces.filter((space) => space !== name) : [...draft.spaces, name] })
                }
              />
              {name}
            </label>
          ))}
        </fieldset>
        <label class="check-line">
          <input
            type="checkbox"
            data-testid="database-read-only"
            checked={draft.isReadOnly}
            onChange={() => set({ isReadOnly: !draft.isReadOnly })}
          />
          Read only: no request can write to it
        </label>
        {testing !== undefined && <Loading what="the answer of the database" onStop={() => testing.abort()} />}
        {tested !== undefined && (
          <p class={tested.isOk ? 'test-ok' : 'field-error'} role="status" data-testid="test-result" data-ok={String(tested.isOk)}>
            {tested.text}
          </p>
        )}
        <FormError error={submission.error} />
      </form>
    </Dialog>
  );
}
