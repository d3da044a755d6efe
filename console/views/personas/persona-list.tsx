/** The personas of the space, in the order in which they apply. */
import { useState } from 'preact/hooks';
import { addressOf } from '../../app/router.ts';
import { useTitle } from '../../app/title.ts';
import { Bar } from '../../parts/bar.tsx';
import { hasDraft } from '../../parts/draft.ts';
import { Icon } from '../../parts/icon.tsx';
import { useResource } from '../../parts/resource.ts';
import { Await, Empty } from '../../parts/states.tsx';
import { listPersonas, mayChangePersonas, type PersonaItem } from './personas-api.ts';
import { ViewAsDialog } from './view-as-dialog.tsx';

const addressOfNew = (): string => addressOf(['personas', 'new']);

export function PersonaList() {
  useTitle('Personas');
  const list = useResource(listPersonas, []);
  const [viewed, setViewed] = useState<string | undefined>(undefined);
  return (
    <>
      <Bar
        title="Personas"
        actions={
          mayChangePersonas() && (
            <a class="button primary" data-testid="persona-new" href={addressOfNew()}>
              <Icon name="plus" /> New persona
            </a>
          )
        }
      />
      <Await of={list} what="personas">
        {(personas) => (personas.length === 0 ? <NoPersonas /> : <Table personas={personas} onView={setViewed} />)}
      </Await>
      {viewed !== undefined && <ViewAsDialog persona={viewed} onClose={() => setViewed(undefined)} />}
    </>
  );
}

function NoPersonas() {
  return (
    <Empty
      action={
        mayChangePersonas() && (
          <a class="button primary" href={addressOfNew()}>
            Write a persona
          </a>
        )
      }
    >
      Personas of this space would be here. Without one, every caller may do everything that its token allows.
    </Empty>
  );
}

interface TableProps {
  readonly personas: readonly PersonaItem[];
  readonly onView: (persona: string) => void;
}

function Table({ personas, onView }: TableProps) {
  const sorted = personas.toSorted((a, b) => a.rank - b.rank || (a.persona < b.persona ? -1 : 1));
  return (
    <div class="scroll-x">
      <table class="list linked">
        <thead>
          <tr>
            <th scope="col">Persona</th>
            <th scope="col">Roles</th>
            <th scope="col" class="number">
              Rank
            </th>
            <th scope="col">Stored</th>
            <th scope="col">
              <span class="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {sorted.map(({ persona, about, roles, rank, updated_at }) => (
            <tr key={persona} data-testid="persona" data-persona={persona}>
              <td>
                <a class="row-link mono" href={addressOf(['personas', persona])}>
                  {persona}
                </a>
                {about !== null && <span class="faint row-about">{about}</span>}
                {hasDraft(`persona ${persona}`) && <span class="badge warn">draft</span>}
              </td>
              <td>{roles.join(', ')}</td>
              <td class="number">{rank}</td>
              <td class="muted nowrap">{updated_at.slice(0, 16).replace('T', ' ')}</td>
              <td class="row-actions">
                {mayChangePersonas() && (
                  <button type="button" class="plain" data-testid="view-as" onClick={() => onView(persona)}>
                    <Icon name="eye" /> View as<span class="visually-hidden"> {persona}</span>
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
