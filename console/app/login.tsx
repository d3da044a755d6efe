/** The two ways in: a Power Token, or the server key. */
import { useState } from 'preact/hooks';
import { enterWith } from '../api/context.ts';
import { identity } from '../api/identity.ts';
import { ApiError, send, serviceUrl } from '../api/request.ts';
import { newUlid } from '../api/ulid.ts';
import { Icon } from '../parts/icon.tsx';
import { useTitle } from './title.ts';

export function Login() {
  useTitle('Log in');
  const [error, setError] = useState<string | undefined>(undefined);
  const message = error ?? identity.refusal.value;
  return (
    <main class="login" data-testid="login">
      <div class="login-box">
        <h1>
          <span class="wordmark">Millrace</span>
        </h1>
        <p class="muted">Log in to see the rows, endpoints and rights of this service.</p>
        {message !== undefined && (
          <p class="login-error" role="alert" data-testid="login-error">
            <Icon name="warn" /> {message}
          </p>
        )}
        <Way
          label="Power Token"
          help="Kept in this tab until you log out."
          testId="login-token"
          placeholder="mr_…"
          onSubmit={async (token) => {
            setError(undefined);
            await enterWith(token);
          }}
          onError={setError}
        />
        <Way
          label="Server key"
          help="For set-up, live figures and audit. Kept in memory, gone on reload."
          testId="login-server-key"
          placeholder=""
          onSubmit={async (key) => {
            setError(undefined);
            await tryServerKey(key);
          }}
          onError={setError}
        />
      </div>
    </main>
  );
}

/** Uses the key if the service accepts it. */
async function tryServerKey(key: string): Promise<void> {
  const userId = newUlid();
  const response = await send('GET', serviceUrl('system/api/v1/org/list'), { headers: { 'x-server-key': key, 'x-user-id': userId } });
  const text = await response.text();
  if (!response.ok) throw new ApiError({ status: response.status, headers: response.headers, text });
  identity.useServerKey(key, userId);
}

interface WayProps {
  readonly label: string;
  readonly help: string;
  readonly testId: string;
  readonly placeholder: string;
  readonly onSubmit: (secret: string) => Promise<void>;
  readonly onError: (message: string) => void;
}

function Way({ label, help, testId, placeholder, onSubmit, onError }: WayProps) {
  const [secret, setSecret] = useState('');
  const [isBusy, setBusy] = useState(false);
  const submit = async (): Promise<void> => {
    if (secret.trim() === '') return onError(`Enter the ${label}.`);
    setBusy(true);
    try {
      await onSubmit(secret.trim());
    } catch (error) {
      onError(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      class="login-way"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <label class="field">
        {label}
        <input
          type="password"
          data-testid={testId}
          value={secret}
          placeholder={placeholder}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setSecret(event.currentTarget.value)}
        />
      </label>
      <div class="login-line">
        <span class="faint">{help}</span>
        <button type="submit" class="primary" data-testid="login-submit" disabled={isBusy}>
          Log in
        </button>
      </div>
    </form>
  );
}
