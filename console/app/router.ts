/** Addresses of views. The address holds everything that a view shows, except identity. */
import { signal } from '@preact/signals';
import { consoleRoot, pathBelowConsole } from '../root.ts';

export interface Place {
  /** Decoded segments below the console. */
  readonly segments: readonly string[];
  readonly path: string;
  /** With its question mark, as the address has it. */
  readonly search: string;
}

function read(): Place {
  const url = new URL(location.href);
  const path = pathBelowConsole(url).replace(/\/$/, '');
  return { path, search: url.search, segments: path === '' ? [] : path.split('/').map(decode) };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export const place = signal<Place>(read());

/** Returns a question if the page has changes that would be lost, else `undefined`. */
type Guard = () => string | undefined;
const guards = new Set<Guard>();
/** Asks whether changes may be lost. Set by the shell. */
export const leaving = { ask: async (_: string): Promise<boolean> => true };

/** Registers changes that leaving would lose. Returns the function that ends it. */
export function guardLeaving(guard: Guard): () => void {
  guards.add(guard);
  return () => guards.delete(guard);
}

const openQuestion = (): string | undefined => {
  for (const guard of guards) {
    const question = guard();
    if (question !== undefined) return question;
  }
  return undefined;
};

/** Address of a view. `segments` are encoded here; `search` is taken as it is. */
export function addressOf(segments: readonly string[], search = ''): string {
  return consoleRoot.pathname + segments.map((segment) => encodeURIComponent(segment)).join('/') + search;
}

/** The current address with another query. */
export const withSearch = (search: string): string => location.pathname + search;

interface NavigateOptions {
  readonly replace?: boolean;
  /** `true` if nothing is lost: the view stays and only its query changes. */
  readonly keepsChanges?: boolean;
}

/** Goes to an address. `false` if changes would be lost and the user stays. */
export async function navigate(address: string, { replace = false, keepsChanges = false }: NavigateOptions = {}): Promise<boolean> {
  const question = keepsChanges ? undefined : openQuestion();
  if (question !== undefined && !(await leaving.ask(question))) return false;
  if (replace) history.replaceState({ index }, '', address);
  else history.pushState({ index: ++index }, '', address);
  place.value = read();
  if (!keepsChanges && !replace) window.scrollTo(0, 0);
  return true;
}

/** Position in the history of this tab, so that a refused Back can be undone. */
let index = 0;
let isRestoring = false;

const indexOf = (state: unknown): number => (state as { index?: number } | null)?.index ?? 0;

/** Asks before Back or Forward lose changes. If they must not be lost, the step is undone. */
async function travel(state: unknown): Promise<void> {
  const step = indexOf(state) - index;
  if (isRestoring) {
    isRestoring = false;
    return;
  }
  const question = step === 0 || isSameView(read()) ? undefined : openQuestion();
  if (question !== undefined && !(await leaving.ask(question))) {
    isRestoring = true;
    history.go(-step);
    return;
  }
  index += step;
  place.value = read();
}

const isSameView = (next: Place): boolean => next.path === place.value.path;

/** Follows links of the console without a page load. */
export function startRouter(): void {
  document.addEventListener('click', (event) => {
    const target = event.target instanceof Element ? event.target.closest('a[href]') : null;
    if (!(target instanceof HTMLAnchorElement) || event.defaultPrevented) return;
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (target.target !== '' || target.hasAttribute('download')) return;
    const url = new URL(target.href);
    if (url.origin !== location.origin || !url.pathname.startsWith(consoleRoot.pathname) || url.hash !== '') return;
    event.preventDefault();
    void navigate(url.pathname + url.search);
  });
  index = indexOf(history.state);
  window.addEventListener('popstate', ({ state }) => void travel(state));
  window.addEventListener('beforeunload', (event) => {
    if (openQuestion() !== undefined) event.preventDefault();
  });
}
