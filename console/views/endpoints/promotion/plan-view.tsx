/** The effect of a promotion: problems, databases, and what changes in the target. */
import { Diff, linesOfUnified } from '../../../parts/diff.tsx';
import { Icon } from '../../../parts/icon.tsx';
import type { PromotionPlan } from '../definitions-api.ts';

export function Problems({ plan: { problems, databases }, target }: { readonly plan: PromotionPlan; readonly target: string }) {
  return (
    <div class="plan">
      {problems.length > 0 && (
        <ul class="problem-list" aria-label="Problems">
          {problems.map(({ message }) => (
            <li key={message} class="problem is-problem" data-testid="promote-problem">
              <Icon name="warn" /> <span>{message}</span>
            </li>
          ))}
        </ul>
      )}
      {databases.length > 0 && (
        <ul class="tags" aria-label="Databases">
          {databases.map(({ ref, ok, reason }) => (
            <li key={ref} class={ok ? 'badge ok' : 'badge danger'}>
              {ref}: {ok ? `in ${target}` : reason}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface ChangesProps {
  readonly plan: PromotionPlan;
  readonly takesModules: boolean;
}

export function Changes({ plan: { definitions, modules }, takesModules }: ChangesProps) {
  return (
    <div class="plan">
      {definitions.map(({ uri, method, state, diff }) => (
        <Change key={`${method} ${uri}`} name={`${method} ${uri}`} state={state} diff={diff} isOpen={definitions.length === 1} />
      ))}
      {modules.map(({ module, state, diff }) => (
        <Change
          key={module}
          name={`module ${module}${takesModules || state === 'same' ? '' : ' (not promoted)'}`}
          state={state}
          diff={diff}
          isOpen={false}
        />
      ))}
    </div>
  );
}

interface ChangeProps {
  readonly name: string;
  readonly state: string;
  readonly diff: string;
  readonly isOpen: boolean;
}

function Change({ name, state, diff, isOpen }: ChangeProps) {
  return (
    <details class="change" open={isOpen}>
      <summary>
        <span class="mono">{name}</span> <span class={`badge is-${state}`}>{state}</span>
      </summary>
      <Diff lines={linesOfUnified(diff)} label={`Difference of ${name}`} />
    </details>
  );
}
