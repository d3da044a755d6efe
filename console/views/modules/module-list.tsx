/** The Lark modules of the space. */
import { useState } from 'preact/hooks';
import { addressOf } from '../../app/router.ts';
import { useTitle } from '../../app/title.ts';
import { Bar } from '../../parts/bar.tsx';
import { hasDraft } from '../../parts/draft.ts';
import { Icon } from '../../parts/icon.tsx';
import { useResource } from '../../parts/resource.ts';
import { Await, Empty } from '../../parts/states.tsx';
import { listDefinitions, mayAuthor } from '../endpoints/definitions-api.ts';
import { listModules, type ModuleItem } from './modules-api.ts';

const addressOfNew = (): string => addressOf(['modules', 'new']);

export function ModuleList() {
  useTitle('Modules');
  const [search, setSearch] = useState('');
  const list = useResource(async (signal) => {
    const [modules, definitions] = await Promise.all([listModules(signal), listDefinitions(signal)]);
    return { modules, definitions };
  }, []);
  return (
    <>
      <Bar
        title="Modules"
        actions={
          mayAuthor() && (
            <a class="button primary" data-testid="module-new" href={addressOfNew()}>
              <Icon name="plus" /> New module
            </a>
          )
        }
      >
        <input
          class="bar-search"
          type="search"
          data-search
          aria-label="Search modules"
          placeholder="Search modules"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      </Bar>
      <Await of={list} what="modules">
        {({ modules, definitions }) => {
          if (modules.length === 0) return <NoModules />;
          const shown = modules.filter(({ module }) => module.toLowerCase().includes(search.trim().toLowerCase()));
          return (
            <div class="scroll-x">
              <table class="list linked">
                <thead>
                  <tr>
                    <th scope="col">Module</th>
                    <th scope="col">Loaded by</th>
                    <th scope="col">Stored</th>
                  </tr>
                </thead>
                <tbody>
                  {shown.map((item) => (
                    <Row
                      key={item.module}
                      item={item}
                      loaders={definitions
                        .filter(({ uses }) => uses.modules.includes(item.module))
                        .map(({ method, uri }) => `${method} ${uri}`)}
                    />
                  ))}
                </tbody>
              </table>
              {shown.length === 0 && <p class="state-empty muted">No module matches.</p>}
            </div>
          );
        }}
      </Await>
    </>
  );
}

function NoModules() {
  return (
    <Empty
      action={
        mayAuthor() && (
          <a class="button primary" href={addressOfNew()}>
            Write a module
          </a>
        )
      }
    >
      Lark modules of this space would be here: Starlark functions that the steps of endpoints load.
    </Empty>
  );
}

function Row({ item: { module, updated_at }, loaders }: { readonly item: ModuleItem; readonly loaders: readonly string[] }) {
  return (
    <tr data-testid="module" data-module={module}>
      <td>
        <span class="tags">
          <a class="row-link mono" href={addressOf(['modules', module])}>
            {module}
          </a>
          {hasDraft(`module ${module}`) && <span class="badge warn">draft</span>}
        </span>
      </td>
      <td>{[...new Set(loaders)].join(', ')}</td>
      <td class="muted nowrap">{updated_at.slice(0, 16).replace('T', ' ')}</td>
    </tr>
  );
}
