/** The page without a context: takes a token from the fragment or asks for one, then loads the app. */
import { render } from 'preact';
import { useState } from 'preact/hooks';
import { send, serviceRoot, useToken } from './api.ts';

interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML: (text: string) => string }): { createHTML(text: string): string };
}

/** Takes the token from the fragment and removes it from the address. */
function takeToken(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token === null) return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}

/** Loads the page that the service renders, and puts its content in place of this one. */
async function loadPage(token: string): Promise<void> {
  useToken(token);
  const app = new URLSearchParams(location.search).get('app') ?? '';
  try {
    const { text } = await send(new URL(`app/v1/render?${new URLSearchParams({ app })}`, serviceRoot));
    showPage(text);
  } catch (error) {
    useToken(undefined);
    throw error;
  }
}

/** The text is the service's own page, in which everything from outside is escaped. */
function showPage(text: string): void {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  const trusted = trustedTypes?.createPolicy('page', { createHTML: (html) => html }).createHTML(text) ?? text;
  const page = new DOMParser().parseFromString(trusted, 'text/html');
  document.title = page.title;
  document.documentElement.lang = page.documentElement.lang;
  // Scripts of a parsed page do not run; this program goes on instead.
  document.body.replaceChildren(
    ...[...page.body.children].filter((element) => !(element instanceof HTMLScriptElement && element.type === 'module')),
  );
}

export function askForToken(onReady: () => void): void {
  const token = takeToken();
  const main = document.querySelector('main') ?? document.body;
  const form = document.createElement('div');
  main.append(form);
  const open = async (value: string): Promise<void> => {
    await loadPage(value);
    onReady();
  };
  if (token === undefined) render(<TokenForm onToken={open} message={undefined} />, form);
  else open(token).catch((error: unknown) => render(<TokenForm onToken={open} message={messageOf(error)} />, form));
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

interface TokenFormProps {
  readonly onToken: (token: string) => Promise<void>;
  readonly message: string | undefined;
}

function TokenForm({ onToken, message }: TokenFormProps) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState(message);
  return (
    <form
      class="token-form"
      onSubmit={(event) => {
        event.preventDefault();
        onToken(text.trim()).catch((error: unknown) => setProblem(messageOf(error)));
      }}
    >
      <h1>Open the app</h1>
      <label>
        Power Token
        <input
          type="password"
          data-testid="token"
          autocomplete="off"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      {problem !== undefined && (
        <p class="input-error" role="alert">
          {problem}
        </p>
      )}
      <button type="submit" class="primary" data-testid="token-submit">
        Open
      </button>
    </form>
  );
}
