/** The editor of a Lark module, with who loads it. */
import { useState } from 'preact/hooks';
import { ApiError } from '../../api/request.ts';
import { addressOf, navigate } from '../../app/router.ts';
import { useTitle } from '../../app/title.ts';
import { confirm } from '../../parts/confirm.tsx';
import { forgetDraft } from '../../parts/draft.ts';
import { Icon } from '../../parts/icon.tsx';
import { useResource } from '../../parts/resource.ts';
import { Await } from '../../parts/states.tsx';
import { toast } from '../../parts/toasts.tsx';
import { Workspace } from '../../parts/workspace.tsx';
import { mayAuthor } from '../endpoints/definitions-api.ts';
import { addressOfEndpoint } from '../endpoints/endpoint-list.tsx';
import { checkModule, deleteModule, findLoaders, type Loaders, readModule, storeModule } from './modules-api.ts';

const STARTER = `# Functions that steps load: load("name", "double")

def double(n):
    """Doubles a number."""
    return n * 2
`;

export function ModulePage({ name }: { readonly name: string }) {
  useTitle(name);
  const module = useResource((signal) => readModule(name, signal), [name]);
  const loaders = useResource((signal) => findLoaders(name, signal), [name]);
  const isAuthor = mayAuthor();

  const save = async (code: string): Promise<void> => {
    toast(await storeModule(name, code));
    await module.start({ quietly: true });
  };
  const remove = async (): Promise<void> => {
    if (await removeModule(name, loaders.value)) await navigate(addressOf(['modules']), { replace: true });
  };

  return (
    <Await of={module} what="the module">
      {({ code }) => (
        <Workspace
          kind="lark"
          parent={{ segment: 'modules', label: 'Modules' }}
          title={name}
          draftName={`module ${name}`}
          stored={code}
          check={isAuthor ? (text, signal) => checkModule(name, text, signal) : undefined}
          saveLabel="Save module"
          saveTestId="module-save"
          onSave={save}
          actions={
            <button
              type="button"
              class="plain icon-only"
              data-testid="module-delete"
              aria-label={`Delete module ${name}`}
              onClick={() => void remove()}
            >
              <Icon name="trash" />
            </button>
          }
          strip={
            <Await of={loaders} what="who loads it">
              {(found) => <LoaderList loaders={found} />}
            </Await>
          }
        />
      )}
    </Await>
  );
}

function LoaderList({ loaders: { definitions, modules } }: { readonly loaders: Loaders }) {
  if (definitions.length === 0 && modules.length === 0) return <span class="muted">No endpoint loads this module.</span>;
  return (
    <ul class="tags" aria-label="Loaded by">
      <li class="label">Loaded by</li>
      {definitions.map((one) => (
        <li key={one.definition_id}>
          <a class="version" data-testid="module-loader" href={addressOfEndpoint(one)}>
            {one.method} {one.uri} {one.version}
          </a>
        </li>
      ))}
      {modules.map((module) => (
        <li key={module}>
          <a class="version" data-testid="module-loader" href={addressOf(['modules', module])}>
            module {module}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Says what breaks before it breaks. Returns `true` if the module is gone. */
async function removeModule(name: string, loaders: Loaders | undefined): Promise<boolean> {
  const broken = loaders?.definitions.map(({ method, uri, version }) => `${method} ${uri} ${version}`) ?? [];
  const title = `Delete the module ${name}?`;
  const action = `Delete module ${name}`;
  if (!(await confirm({ title, text: whatBreaks(broken), action, isDangerous: true }))) return false;
  try {
    toast(await deleteOrAsk(name, broken.length > 0));
    forgetDraft(`module ${name}`);
    return true;
  } catch (error) {
    if (error !== REFUSED) toast(error instanceof Error ? error.message : String(error), { isError: true });
    return false;
  }
}

const REFUSED = new Error('The deletion was cancelled.');

function whatBreaks(broken: readonly string[]): string {
  if (broken.length === 0) return 'No endpoint loads it.';
  return `These endpoints load it and will fail:\n${broken.join('\n')}`;
}

/** If the service finds definitions that the page did not show, it asks again. */
async function deleteOrAsk(name: string, isKnown: boolean): Promise<string> {
  try {
    return await deleteModule(name, { safe: !isKnown });
  } catch (error) {
    if (isKnown || !(error instanceof ApiError) || error.status !== 409) throw error;
    const agreed = await confirm({
      title: `Delete the module ${name}?`,
      text: error.message,
      action: `Delete module ${name}`,
      isDangerous: true,
    });
    if (!agreed) throw REFUSED;
    return deleteModule(name, { safe: false });
  }
}

export function NewModulePage() {
  useTitle('New module');
  const [name, setName] = useState('');
  const permitted = useResource(async (signal) => {
    // The service refuses callers who may not write modules.
    if (!mayAuthor()) await checkModule('new', STARTER, signal);
    return true;
  }, []);
  const save = async (code: string): Promise<void> => {
    toast(await storeModule(name, code));
    forgetDraft('module new');
    await navigate(addressOf(['modules', name]));
  };
  return (
    <Await of={permitted} what="a new module">
      {() => (
        <Workspace
          kind="lark"
          parent={{ segment: 'modules', label: 'Modules' }}
          title="New module"
          draftName="module new"
          stored={STARTER}
          check={(text, signal) => checkModule(name === '' ? 'new' : name, text, signal)}
          checkKeys={[name]}
          saveLabel="Save module"
          saveTestId="module-save"
          onSave={save}
          strip={
            <label class="inline-field">
              Name
              <input
                class="mono"
                data-testid="module-name"
                autocomplete="off"
                spellcheck={false}
                value={name}
                onInput={(event) => setName(event.currentTarget.value.trim())}
              />
            </label>
          }
        />
      )}
    </Await>
  );
}
