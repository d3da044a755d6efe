/** Promote: copies definitions to another space after their effect has been shown. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { context } from '../../../api/context.ts';
import { ApiError } from '../../../api/request.ts';
import { addressOf, navigate, place, withSearch } from '../../../app/router.ts';
import { useTitle } from '../../../app/title.ts';
import { Bar } from '../../../parts/bar.tsx';
import { confirm } from '../../../parts/confirm.tsx';
import { countOf } from '../../../parts/problem-list.tsx';
import { type Resource, useResource } from '../../../parts/resource.ts';
import { Await, Empty, ErrorState } from '../../../parts/states.tsx';
import {
  type Definition,
  diffPromotion,
  listDefinitions,
  type Promoted,
  type PromotionChoice,
  type PromotionPlan,
  promote,
} from '../definitions-api.ts';
import { Choices } from './choices.tsx';
import { Changes, Problems } from './plan-view.tsx';

export function PromotionPage() {
  useTitle('Promote');
  const list = useResource(listDefinitions, []);
  return (
    <>
      <Bar
        title={
          <>
            <a class="crumb" href={addressOf(['endpoints'])}>
              Endpoints
            </a>{' '}
            Promote
          </>
        }
      />
      <Await of={list} what="endpoints">
        {(all) => <Promotion all={all} />}
      </Await>
    </>
  );
}

interface Flags {
  readonly modules: boolean;
  readonly overwrite: boolean;
  readonly force: boolean;
}

function Promotion({ all }: { readonly all: readonly Definition[] }) {
  const query = new URLSearchParams(place.value.search);
  const targets = (context.value?.spaces ?? []).filter(({ space_id }) => space_id !== context.value?.space.space_id);
  const named = query.get('to') ?? '';
  const target = targets.find(({ name, space_id }) => name === named || space_id === named)?.name ?? targets[0]?.name ?? '';
  const chosen = query
    .getAll('definition')
    .flatMap((ids) => ids.split(','))
    .filter((id) => all.some((one) => one.definition_id === id));
  const [typedVersion, setVersion] = useState<string | undefined>(undefined);
  const [flags, setFlags] = useState<Flags>({ modules: false, overwrite: false, force: false });
  const [promoted, setPromoted] = useState<Promoted | undefined>(undefined);
  const [error, setError] = useState<Error | undefined>(undefined);
  const version = typedVersion ?? all.find(({ definition_id }) => definition_id === chosen[0])?.version ?? '';
  const choice: PromotionChoice = { definitions: chosen, target, version, ...flags };
  const plan = usePlan(choice);

  if (targets.length === 0) return <Empty>Other spaces of the project would be here. It has only this one.</Empty>;

  const choose = (to: string, definitions: readonly string[]): void => {
    const next = new URLSearchParams(to === '' ? {} : { to });
    for (const id of definitions) next.append('definition', id);
    setPromoted(undefined);
    setError(undefined);
    void navigate(withSearch(`?${next}`), { replace: true, keepsChanges: true });
  };
  const setFlag = (change: Partial<Flags>): void => {
    setPromoted(undefined);
    setError(undefined);
    setFlags({ ...flags, ...change });
  };
  const run = async (): Promise<void> => {
    const count = countOf(chosen.length, 'endpoint');
    const title = `Promote ${count} in spite of the problems?`;
    const text = `The space ${target} gets them although the problems above are not solved. Calls may fail there.`;
    if (flags.force && !(await confirm({ title, text, action: `Promote ${count}`, isDangerous: true }))) return;
    setError(undefined);
    try {
      setPromoted(await promote(choice));
      void plan.start({ quietly: true });
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)));
    }
  };

  return (
    <div class="promotion">
      <form
        class="promotion-form"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <div class="fields">
          <label class="field">
            To space
            <select data-testid="promote-to" value={target} onChange={(event) => choose(event.currentTarget.value, chosen)}>
              {targets.map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <label class="field">
            As version
            <input
              class="mono"
              data-testid="promote-version"
              value={version}
              autocomplete="off"
              spellcheck={false}
              onInput={(event) => {
                setPromoted(undefined);
                setVersion(event.currentTarget.value.trim());
              }}
            />
          </label>
        </div>
        <div class="flags">
          <Flag
            testId="promote-modules"
            label="With the modules that they load"
            isOn={flags.modules}
            onChange={(modules) => setFlag({ modules })}
          />
          <Flag
            testId="promote-overwrite"
            label="Replace modules of the target that differ"
            isOn={flags.overwrite}
            onChange={(overwrite) => setFlag({ overwrite })}
          />
        </div>
        <Choices all={all} chosen={chosen} plan={plan.value} onChange={(definitions) => choose(target, definitions)} />
        {chosen.length > 0 && (
          <PlanSection plan={plan} flags={flags} onForce={(force) => setFlag({ force })} count={chosen.length} target={target}>
            {error !== undefined && <Refusal error={error} />}
            {promoted !== undefined && <Done promoted={promoted} target={target} />}
          </PlanSection>
        )}
      </form>
    </div>
  );
}

function usePlan(choice: PromotionChoice): Resource<PromotionPlan | undefined> {
  const { definitions, target, version, modules, overwrite } = choice;
  return useResource(
    async (signal) =>
      definitions.length === 0 || target === '' || version === '' ? undefined : diffPromotion({ ...choice, force: false }, signal),
    [definitions.join(), target, version, modules, overwrite],
  );
}

interface PlanSectionProps {
  readonly plan: Resource<PromotionPlan | undefined>;
  readonly flags: Flags;
  readonly onForce: (force: boolean) => void;
  readonly count: number;
  readonly target: string;
  readonly children: ComponentChildren;
}

function PlanSection({ plan, flags, onForce, count, target, children }: PlanSectionProps) {
  return (
    <Await of={plan} what="the effect">
      {(ready) =>
        ready !== undefined && (
          <>
            <Problems plan={ready} target={target} />
            <div class="promotion-actions">
              {ready.problems.length > 0 && (
                <Flag testId="promote-force" label="Promote in spite of the problems" isOn={flags.force} onChange={onForce} />
              )}
              {(ready.problems.length === 0 || flags.force) && (
                <button type="submit" class={flags.force ? 'danger' : 'primary'} data-testid="promote-run">
                  Promote {countOf(count, 'endpoint')} to {target}
                </button>
              )}
              {children}
            </div>
            <Changes plan={ready} takesModules={flags.modules} />
          </>
        )
      }
    </Await>
  );
}

interface FlagProps {
  readonly testId: string;
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

function Flag({ testId, label, isOn, onChange }: FlagProps) {
  return (
    <label class="check-line">
      <input type="checkbox" data-testid={testId} checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  );
}

function Refusal({ error }: { readonly error: Error }) {
  return (
    <>
      <ErrorState error={error} />
      {error instanceof ApiError && (
        <ul class="problem-list">
          {error.problems.map(({ message }) => (
            <li key={message} class="problem">
              {message}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Done({ promoted: { copied, modules = [], warnings }, target }: { readonly promoted: Promoted; readonly target: string }) {
  return (
    <section class="promotion-done" data-testid="promote-done" role="status">
      <h2>
        {countOf(copied.length, 'endpoint')} {copied.length === 1 ? 'is' : 'are'} live in {target}.
      </h2>
      <ul>
        {copied.map(({ uri, method, version }) => (
          <li key={`${method} ${uri}`} class="mono">
            {method} {uri} {version}
          </li>
        ))}
        {modules.map((module) => (
          <li key={module} class="mono">
            module {module}
          </li>
        ))}
      </ul>
      {warnings.map((warning) => (
        <p key={warning} class="warning">
          {warning}
        </p>
      ))}
    </section>
  );
}
