/** The versions of an endpoint, and what can be done with the shown one. */
import { withSearch } from '../../../app/router.ts';
import { confirm } from '../../../parts/confirm.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { toast } from '../../../parts/toasts.tsx';
import { type Definition, deleteVersion, mayAuthor } from '../definitions-api.ts';
import { searchWith } from './search.ts';

interface StripProps {
  readonly versions: readonly Definition[];
  readonly shown: Definition;
  readonly onDeleted: () => void;
}

export function VersionStrip({ versions, shown, onDeleted }: StripProps) {
  const fallbacks = new Map(versions.map(({ version, rollback_version }) => [rollback_version, version]));
  const remove = async (): Promise<void> => {
    const { method, uri, version } = shown;
    const text = `Calls of ${method} ${uri} with this version will be 404.${shown.default === true && versions.length > 1 ? ' Calls without a version will be answered by the next lower one.' : ''} Its document stays in the history for 90 days.`;
    if (!(await confirm({ title: `Delete version ${version}?`, text, action: `Delete version ${version}`, isDangerous: true }))) return;
    try {
      await deleteVersion(shown);
      toast(`Version ${version} of ${method} ${uri} was deleted.`);
      onDeleted();
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), { isError: true });
    }
  };
  return (
    <>
      <ul class="versions" aria-label="Versions">
        {versions.map((one) => (
          <li key={one.version}>
            <a
              class="version"
              data-testid="version"
              data-version={one.version}
              href={withSearch(searchWith({ version: one.version, compare: '' }))}
              aria-current={one === shown ? 'true' : undefined}
            >
              {one.version}
              {one.default === true && <span class="badge ok">default</span>}
              {fallbacks.has(one.version) && <span class="badge">rollback of {fallbacks.get(one.version)}</span>}
              {one.last_failure !== null && <Icon name="warn" size={12} />}
            </a>
          </li>
        ))}
      </ul>
      {mayAuthor() && (
        <button
          type="button"
          class="plain icon-only"
          data-testid="delete-version"
          aria-label={`Delete version ${shown.version}`}
          onClick={() => void remove()}
        >
          <Icon name="trash" />
        </button>
      )}
    </>
  );
}
