/** Try: the input, the roles, a run that is rolled back, and what each step did. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { writeExact } from '../../../../ui/exact.ts';
import { context } from '../../../api/context.ts';
import { ApiError } from '../../../api/request.ts';
import { CopyableText } from '../../../parts/copy-text.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { Loading } from '../../../parts/states.tsx';
import { baseRoot } from '../../../root.ts';
import { codeOfSteps, type Outline } from '../definition.ts';
import { runTrial } from '../definitions-api.ts';
import { curlOf } from './curl.ts';
import { inputFields, objectOf, readInput } from './inputs.ts';
import { TrialField } from './trial-form.tsx';
import { readTrial, type TrialResult } from './trial-result.ts';
import { TrialView } from './trial-view.tsx';

/** Lets the view run the trial with a key. */
export interface TrialRunner {
  run: (() => void) | undefined;
}

interface TrialProps {
  readonly name: string;
  readonly text: string;
  readonly outline: Outline;
  /** Version of the text if it is deployed and does not answer by default. */
  readonly version: string | undefined;
  readonly runner: TrialRunner;
  readonly startsAtOnce: boolean;
  readonly onClose: () => void;
}

interface Entered {
  readonly texts: Readonly<Record<string, string>>;
  readonly roles: string;
  /** The whole input as JSON, in place of the fields. */
  readonly json: string | undefined;
}

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly stop: AbortController }
  | { readonly kind: 'done'; readonly result: TrialResult; readonly code: readonly string[] }
  | { readonly kind: 'failed'; readonly message: string };

function useEntered(name: string): readonly [Entered, (change: Partial<Entered>) => void] {
  const key = `millrace.try.${context.value?.space.space_id ?? ''}.${name}`;
  const [entered, setEntered] = useState<Entered>(() => {
    const kept = sessionStorage.getItem(key);
    return kept === null ? { texts: {}, roles: context.value?.roles.join(', ') ?? '', json: undefined } : (JSON.parse(kept) as Entered);
  });
  const change = (changes: Partial<Entered>): void => {
    const next = { ...entered, ...changes };
    setEntered(next);
    sessionStorage.setItem(key, JSON.stringify(next));
  };
  return [entered, change];
}

const rolesOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((role) => role.trim())
    .filter((role) => role !== '');

export function Trial({ name, text, outline, version, runner, startsAtOnce, onClose }: TrialProps) {
  const fields = useMemo(() => inputFields(outline.tree, outline.uri), [outline]);
  const [entered, change] = useEntered(name);
  const [state, setState] = useState<State>({ kind: 'idle' });
  const running = useRef<AbortController>(undefined);
  const input = () => (entered.json === undefined ? readInput(fields, entered.texts) : objectOf(entered.json));

  const run = async (): Promise<void> => {
    running.current?.abort();
    const stop = new AbortController();
    running.current = stop;
    setState({ kind: 'running', stop });
    try {
      const answer = await runTrial({ definition: text, input: input(), roles: rolesOf(entered.roles) }, stop.signal);
      if (running.current === stop) setState({ kind: 'done', result: readTrial(answer), code: codeOfSteps(outline.tree) });
    } catch (error) {
      if (running.current === stop) setState(stop.signal.aborted ? { kind: 'idle' } : { kind: 'failed', message: messageOf(error) });
    }
  };
  runner.run = () => void run();
  useEffect(() => {
    if (startsAtOnce && outline.method === 'get') void run();
    return () => {
      runner.run = undefined;
      running.current?.abort();
    };
  }, []);

  return (
    <aside class="trial-panel" aria-label="Try">
      <form
        class="trial-form"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <div class="panel-head">
          <h2>Try</h2>
          <button
            type="button"
            class="plain"
            onClick={() => change({ json: entered.json === undefined ? asJson(input) : undefined })}
            aria-pressed={entered.json !== undefined}
          >
            As JSON
          </button>
          <button type="button" class="plain icon-only" aria-label="Close Try" onClick={onClose}>
            <Icon name="close" />
          </button>
        </div>
        {entered.json === undefined ? (
          fields.map((field) => (
            <TrialField
              key={field.name}
              field={field}
              text={entered.texts[field.name] ?? field.example}
              onText={(changed) => change({ texts: { ...entered.texts, [field.name]: changed } })}
            />
          ))
        ) : (
          <label class="field">
            Input as JSON
            <textarea
              class="mono"
              rows={8}
              data-testid="try-field"
              data-name="input"
              spellcheck={false}
              value={entered.json}
              onInput={(event) => change({ json: event.currentTarget.value })}
            />
          </label>
        )}
        <label class="field">
          Roles of the caller
          <input
            data-testid="try-roles"
            autocomplete="off"
            spellcheck={false}
            value={entered.roles}
            onInput={(event) => change({ roles: event.currentTarget.value })}
          />
        </label>
        <div class="panel-line">
          <button type="submit" class="primary" data-testid="try-run">
            <Icon name="play" /> Run <kbd>Ctrl ⏎</kbd>
          </button>
          <span class="faint">In a transaction that is rolled back.</span>
        </div>
      </form>
      <div class="trial-output" aria-live="polite">
        {state.kind === 'running' && <Loading what="the answer" onStop={() => state.stop.abort()} />}
        {state.kind === 'failed' && (
          <div class="try-error" data-testid="try-error" role="alert">
            {state.message}
          </div>
        )}
        {state.kind === 'done' && <TrialView result={state.result} code={state.code} />}
        <details class="curl" open>
          <summary>The same call with curl</summary>
          <CopyableText text={curlText(outline, version, input)} label="curl" />
        </details>
      </div>
    </aside>
  );
}

function messageOf(error: unknown): string {
  if (error instanceof SyntaxError) return `The input is not JSON: ${error.message}`;
  if (error instanceof ApiError && error.requestId !== null) return `${error.message} (request ${error.requestId})`;
  return error instanceof Error ? error.message : String(error);
}

type ReadInput = () => ReturnType<typeof readInput>;

function asJson(input: ReadInput): string {
  try {
    return writeExact(input(), '  ');
  } catch {
    return '{}';
  }
}

function curlText({ uri, method }: Outline, version: string | undefined, input: ReadInput): string {
  const { value } = context;
  const base = new URL(`${value?.org.abbreviation ?? ''}/${value?.project.abbreviation ?? ''}/`, baseRoot).href;
  try {
    return curlOf({ base, uri, method, version, input: input() });
  } catch {
    return curlOf({ base, uri, method, version, input: {} });
  }
}
