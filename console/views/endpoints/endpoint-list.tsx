/** All definitions of the space by uri, method and version. */
import { useState } from 'preact/hooks';
import { addressOf } from '../../app/router.ts';
import { useTitle } from '../../app/title.ts';
import { Bar } from '../../parts/bar.tsx';
import { hasDraft } from '../../parts/draft.ts';
import { Icon } from '../../parts/icon.tsx';
import { useResource } from '../../parts/resource.ts';
import { Await, Empty } from '../../parts/states.tsx';
import { type Definition, listDefinitions, mayAuthor } from './definitions-api.ts';

export const addressOfEndpoint = ({ method, uri, version }: Definition): string =>
  addressOf(['endpoints', method, ...uri.split('/')], `?version=${encodeURIComponent(version)}`);

const matches = ({ uri, method, summary }: Definition, text: string): boolean =>
  text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => `${method} ${uri} ${summary ?? ''}`.toLowerCase().includes(word));

export function EndpointList() {
  useTitle('Endpoints');
  const [search, setSearch] = useState('');
  const list = useResource(listDefinitions, []);
  return (
    <>
      <Bar
        title="Endpoints"
        actions={
          mayAuthor() && (
            <>
              <a class="button" href={addressOf(['promote'])}>
                Promote…
              </a>
              <a class="button primary" data-testid="endpoint-new" href={addressOf(['endpoints', 'new'])}>
                <Icon name="plus" /> New endpoint
              </a>
            </>
          )
        }
      >
        <input
          class="bar-search"
          type="search"
          data-search
          aria-label="Search endpoints"
          placeholder="Search endpoints"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      </Bar>
      <Await of={list} what="endpoints">
        {(all) => <Table all={all} search={search} />}
      </Await>
    </>
  );
}

function Table({ all, search }: { readonly all: readonly Definition[]; readonly search: string }) {
  if (all.length === 0)
    return (
      <Empty
        action={
          mayAuthor() && (
            <a class="button primary" href={addressOf(['endpoints', 'new'])}>
              Write an endpoint
            </a>
          )
        }
      >
        Endpoints of this space would be here: SQL, Starlark and expressions behind an own path.
      </Empty>
    );
  const shown = all.filter((one) => matches(one, search));
  return (
    <div class="scroll-x">
      <table class="list linked">
        <thead>
          <tr>
            <th scope="col">Endpoint</th>
            <th scope="col">Version</th>
            <th scope="col">Permission</th>
            <th scope="col">Database</th>
            <th scope="col">Last failure</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((one) => (
            <Row key={one.definition_id} definition={one} fallsBackTo={all} />
          ))}
        </tbody>
      </table>
      {shown.length === 0 && <p class="state-empty muted">No endpoint matches.</p>}
    </div>
  );
}

function Row({ definition, fallsBackTo }: { readonly definition: Definition; readonly fallsBackTo: readonly Definition[] }) {
  const { uri, method, version, summary, permission, database, last_failure, rollback_version } = definition;
  const rollbackOf = fallsBackTo
    .filter((other) => other.uri === uri && other.method === method && other.rollback_version === version)
    .map((other) => other.version);
  return (
    <tr
      data-testid="endpoint"
      data-uri={uri}
      data-method={method}
      data-version={version}
      data-default={String(definition.default === true)}
      data-rollback={rollback_version ?? ''}
      data-failed={String(last_failure !== null)}
    >
      <td>
        <a class="row-link" href={addressOfEndpoint(definition)}>
          <span class={`method is-${method}`}>{method}</span> <span class="mono">{uri}</span>
        </a>
        {summary != null && <span class="faint row-about">{summary}</span>}
      </td>
      <td>
        <span class="tags">
          <span class="mono">{version}</span>
          {definition.default === true && <span class="badge ok">default</span>}
          {rollback_version != null && <span class="badge">falls back to {rollback_version}</span>}
          {rollbackOf.length > 0 && <span class="badge">rollback of {rollbackOf.join(', ')}</span>}
          {hasDraft(`endpoint ${method} ${uri} ${version}`) && <span class="badge warn">draft</span>}
        </span>
      </td>
      <td>{permission?.join(', ')}</td>
      <td class="mono">{database}</td>
      <td class="failure">
        {last_failure !== null && (
          <>
            <span class="badge danger">{last_failure.time.slice(0, 16).replace('T', ' ')}</span>{' '}
            <span class="faint">{last_failure.message}</span>
          </>
        )}
      </td>
    </tr>
  );
}
