/** The page without a context: takes a token from the fragment or asks for one, then loads the app. */
import { render } from 'preact';
import { useState } from 'preact/hooks';
import { forgetReads, send, serviceRoot, useToken } from './api.ts';
import { readAddress } from './inputs.ts';

interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML: (text: string) => string }): { createHTML(text: string): string };
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
const policy = trustedTypes?.createPolicy('page', { createHTML: (html) => html });

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
  forgetReads();
  try {
    const { text } = await send(new URL(`app/v1/render?${new URLSearchParams({ app: appOfAddress() })}`, serviceRoot));
    showPage(text);
  } catch (error) {
    useToken(undefined);
    throw error;
  }
}

/** The text is the service's own page, in which everything from outside is escaped. */
function showPage(text: string): void {
  const page = new DOMParser().parseFromString(policy?.createHTML(text) ?? text, 'text/html');
  document.title = page.title;
  document.documentElement.lang = page.documentElement.lang;
  // Scripts of a parsed page do not run; this program goes on instead.
  document.body.replaceChildren(
    ...[...page.body.children].filter((element) => !(element instanceof HTMLScriptElement && element.type === 'module')),
  );
}

/** Opens the app of the address with a token; asks for another one if that is refused. */
export function askForToken(onReady: () => void): void {
  const open = async (token: string): Promise<void> => {
    await loadPage(token);
    shownApp = appOfAddress();
    onReady();
    known = token;
  };
  const ask = (message?: string): void => {
    const main = document.createElement('main');
    document.body.replaceChildren(main);
    render(<TokenForm onToken={open} message={message} />, main);
  };
  /** The token of this tab stays in memory, so that links to other apps need not ask for it again. */
  let known = takeToken();
  let shownApp = appOfAddress();
  const openAddress = (): void => {
    if (known === undefined) ask();
    else open(known).catch((error: unknown) => ask(messageOf(error)));
  };
  followLinks(openAddress);
  window.addEventListener('popstate', () => (known !== undefined && appOfAddress() === shownApp ? readAddress() : openAddress()));
  openAddress();
}

const appOfAddress = (): string => new URLSearchParams(location.search).get('app') ?? '';

/** Opens links to apps in this page. */
function followLinks(openAddress: () => void): void {
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (link === null || !isPlain || link.origin !== location.origin || link.pathname !== location.pathname) return;
    if (new URL(link.href).searchParams.get('app') === null) return;
    event.preventDefault();
    history.pushState(null, '', link.href);
    openAddress();
    window.scrollTo(0, 0);
  });
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
