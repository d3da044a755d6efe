/** The persona as which the data is shown. It lasts for the tab, so a reload does not lift it. */
import { signal } from '@preact/signals';

export interface ViewAs {
  readonly persona: string;
  /** A JSON object, or an empty text. */
  readonly claims: string;
}

const KEY = 'millrace.view-as';

function restore(): ViewAs | undefined {
  const text = sessionStorage.getItem(KEY);
  return text === null ? undefined : (JSON.parse(text) as ViewAs);
}

export const viewAs = signal<ViewAs | undefined>(restore());

export function startViewAs(chosen: ViewAs): void {
  sessionStorage.setItem(KEY, JSON.stringify(chosen));
  viewAs.value = chosen;
}

export function stopViewAs(): void {
  sessionStorage.removeItem(KEY);
  viewAs.value = undefined;
}

export function viewAsHeaders(): Record<string, string> {
  const { value } = viewAs;
  if (value === undefined) return {};
  return { 'x-persona': value.persona, ...(value.claims === '' ? {} : { 'x-persona-claims': value.claims }) };
}
