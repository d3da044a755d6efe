/** The editor of a persona, and the way to see the data with its eyes. */
import { useState } from 'preact/hooks';
import { context } from '../../api/context.ts';
import { addressOf, navigate } from '../../app/router.ts';
import { useTitle } from '../../app/title.ts';
import { confirm } from '../../parts/confirm.tsx';
import { forgetDraft } from '../../parts/draft.ts';
import { Icon } from '../../parts/icon.tsx';
import { useResource } from '../../parts/resource.ts';
import { Await } from '../../parts/states.tsx';
import { toast } from '../../parts/toasts.tsx';
import { Workspace } from '../../parts/workspace.tsx';
import { checkPersona, deletePersona, mayChangePersonas, readPersona, storePersona } from './personas-api.ts';
import { ViewAsDialog } from './view-as-dialog.tsx';

const PARENT = { segment: 'personas', label: 'Personas' };

/** Stores a persona and goes to it: its name is part of the document. */
async function save(document: string): Promise<string> {
  const { persona, message, warnings } = await storePersona(document);
  toast([message, ...warnings].join(' '));
  return persona;
}

export function PersonaPage({ name }: { readonly name: string }) {
  useTitle(name);
  const document = useResource((signal) => readPersona(name, signal), [name]);
  const [isViewing, setViewing] = useState(false);
  const remove = async (): Promise<void> => {
    const text =
      'Its callers act as their next persona, or see no tables if they have none. Without any persona, the space is open to every caller.';
    if (!(await confirm({ title: `Delete the persona ${name}?`, text, action: `Delete persona ${name}`, isDangerous: true }))) return;
    try {
      toast(await deletePersona(name));
      forgetDraft(`persona ${name}`);
      await navigate(addressOf(['personas']), { replace: true });
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), { isError: true });
    }
  };
  return (
    <Await of={document} what="the persona">
      {(stored) => (
        <>
          <Workspace
            kind="persona"
            parent={PARENT}
            title={name}
            draftName={`persona ${name}`}
            stored={stored}
            check={mayChangePersonas() ? checkPersona : undefined}
            saveLabel="Save persona"
            saveTestId="persona-save"
            onSave={async (text) => {
              const persona = await save(text);
              if (persona === name) await document.start({ quietly: true });
              else await navigate(addressOf(['personas', persona]));
            }}
            actions={
              <>
                <button
                  type="button"
                  class="plain icon-only"
                  data-testid="persona-delete"
                  aria-label={`Delete persona ${name}`}
                  onClick={() => void remove()}
                >
                  <Icon name="trash" />
                </button>
                <button type="button" data-testid="view-as" onClick={() => setViewing(true)}>
                  <Icon name="eye" /> View as…
                </button>
              </>
            }
          />
          {isViewing && <ViewAsDialog persona={name} onClose={() => setViewing(false)} />}
        </>
      )}
    </Await>
  );
}

function starter(): string {
  const ref = context.value?.databases[0]?.ref ?? 'pg/shop';
  return `persona: reader
about: Reads every table
roles: [reader]
tables:
  ${ref}/*: {read: true}
`;
}

export function NewPersonaPage() {
  useTitle('New persona');
  const begun = useResource(async (signal) => {
    // The service refuses callers who may not write personas.
    if (!mayChangePersonas()) await checkPersona('', signal);
    return starter();
  }, []);
  return (
    <Await of={begun} what="a new persona">
      {(stored) => (
        <Workspace
          kind="persona"
          parent={PARENT}
          title="New persona"
          draftName="persona new"
          stored={stored}
          check={checkPersona}
          saveLabel="Save persona"
          saveTestId="persona-save"
          onSave={async (text) => {
            const persona = await save(text);
            forgetDraft('persona new');
            await navigate(addressOf(['personas', persona]));
          }}
        />
      )}
    </Await>
  );
}
