/** Identity of the console: a token of this tab, the gateway's caller, or the server key. */
import { signal } from '@preact/signals';
import { spaceTokens } from './space-tokens.ts';
import { stopViewAs } from './view-as.ts';

export type Identity =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'gateway' }
  | { readonly kind: 'server-key'; readonly key: string; readonly userId: string };

const TOKEN_KEY = 'millrace.token';

/** The identity in force. Read `identity.current` for its value. */
const current = signal<Identity>({ kind: 'unknown' });
/** Message of the API that refused a token or key. */
const refusal = signal<string | undefined>(undefined);

/** Takes a token from the fragment and removes it from the address before any request. */
function takeFromFragment(): string | undefined {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const token = fragment.get('token');
  if (token === null) return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  return token.startsWith('mr_') ? token : undefined;
}

function useToken(token: string): void {
  // The persona was chosen for another token.
  if (sessionStorage.getItem(TOKEN_KEY) !== token) stopViewAs();
  if (!spaceTokens.has(token)) spaceTokens.clear();
  sessionStorage.setItem(TOKEN_KEY, token);
  refusal.value = undefined;
  current.value = { kind: 'token', token };
}

export const identity = {
  current,
  refusal,

  /** Restores the identity of the tab. Without one, the gateway may know the caller. */
  restore(): void {
    const token = takeFromFragment() ?? sessionStorage.getItem(TOKEN_KEY);
    if (token === null || token === undefined) current.value = { kind: 'gateway' };
    else useToken(token);
  },

  useToken,

  /** Takes the token of a link that was opened in this tab. `true` if there was one. */
  takeFromLink(): boolean {
    const token = takeFromFragment();
    if (token !== undefined) useToken(token);
    return token !== undefined;
  },

  /** The key is kept in memory only, so it is gone on reload. */
  useServerKey(key: string, userId: string): void {
    stopViewAs();
    refusal.value = undefined;
    current.value = { kind: 'server-key', key, userId };
  },

  forget(message?: string): void {
    stopViewAs();
    spaceTokens.clear();
    sessionStorage.removeItem(TOKEN_KEY);
    refusal.value = message;
    current.value = { kind: 'unknown' };
  },

  headers(): Record<string, string> {
    const { value } = current;
    if (value.kind === 'token') return { authorization: `Bearer ${value.token}` };
    if (value.kind === 'server-key') return { 'x-server-key': value.key, 'x-user-id': value.userId };
    return {};
  },

  /** Forgets a token that was deleted or has expired. `text` is the body of the answer. */
  refused(status: number, text: string): void {
    if (current.value.kind !== 'token') return;
    if (status === 401 || (status === 404 && isTokenRefusal(text))) this.forget(messageOf(text));
  },
};

function messageOf(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}

/** `true` if a 404 is about the Power Token and not about the requested thing. */
const isTokenRefusal = (text: string): boolean => /^the power token\b/i.test(messageOf(text) ?? '');
