/** The first page: where one is, what is registered, what failed lately, and what to do first. */
import './overview.css';
import { useEffect } from 'preact/hooks';
import { context } from '../../api/context.ts';
import { viewAs } from '../../api/view-as.ts';
import { addressOf, navigate } from '../../app/router.ts';
import { useTitle } from '../../app/title.ts';
import { Bar } from '../../parts/bar.tsx';
import { copyText } from '../../parts/copy-text.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useResource } from '../../parts/resource.ts';
import { Await } from '../../parts/states.tsx';
import { type DefinitionItem, readOverview, type Step } from './steps.ts';

export function View() {
  useTitle('Overview');
  const here = context.value;
  const overview = useResource(readOverview, [here, viewAs.value]);
  useEffect(() => {
    // The holder of the server key is in no project.
    if (here === undefined) void navigate(addressOf(['setup']), { replace: true });
  }, [here]);
  if (here === undefined) return null;
  return (
    <>
      <Bar title={here.project.name}>
        <span class="muted">
          {here.org.name} · space {here.space.name} · Millrace {here.version}
        </span>
      </Bar>
      <section class="overview-section" aria-labelledby="databases">
        <h2 id="databases">Databases</h2>
        {here.databases.length === 0 && <p class="muted">No database is registered in this space.</p>}
        <ul class="overview-databases">
          {here.databases.map(({ ref, db_type, name, engine, read_only }) => (
            <li key={ref}>
              <a href={addressOf(['data', db_type, name])} data-testid="database" data-ref={ref}>
                <Icon name="database" />
                <span class="mono">{ref}</span>
                <span class="muted">{engine}</span>
                {read_only && <span class="badge">read only</span>}
              </a>
            </li>
          ))}
        </ul>
      </section>
      <Await of={overview} what="the overview">
        {({ steps, failed }) => (
          <>
            <Failures failed={failed} />
            <section class="overview-section" aria-labelledby="steps">
              <h2 id="steps">First steps</h2>
              <ol class="steps">
                {steps.map((step) => (
                  <StepItem key={step.name} {...step} />
                ))}
              </ol>
            </section>
          </>
        )}
      </Await>
    </>
  );
}

function Failures({ failed }: { readonly failed: readonly DefinitionItem[] }) {
  if (failed.length === 0) return null;
  return (
    <section class="overview-section" aria-labelledby="failures">
      <h2 id="failures">Endpoints that failed lately</h2>
      <ul class="overview-databases">
        {failed.map(({ definition_id, method, uri, version, last_failure: failure }) => (
          <li key={definition_id}>
            <a href={addressOf(['endpoints', method, ...uri.split('/')], `?version=${encodeURIComponent(version)}`)}>
              <Icon name="warn" />
              <span class="mono">
                {method.toUpperCase()} {uri} {version}
              </span>
              <span class="muted">
                {failure?.time} {failure?.message}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function StepItem({ name, title, text, href, isDone, curl }: Step) {
  return (
    <li class={isDone ? 'step is-done' : 'step'}>
      <span class="step-mark" aria-hidden="true">
        {isDone && <Icon name="check" size={12} />}
      </span>
      <div class="step-text">
        <a href={href} data-testid={`step-${name}`} data-done={String(isDone)}>
          {title}
        </a>
        {isDone && <span class="visually-hidden">(done)</span>}
        <p class="muted">{text}</p>
        <div class="step-curl">
          <code>{curl}</code>
          <button type="button" class="plain icon-only" aria-label={`Copy the curl line: ${title}`} onClick={() => void copyText(curl)}>
            <Icon name="copy" />
          </button>
        </div>
      </div>
    </li>
  );
}
