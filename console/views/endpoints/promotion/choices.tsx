/** Which endpoints are promoted: one version of each. */
import type { Definition, PromotionPlan } from '../definitions-api.ts';
import { versionsOf } from '../definitions-api.ts';

interface ChoicesProps {
  readonly all: readonly Definition[];
  readonly chosen: readonly string[];
  readonly plan: PromotionPlan | undefined;
  readonly onChange: (definitions: readonly string[]) => void;
}

export function Choices({ all, chosen, plan, onChange }: ChoicesProps) {
  const endpoints = [...new Map(all.map(({ method, uri }) => [`${method} ${uri}`, versionsOf(all, method, uri)])).values()];
  return (
    <ul class="choices" aria-label="Endpoints">
      {endpoints.map((versions) => (
        <Choice key={versions[0]?.definition_id} versions={versions} chosen={chosen} plan={plan} onChange={onChange} />
      ))}
    </ul>
  );
}

interface ChoiceProps extends Omit<ChoicesProps, 'all'> {
  readonly versions: readonly Definition[];
}

function Choice({ versions, chosen, plan, onChange }: ChoiceProps) {
  const selected = versions.find(({ definition_id }) => chosen.includes(definition_id));
  const shown = selected ?? versions[0];
  if (shown === undefined) return null;
  const { uri, method } = shown;
  const others = chosen.filter((id) => !versions.some(({ definition_id }) => definition_id === id));
  const state = selected === undefined ? '' : (plan?.definitions.find((one) => one.uri === uri && one.method === method)?.state ?? '');
  return (
    <li class="choice" data-testid="promote-item" data-uri={uri} data-method={method} data-state={state}>
      <label class="check-line">
        <input
          type="checkbox"
          checked={selected !== undefined}
          onChange={(event) => onChange(event.currentTarget.checked ? [...chosen, shown.definition_id] : others)}
        />
        <span class={`method is-${method}`}>{method}</span> <span class="mono">{uri}</span>
      </label>
      {versions.length > 1 ? (
        <select
          aria-label={`Version of ${method} ${uri}`}
          value={shown.definition_id}
          onChange={(event) => onChange([...others, event.currentTarget.value])}
        >
          {versions.map(({ definition_id, version }) => (
            <option key={definition_id} value={definition_id}>
              {version}
            </option>
          ))}
        </select>
      ) : (
        <span class="mono muted">{shown.version}</span>
      )}
      {state !== '' && <span class={`badge is-${state}`}>{state}</span>}
    </li>
  );
}
