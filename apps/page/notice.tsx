/** Notices about the address, and the time of the last refresh. */
import { appLocale } from './app-context.ts';
import { reloadAll, updatedAt } from './generation.ts';
import { unknownParameters } from './inputs.ts';

export function Notice() {
  const names = unknownParameters.value;
  if (names.length === 0) return null;
  return (
    <p class="app-notice" role="status" data-testid="app-notice">
      The address has {names.length === 1 ? 'a parameter' : 'parameters'} that this page does not know: {names.join(', ')}.
    </p>
  );
}

export function Refreshed() {
  const time = new Intl.DateTimeFormat(appLocale().name, { timeStyle: 'medium' }).format(updatedAt.value);
  return (
    <>
      <span data-testid="updated">Updated {time}</span>
      <button type="button" data-testid="refresh" onClick={reloadAll}>
        Refresh
      </button>
    </>
  );
}
