/** One project: its spaces and databases. */
import { useState } from 'preact/hooks';
import { context, isServerKey, loadContext } from '../../api/context.ts';
import { type Entry, getSystem, type Project, type Scope, sendSystem } from '../../api/system.ts';
import { addressOf } from '../../app/router.ts';
import { Bar } from '../../parts/bar.tsx';
import { confirm } from '../../parts/confirm.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useResource } from '../../parts/resource.ts';
import { Await, Empty } from '../../parts/states.tsx';
import { toast } from '../../parts/toasts.tsx';
import { DatabaseForm } from './database-form.tsx';
import { openProject } from './open-project.ts';

interface ProjectPageProps {
  readonly orgId: string;
  readonly projectId: string;
}

export function ProjectPage({ orgId, projectId }: ProjectPageProps) {
  const scope = { orgId, projectId };
  const project = useResource((signal) => getSystem<Project>('project', scope, { signal, query: { project_id: projectId } }), [projectId]);
  const [editing, setEditing] = useState<Entry | 'new' | undefined>(undefined);
  const mayWrite = isServerKey.value || context.value?.may.write === true;
  const mayDelete = isServerKey.value || context.value?.may.delete === true;
  const changed = (): void => {
    setEditing(undefined);
    void project.start({ quietly: true });
    if (!isServerKey.value) void loadContext();
  };
  return (
    <>
      <Bar
        title={
          <>
            <a href={addressOf(['setup'])}>Organizations</a> / <a href={addressOf(['setup', orgId])}>Projects</a> /{' '}
            {project.value?.name ?? '…'}
          </>
        }
        actions={
          <>
            {project.value !== undefined && (
              <button
                type="button"
                data-testid="project-open"
                onClick={() => project.value !== undefined && void openProject(project.value)}
              >
                Open project
              </button>
            )}
            {mayWrite && (
              <button type="button" class="primary" data-testid="database-new" onClick={() => setEditing('new')}>
                <Icon name="plus" /> Register a database
              </button>
            )}
          </>
        }
      />
      <Await of={project} what="the project">
        {({ databases, spaces }) => (
          <>
            <p class="section-line muted">Spaces: {spaces.map(({ name }) => name).join(', ')}</p>
            {databases.length === 0 ? (
              <Empty
                action={
                  mayWrite && (
                    <button type="button" onClick={() => setEditing('new')}>
                      Register the first database
                    </button>
                  )
                }
              >
                A registered database gets an endpoint for each of its tables. Nothing is written to it.
              </Empty>
            ) : (
              <Databases
                databases={databases}
                scope={scope}
                mayWrite={mayWrite}
                mayDelete={mayDelete}
                onEdit={setEditing}
                onChange={changed}
              />
            )}
          </>
        )}
      </Await>
      {editing !== undefined && (
        <DatabaseForm
          entry={editing === 'new' ? undefined : editing}
          scope={scope}
          spaces={project.value?.spaces ?? []}
          onClose={() => setEditing(undefined)}
          onSaved={changed}
        />
      )}
    </>
  );
}

interface DatabasesProps {
  readonly databases: readonly Entry[];
  readonly scope: Scope;
  readonly mayWrite: boolean;
  readonly mayDelete: boolean;
  readonly onEdit: (entry: Entry) => void;
  readonly onChange: () => void;
}

const nameOf = ({ alias, db_name }: Entry): string => alias ?? db_name;

function Databases({ databases, scope, mayWrite, mayDelete, onEdit, onChange }: DatabasesProps) {
  const remove = async (entry: Entry): Promise<void> => {
    const ref = `${entry.db_type}/${nameOf(entry)}`;
    const text = 'Its endpoints disappear at once. The database itself is not touched.';
    if (!(await confirm({ title: `Remove ${ref}`, text, action: `Remove ${ref}`, isDangerous: true, typed: ref }))) return;
    try {
      const query = { type: entry.db_type, name: nameOf(entry), ...(entry.spaces?.[0] === undefined ? {} : { space: entry.spaces[0] }) };
      await sendSystem('DELETE', 'project/database', undefined, scope, { query });
      toast(`Removed ${ref}.`);
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), { isError: true });
    }
    onChange();
  };
  return (
    <section class="scroll-x" aria-label="Databases" tabIndex={0}>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Database</th>
            <th scope="col">Hosts</th>
            <th scope="col">User</th>
            <th scope="col">TLS</th>
            <th scope="col">Spaces</th>
            <th scope="col">
              <span class="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {databases.map((entry) => (
            <tr
              key={`${entry.db_type}/${nameOf(entry)}/${entry.spaces?.join()}`}
              data-testid="database"
              data-ref={`${entry.db_type}/${nameOf(entry)}`}
            >
              <td>
                <span class="mono">
                  {entry.db_type}/{nameOf(entry)}
                </span>{' '}
                {entry.read_only === true && <span class="badge">read only</span>}
              </td>
              <td class="mono">{entry.host_details.map(({ host, port }) => `${host}:${port}`).join(', ')}</td>
              <td>{entry.username}</td>
              <td>{entry.tls}</td>
              <td>{entry.spaces?.join(', ') ?? 'all'}</td>
              <td class="number nowrap">
                {mayWrite && (
                  <button type="button" class="plain icon-only" aria-label={`Change ${nameOf(entry)}`} onClick={() => onEdit(entry)}>
                    <Icon name="edit" />
                  </button>
                )}
                {mayDelete && (
                  <button
                    type="button"
                    class="plain icon-only"
                    data-testid="database-delete"
                    aria-label={`Remove ${nameOf(entry)}`}
                    onClick={() => void remove(entry)}
                  >
                    <Icon name="trash" />
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
