/** One endpoint: the version that the address names, or the one that answers by default. */
import { context } from '../../api/context.ts';
import { place } from '../../app/router.ts';
import { useTitle } from '../../app/title.ts';
import { Bar } from '../../parts/bar.tsx';
import { type Resource, useResource } from '../../parts/resource.ts';
import { Await, ErrorState } from '../../parts/states.tsx';
import { newDefinition } from './definition.ts';
import { checkText, type Definition, listDefinitions, mayAuthor, readText, versionsOf } from './definitions-api.ts';
import { Workbench } from './editor/workbench.tsx';

export function EndpointPage({ method, uri }: { readonly method: string; readonly uri: string }) {
  useTitle(`${method} ${uri}`);
  const list = useResource(listDefinitions, []);
  return (
    <Await of={list} what="the endpoint">
      {(all) => <Version list={list} all={all} method={method} uri={uri} />}
    </Await>
  );
}

interface VersionProps {
  readonly list: Resource<readonly Definition[]>;
  readonly all: readonly Definition[];
  readonly method: string;
  readonly uri: string;
}

function Version({ list, all, method, uri }: VersionProps) {
  const versions = versionsOf(all, method, uri);
  const named = new URLSearchParams(place.value.search).get('version');
  // A revision can be compared without being a version.
  const shown = versions.find(({ version }) => version === named) ?? versions[0];
  if (shown === undefined)
    return (
      <>
        <Bar title={`${method} ${uri}`} />
        <ErrorState error={new Error(`The space has no endpoint ${method} ${uri}.`)} onRetry={() => void list.start()} />
      </>
    );
  return <Document key={shown.definition_id} list={list} all={all} versions={versions} shown={shown} />;
}

interface DocumentProps extends Pick<VersionProps, 'list' | 'all'> {
  readonly versions: readonly Definition[];
  readonly shown: Definition;
}

function Document({ list, all, versions, shown }: DocumentProps) {
  const text = useResource((signal) => readText(shown.definition_id, signal), [shown.definition_id, shown.updated_at]);
  const { method, uri, version } = shown;
  return (
    <Await of={text} what="the definition">
      {(stored) => (
        <Workbench
          name={`endpoint ${method} ${uri} ${version}`}
          stored={stored}
          all={all}
          shown={shown}
          versions={versions}
          reload={() => list.start({ quietly: true })}
        />
      )}
    </Await>
  );
}

export function NewEndpointPage() {
  useTitle('New endpoint');
  const list = useResource(async (signal) => {
    // The service refuses callers who may not write definitions.
    if (!mayAuthor()) await checkText('', signal);
    return {
      all: await listDefinitions(signal),
      text: newDefinition(context.value?.roles[0] ?? 'admin', context.value?.databases[0]?.ref ?? 'pg/shop'),
    };
  }, []);
  return (
    <Await of={list} what="a new endpoint">
      {({ all, text }) => (
        <Workbench name="endpoint new" stored={text} all={all} shown={undefined} versions={[]} reload={async () => undefined} />
      )}
    </Await>
  );
}
