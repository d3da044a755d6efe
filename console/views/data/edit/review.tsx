/** The review: the dry run, every request, rows before and after, and the count. Then save. */
import { useState } from 'preact/hooks';
import type { TableDetail } from '../../../api/types.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { useResource } from '../../../parts/resource.ts';
import { ErrorState, Loading } from '../../../parts/states.tsx';
import { toast } from '../../../parts/toasts.tsx';
import { shownPath } from '../table-target.ts';
import { headersOf, type Plan, type PlannedRequest, queryOf, saveOptions, savePlan, type Trial, TYPED_FROM, tryPlan } from './plan.ts';
import { ConflictTables, RowTables } from './review-rows.tsx';

interface ReviewProps {
  readonly plan: Plan;
  readonly detail: TableDetail;
  readonly onClose: () => void;
  /** Makes the plan again, from the rows as they are now. */
  readonly onAgain: () => Promise<void>;
}

export function Review({ plan, detail, onClose, onAgain }: ReviewProps) {
  const tried = useResource((signal) => tryPlan(plan, signal), [plan]);
  const [typed, setTyped] = useState('');
  const [failure, setFailure] = useState<Error | undefined>(undefined);
  const [refused, setRefused] = useState<Trial | undefined>(undefined);
  const [isSaving, setSaving] = useState(false);
  const loaded = tried.loaded.value;
  const trial = refused ?? (loaded.state === 'ready' ? loaded.value : undefined);
  const error = failure ?? (loaded.state === 'error' ? loaded.error : undefined);
  const hasConflicts = trial !== undefined && trial.conflicts.length > 0;
  const mustType = plan.isDangerous && trial !== undefined && trial.count >= TYPED_FROM;
  const planned = plan.rows.length > 0 ? plan.rows.length : undefined;
  const shownCount = trial === undefined || hasConflicts ? planned : trial.count;
  const isReady = trial !== undefined && !hasConflicts && loaded.state === 'ready' && (!mustType || typed.trim() === String(trial.count));

  const save = async (): Promise<void> => {
    if (trial === undefined) return;
    setSaving(true);
    setFailure(undefined);
    try {
      const saved = await savePlan(plan, trial);
      if (saved.conflicts.length > 0) return setRefused(saved);
      onClose();
      plan.done(saved);
      toast(saved.count === 1 ? '1 row was written.' : `${saved.count} rows were written.`);
    } catch (cause) {
      setFailure(cause instanceof Error ? cause : new Error(String(cause)));
    } finally {
      setSaving(false);
    }
  };
  const again = async (): Promise<void> => {
    setFailure(undefined);
    setRefused(undefined);
    await tried.start();
  };
  const acceptAll = async (): Promise<void> => {
    for (const { accept } of trial?.conflicts ?? []) accept?.();
    setRefused(undefined);
    setFailure(undefined);
    await onAgain();
  };

  return (
    <Dialog
      title={plan.title}
      testId="review-dialog"
      isWide
      onClose={onClose}
      actions={
        <>
          <button type="button" onClick={onClose}>
            Back
          </button>
          {hasConflicts && trial.conflicts.some(({ accept }) => accept !== undefined) && (
            <button type="button" onClick={() => void acceptAll()}>
              Keep my values on the row as it is now
            </button>
          )}
          <button
            type="button"
            class={plan.isDangerous ? 'danger' : 'primary'}
            data-testid="save"
            disabled={!isReady || isSaving}
            onClick={() => void save()}
          >
            {plan.action(shownCount)}
          </button>
        </>
      }
    >
      {loaded.state === 'loading' && <Loading what="the dry run" onStop={() => tried.stop()} />}
      {error !== undefined && (
        <div data-testid="review-error">
          <ErrorState error={error} onRetry={() => void again()} />
        </div>
      )}
      {hasConflicts && (
        <div data-testid="review-error" role="alert">
          <ConflictTables conflicts={trial.conflicts} detail={detail} />
        </div>
      )}
      {trial !== undefined && !hasConflicts && <Result plan={plan} trial={trial} detail={detail} />}
      {mustType && !hasConflicts && (
        <label class="field">
          Type {trial.count} to delete these rows
          <input
            data-testid="review-typed"
            value={typed}
            inputMode="numeric"
            autocomplete="off"
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
      )}
      <Requests plan={plan} trial={hasConflicts ? undefined : trial} />
    </Dialog>
  );
}

function Result({ plan, trial, detail }: { readonly plan: Plan; readonly trial: Trial; readonly detail: TableDetail }) {
  return (
    <>
      {!trial.isTried && (
        <p class="warning" data-testid="review-warning" role="alert">
          This cannot be tried or taken back.
        </p>
      )}
      <p role="status">
        {trial.isTried ? 'Tried and rolled back: ' : 'Rows that match: '}
        <strong data-testid="review-count">{trial.count}</strong> {trial.count === 1 ? 'row' : 'rows'}
        {trial.isTried ? ' affected (rows_affected).' : '.'}
      </p>
      <RowTables plan={plan} after={trial.rows} detail={detail} />
    </>
  );
}

/** The requests that *Save* sends. */
function Requests({ plan, trial }: { readonly plan: Plan; readonly trial: Trial | undefined }) {
  const options = trial === undefined ? { isAtomic: plan.canTry, hasRows: plan.canTry } : saveOptions(trial);
  const textOf = (planned: PlannedRequest): string => {
    const headers = Object.entries(headersOf(planned, options)).map(([name, value]) => `${name}: ${value}`);
    const body = planned.body === undefined ? [] : ['', planned.body];
    return [`${planned.method} ${shownPath(planned.path, queryOf(planned, options))}`, ...headers, ...body].join('\n');
  };
  return (
    <section class="review-requests" aria-label="Requests">
      <h3>{plan.requests.length === 1 ? 'Request' : `${plan.requests.length} requests`}</h3>
      {plan.requests.map((planned) => (
        <pre key={planned.path + (planned.body ?? '')} data-testid="review-request" tabIndex={0} role="region" aria-label="Request">
          {textOf(planned)}
        </pre>
      ))}
    </section>
  );
}
