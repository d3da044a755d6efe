/** Deploy: the next version, its difference from the one that answers now, and warnings. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useCheck } from '../../../parts/check.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { Diff, diffOf } from '../../../parts/diff.tsx';
import { CheckState, ProblemList } from '../../../parts/problem-list.tsx';
import { useResource } from '../../../parts/resource.ts';
import { Await } from '../../../parts/states.tsx';
import { toast } from '../../../parts/toasts.tsx';
import { outlineOf, withVersion } from '../definition.ts';
import { checkText, type Definition, deployText, readText } from '../definitions-api.ts';

interface DeploymentProps {
  readonly text: string;
  readonly proposed: string;
  /** The version that answers now, if there is one. */
  readonly current: Definition | undefined;
  readonly onClose: () => void;
  readonly onDeployed: (version: string) => void;
}

export function Deployment({ text, proposed, current, onClose, onDeployed }: DeploymentProps) {
  const [version, setVersion] = useState(proposed);
  const [error, setError] = useState<string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const deployed = withVersion(text, version);
  const { uri, method } = useMemo(() => outlineOf(text), [text]);
  const check = useCheck(deployed, checkText, []);
  const before = useResource(
    (signal) => (current === undefined ? Promise.resolve('') : readText(current.definition_id, signal)),
    [current?.definition_id],
  );
  useEffect(() => setError(undefined), [version]);

  const deploy = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const { warnings } = await deployText(deployed);
      toast(`${method} ${uri} ${version} is live.${warnings.length === 0 ? '' : ` ${warnings.join(' ')}`}`);
      onDeployed(version);
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
      setBusy(false);
    }
  };

  return (
    <Dialog
      title={`Deploy ${method} ${uri}`}
      isWide
      onClose={onClose}
      actions={
        <>
          <CheckState check={check} />
          <span class="spacer" />
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" form="deployment" class="primary" data-testid="deploy-ok" disabled={isBusy}>
            Deploy {version}
          </button>
        </>
      }
    >
      <form
        id="deployment"
        class="deployment"
        onSubmit={(event) => {
          event.preventDefault();
          void deploy();
        }}
      >
        <label class="field">
          Version
          <input
            class="mono"
            data-testid="deploy-version"
            autocomplete="off"
            spellcheck={false}
            value={version}
            onInput={(event) => setVersion(event.currentTarget.value.trim())}
          />
        </label>
        <p class="muted">
          {current === undefined
            ? 'Nothing answers there yet.'
            : `${current.version} answers now. It stays deployed and can be called by its version.`}
        </p>
      </form>
      {error !== undefined && (
        <p class="field-error" role="alert" data-testid="error">
          {error}
        </p>
      )}
      {check.problems.length > 0 && <ProblemList check={{ ...check, warnings: [] }} onGoTo={onClose} />}
      {check.warnings.map((warning) => (
        <p key={warning} class="warning" data-testid="deploy-warning">
          {warning}
        </p>
      ))}
      <h3 class="label">{current === undefined ? 'The document' : `Difference from ${current.version}`}</h3>
      <Await of={before} what="the present version">
        {(stored) => <Diff lines={diffOf(stored, deployed)} label="Difference from the version that answers now" />}
      </Await>
    </Dialog>
  );
}
