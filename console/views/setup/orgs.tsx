/** The organizations that the caller can see: all with the server key, else its own. */
import { useState } from 'preact/hooks';
import { context, isServerKey } from '../../api/context.ts';
import { getSystem, type Org, sendSystem } from '../../api/system.ts';
import { addressOf } from '../../app/router.ts';
import { Bar } from '../../parts/bar.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useResource } from '../../parts/resource.ts';
import { Await, Empty } from '../../parts/states.tsx';
import { toast } from '../../parts/toasts.tsx';
import { NameForm } from './name-form.tsx';

async function readOrgs(signal: AbortSignal): Promise<readonly Org[]> {
  const own = context.value?.org;
  return isServerKey.value || own === undefined ? getSystem<readonly Org[]>('org/list', {}, { signal }) : [own];
}

export function OrgList() {
  const [isCreating, setCreating] = useState(false);
  const orgs = useResource(readOrgs, []);
  const create = isServerKey.value && (
    <button type="button" class="primary" data-testid="org-new" onClick={() => setCreating(true)}>
      <Icon name="plus" /> New organization
    </button>
  );
  return (
    <>
      <Bar title="Organizations" actions={create} />
      <Await of={orgs} what="organizations">
        {(list) =>
          list.length === 0 ? (
            <Empty
              action={
                isServerKey.value && (
                  <button type="button" onClick={() => setCreating(true)}>
                    Create the first organization
                  </button>
                )
              }
            >
              An organization owns projects.
            </Empty>
          ) : (
            <section class="scroll-x" aria-label="Organizations" tabIndex={0}>
              <table class="list">
                <thead>
                  <tr>
                    <th scope="col">Name</th>
                    <th scope="col">Abbreviation</th>
                    <th scope="col">Id</th>
                  </tr>
                </thead>
                <tbody>
                  {list.map(({ org_id, name, abbreviation }) => (
                    <tr key={org_id} data-testid="org" data-abbreviation={abbreviation}>
                      <td>
                        <a href={addressOf(['setup', org_id])}>{name}</a>
                      </td>
                      <td class="mono">{abbreviation}</td>
                      <td class="mono muted">{org_id}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </section>
          )
        }
      </Await>
      {isCreating && (
        <NameForm
          what="organization"
          prefix="org"
          onClose={() => setCreating(false)}
          onSave={async (name, abbreviation) => {
            const made = await sendSystem<{ code: number; message: string }>('POST', 'org', { name, abbreviation });
            if (made.code === 208) throw new Error(made.message);
            toast(`Created the organization ${name}.`);
            setCreating(false);
            void orgs.start({ quietly: true });
          }}
        />
      )}
    </>
  );
}
