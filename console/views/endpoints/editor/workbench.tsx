/** The editor of one definition with its checks, and Try, Deploy, Compare and Promote. */
import { useMemo, useRef, useState } from 'preact/hooks';
import { useCommands } from '../../../app/commands.ts';
import { useKeys } from '../../../app/keys.ts';
import { addressOf, navigate, place, withSearch } from '../../../app/router.ts';
import { Bar } from '../../../parts/bar.tsx';
import { useCheck } from '../../../parts/check.ts';
import { useDraft } from '../../../parts/draft.ts';
import { Editor, type EditorSlot } from '../../../parts/editor/editor.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { CheckState, ProblemList } from '../../../parts/problem-list.tsx';
import { useResource } from '../../../parts/resource.ts';
import { outlineOf, withVersion } from '../definition.ts';
import { checkText, type Definition, mayAuthor, readHistory, versionsOf } from '../definitions-api.ts';
import { nextVersion } from '../versions.ts';
import { Comparison, ComparisonPicker, sidesOf } from './comparison.tsx';
import { Deployment } from './deployment.tsx';
import { searchWith } from './search.ts';
import { Trial, type TrialRunner } from './trial.tsx';
import { VersionStrip } from './version-strip.tsx';

interface WorkbenchProps {
  /** Name of the draft. */
  readonly name: string;
  /** The stored document, or the beginning of a new one. */
  readonly stored: string;
  readonly all: readonly Definition[];
  /** The shown version, and all versions of its endpoint; none of a new one. */
  readonly shown: Definition | undefined;
  readonly versions: readonly Definition[];
  readonly reload: () => Promise<void>;
}

const goTo = (changes: Readonly<Record<string, string>>, replace = false): void =>
  void navigate(withSearch(searchWith(changes)), { keepsChanges: true, replace });

export function Workbench({ name, stored, all, shown, versions, reload }: WorkbenchProps) {
  const isAuthor = mayAuthor();
  const draft = useDraft(name, stored);
  const slot = useMemo<EditorSlot>(() => ({ current: undefined }), []);
  const runner = useMemo<TrialRunner>(() => ({ run: undefined }), []);
  const outline = useMemo(() => outlineOf(draft.text), [draft.text]);
  const own = useMemo(() => versionsOf(all, outline.method, outline.uri), [all, outline.method, outline.uri]);
  const proposed = nextVersion(
    outline.version,
    own.map(({ version }) => version),
  );
  const check = useCheck(draft.text, isAuthor ? (text, signal) => checkText(withVersion(text, proposed), signal) : undefined, [proposed]);
  const [isDeploying, setDeploying] = useState(false);
  const history = useResource(
    (signal) => (shown === undefined ? Promise.resolve([]) : readHistory(shown.method, shown.uri, signal)),
    [shown?.definition_id, all],
  );
  const query = new URLSearchParams(place.value.search);
  const isTrying = isAuthor && query.has('try');
  const compare = query.get('compare') ?? '';
  const sides = sidesOf(versions, history.value ?? []);

  const openTrial = (): void => {
    if (!isTrying) goTo({ try: '1' }, true);
  };
  const tryNow = (): void => {
    if (isTrying) runner.run?.();
    else {
      runsAtOnce.current = true;
      openTrial();
    }
  };
  const runsAtOnce = useRef(query.has('try'));
  const actions = useRef({ tryNow, deploy: (): void => {} });
  actions.current = { tryNow, deploy: () => setDeploying(true) };
  const title = shown === undefined ? 'New endpoint' : shown.uri;

  useKeys(
    isAuthor
      ? [
          { key: 'Ctrl+Enter', meaning: 'Try the definition', inFields: true, run: () => actions.current.tryNow() },
          { key: 'Ctrl+S', meaning: 'Deploy the definition', inFields: true, run: () => actions.current.deploy() },
          { key: 'F8', meaning: 'Go to the next problem', inFields: true, run: () => slot.current?.goToNext() },
          { key: 'Escape Tab', meaning: 'Leave the editor' },
        ]
      : [],
    [isAuthor],
  );
  useCommands(
    isAuthor
      ? [
          { label: `Try ${title}`, hint: 'Ctrl+Enter', run: () => actions.current.tryNow() },
          { label: `Deploy ${title}`, hint: 'Ctrl+S', run: () => actions.current.deploy() },
        ]
      : [],
    [isAuthor, title],
  );

  const deployed = async (version: string): Promise<void> => {
    setDeploying(false);
    draft.discard();
    const { method, uri } = outline;
    await reload();
    await navigate(
      addressOf(['endpoints', method, ...uri.split('/')], `?version=${encodeURIComponent(version)}${isTrying ? '&try=1' : ''}`),
    );
  };
  const promoteAddress = shown === undefined ? '' : addressOf(['promote'], `?definition=${shown.definition_id}`);

  return (
    <>
      <Bar
        title={
          <>
            <a class="crumb" href={addressOf(['endpoints'])}>
              Endpoints
            </a>{' '}
            {shown !== undefined && <span class={`method is-${shown.method}`}>{shown.method}</span>} {title}
          </>
        }
        actions={
          isAuthor && (
            <>
              {draft.isChanged && (
                <button type="button" class="plain" data-testid="discard" onClick={draft.discard}>
                  Discard changes
                </button>
              )}
              {shown !== undefined && (
                <a class="button" href={promoteAddress}>
                  Promote…
                </a>
              )}
              <button type="button" data-testid="try" onClick={openTrial}>
                <Icon name="play" /> Try
              </button>
              <button type="button" class="primary" data-testid="deploy" onClick={() => setDeploying(true)}>
                Deploy…
              </button>
            </>
          )
        }
      >
        {draft.isChanged && <span class="badge warn">not deployed</span>}
        {!isAuthor && <span class="badge">read only</span>}
      </Bar>
      {shown !== undefined && (
        <div class="strip">
          <VersionStrip versions={versions} shown={shown} onDeleted={() => void afterDelete(reload)} />
          <ComparisonPicker
            sides={sides}
            from={compare}
            to={query.get('version') ?? shown.version}
            onChange={(from, to) => goTo({ compare: from, version: to })}
          />
        </div>
      )}
      {shown?.last_failure != null && (
        <p class="notice" role="status">
          <Icon name="warn" /> Failed last on {shown.last_failure.time}. {shown.last_failure.message}
        </p>
      )}
      {draft.isOutdated && (
        <p class="notice" role="status">
          <Icon name="warn" /> This version has changed since you began. Your text is kept; Discard changes shows the present one.
        </p>
      )}
      <div class={isTrying ? 'workbench has-panel' : 'workbench'}>
        {compare !== '' ? (
          <div class="workbench-main">
            <Comparison sides={sides} from={compare} to={query.get('version') ?? shown?.version ?? ''} />
          </div>
        ) : (
          <div class="workbench-main">
            <Editor
              kind="definition"
              label="Definition"
              text={draft.text}
              generation={draft.generation}
              problems={check.problems}
              isReadOnly={!isAuthor}
              onChange={draft.setText}
              slot={slot}
            />
            {isAuthor && (
              <div class="editor-foot">
                <div class="editor-status">
                  <CheckState check={check} />
                  <span class="faint">as version {proposed}</span>
                </div>
                <ProblemList check={check} onGoTo={(problem) => slot.current?.goTo(problem)} />
              </div>
            )}
          </div>
        )}
        {isTrying && (
          <Trial
            name={name}
            text={withVersion(draft.text, proposed)}
            outline={outline}
            version={shown === undefined || shown.default === true ? undefined : shown.version}
            runner={runner}
            startsAtOnce={runsAtOnce.current}
            onClose={() => goTo({ try: '' }, true)}
          />
        )}
      </div>
      {isDeploying && (
        <Deployment
          text={draft.text}
          proposed={proposed}
          current={own[0]}
          onClose={() => setDeploying(false)}
          onDeployed={(version) => void deployed(version)}
        />
      )}
    </>
  );
}

async function afterDelete(reload: () => Promise<void>): Promise<void> {
  await reload();
  await navigate(withSearch(''), { replace: true });
}
