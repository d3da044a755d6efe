/** Each step of a dry run, then the answer that a caller would get. */
import { type Exact, type ExactObject, isObject, writeExact } from '../../../../ui/exact.ts';
import { Icon } from '../../../parts/icon.tsx';
import { countOf } from '../../../parts/problem-list.tsx';
import { jsonText, ResultValue } from './result-value.tsx';
import { type TrialResult, type TrialStep, textOf } from './trial-result.ts';

export function TrialView({ result, code }: { readonly result: TrialResult; readonly code: readonly string[] }) {
  const { steps, problems, hasRun, error } = result;
  const isAtStep = steps.some((step) => step.error !== undefined);
  return (
    <div class="trial">
      {!hasRun && problems.length > 0 && (
        <div class="try-error" data-testid="try-error" role="alert">
          The definition has problems, so nothing ran. {problems.join(' ')}
        </div>
      )}
      {error !== undefined && !isAtStep && <TrialError error={error} />}
      <ol class="steps" aria-label="Steps">
        {steps.map((step, at) => (
          <Step key={step.step} step={step} code={code[at] ?? ''} />
        ))}
      </ol>
      {hasRun && <Answer result={result} />}
    </div>
  );
}

function Step({ step, code }: { readonly step: TrialStep; readonly code: string }) {
  const { kind, name, ms, sql, parameters, printed, result, error, isOmitted } = step;
  return (
    <li class="try-step" data-testid="try-step" data-step={step.step} data-kind={kind} data-ms={ms ?? ''}>
      <div class="step-head">
        <strong>{step.step}</strong>
        <span class="badge">{kind}</span>
        {name !== undefined && <span class="mono">{name}</span>}
        {isOmitted && <span class="faint">omitted</span>}
        <span class="step-ms">{ms === undefined ? 'did not run' : `${ms} ms`}</span>
      </div>
      <Code label={`Code of ${step.step}`} testId="try-code" text={code.trimEnd()} />
      {sql !== undefined && (
        <details class="step-sql" open>
          <summary>Statement with {countOf(parameters?.length ?? 0, 'bound value')}</summary>
          <Code label={`Statement of ${step.step}`} testId="try-sql" text={sql} />
          <Code label={`Bound values of ${step.step}`} testId="try-parameters" text={writeExact((parameters ?? []) as Exact)} />
        </details>
      )}
      {printed.length > 0 && <Code label={`Printed by ${step.step}`} testId="try-printed" text={printed.join('\n')} />}
      {result !== undefined && <ResultValue value={result.value} label={`Result of ${step.step}`} />}
      {error !== undefined && <TrialError error={error} />}
    </li>
  );
}

function Code({ label, testId, text }: { readonly label: string; readonly testId: string; readonly text: string }) {
  return (
    <pre class="code" data-testid={testId} role="region" aria-label={label} tabIndex={0}>
      {text}
    </pre>
  );
}

function TrialError({ error }: { readonly error: ExactObject }) {
  const errors = Array.isArray(error['errors']) ? (error['errors'] as readonly Exact[]).filter((one) => isObject(one)) : [];
  return (
    <div class="try-error" data-testid="try-error" role="alert">
      <Icon name="warn" />
      <div>
        <p>{textOf(error['message'])}</p>
        {textOf(error['place']) !== undefined && <p class="faint">{textOf(error['place'])}</p>}
        {errors.map((one) => (
          <p key={textOf(one['field'])}>
            <code>{textOf(one['field'])}</code> {textOf(one['message'])}
          </p>
        ))}
      </div>
    </div>
  );
}

function Answer({ result }: { readonly result: TrialResult }) {
  const { status, ms, headers, answer, stays } = result;
  const tone = status.startsWith('2') || status.startsWith('3') ? 'ok' : 'danger';
  return (
    <section class="answer" aria-label="Answer">
      <div class="step-head">
        <strong>Answer</strong>
        <span class={`badge ${tone}`} data-testid="try-status">
          {status}
        </span>
        <span class="step-ms">{ms !== undefined && `${ms} ms in all`}</span>
      </div>
      {headers.length > 0 && (
        <dl class="headers">
          {headers.map(([name, text]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      )}
      <pre class="code" data-testid="try-answer" role="region" aria-label="Body of the answer" tabIndex={0}>
        {jsonText(answer)}
      </pre>
      <p class={stays === undefined ? 'faint' : 'field-error'} role="status">
        {stays ?? 'Nothing was kept: the transaction was rolled back.'}
      </p>
    </section>
  );
}
