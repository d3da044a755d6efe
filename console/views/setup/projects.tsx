/** The projects of an organization. */
import { useState } from 'preact/hooks';
import { context, isServerKey } from '../../api/context.ts';
import { getSystem, type Project, sendSystem } from '../../api/system.ts';
import { addressOf, navigate } from '../../app/router.ts';
import { Bar } from '../../parts/bar.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useResource } from '../../parts/resource.ts';
import { Await, Empty } from '../../parts/states.tsx';
import { toast } from '../../parts/toasts.tsx';
import { NameForm } from './name-form.tsx';
import { openProject } from './open-project.ts';

async function readProjects(orgId: string, signal: AbortSignal): Promise<readonly Project[]> {
  if (isServerKey.value) return getSystem<readonly Project[]>('project/list', { orgId }, { signal });
  const id = context.value?.project.project_id ?? '';
  return [await getSystem<Project>('project', { orgId }, { signal, query: { project_id: id } })];
}

export function ProjectList({ orgId }: { readonly orgId: string }) {
  const [isCreating, setCreating] = useState(false);
  const projects = useResource((signal) => readProjects(orgId, signal), [orgId]);
  const create = isServerKey.value && (
    <button type="button" class="primary" data-testid="project-new" onClick={() => setCreating(true)}>
      <Icon name="plus" /> New project
    </button>
  );
  return (
    <>
      <Bar
        title={
          <>
            <a href={addressOf(['setup'])}>Organizations</a> / Projects
          </>
        }
        actions={create}
      />
      <Await of={projects} what="projects">
        {(list) =>
          list.length === 0 ? (
            <Empty
              action={
                isServerKey.value && (
                  <button type="button" onClick={() => setCreating(true)}>
                    Create the first project
                  </button>
                )
              }
            >
              A project has databases, spaces and endpoints.
            </Empty>
          ) : (
            <Table orgId={orgId} projects={list} />
          )
        }
      </Await>
      {isCreating && (
        <NameForm
          what="project"
          prefix="project"
          onClose={() => setCreating(false)}
          onSave={async (name, abbreviation) => {
            const body = { name, abbreviation, database: [] };
            const made = await sendSystem<{ code: number; message: string; project_id: string }>('POST', 'project', body, { orgId });
            if (made.code === 208) throw new Error(made.message);
            toast(`Created the project ${name}.`);
            await navigate(addressOf(['setup', orgId, made.project_id]));
          }}
        />
      )}
    </>
  );
}

function Table({ orgId, projects }: { readonly orgId: string; readonly projects: readonly Project[] }) {
  return (
    <section class="scroll-x" aria-label="Projects" tabIndex={0}>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Abbreviation</th>
            <th scope="col">Databases</th>
            <th scope="col">
              <span class="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {projects.map((project) => (
            <tr key={project.project_id} data-testid="project" data-abbreviation={project.abbreviation}>
              <td>
                <a href={addressOf(['setup', orgId, project.project_id])}>{project.name}</a>
              </td>
              <td class="mono">{project.abbreviation}</td>
              <td>{project.databases?.length ?? ''}</td>
              <td class="number">
                <button type="button" data-testid="project-open" onClick={() => void openProject(project)}>
                  Open project
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
