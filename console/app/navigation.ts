/** Whether the navigation shows its icons only. Lasts for the tab. */
import { signal } from '@preact/signals';

const KEY = 'millrace.navigation';
const COLLAPSED = 'collapsed';

export const isNavigationCollapsed = signal(sessionStorage.getItem(KEY) === COLLAPSED);

export function toggleNavigation(): void {
  isNavigationCollapsed.value = !isNavigationCollapsed.value;
  if (isNavigationCollapsed.value) sessionStorage.setItem(KEY, COLLAPSED);
  else sessionStorage.removeItem(KEY);
}
