/** What the service does now: rates, errors, latencies and pools of the last five minutes. */
import './live.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../api/request.ts';
import { getSystem } from '../../api/system.ts';
import { useTitle } from '../../app/title.ts';
import { Bar } from '../../parts/bar.tsx';
import { ErrorState, Loading } from '../../parts/states.tsx';
import { Chart, SHOWN_SECONDS } from './chart.tsx';
import { type Interval, intervalOf, type LiveAnswer, type Pool } from './figures.ts';

const EVERY_MS = 2000;

interface Figures {
  readonly answer: LiveAnswer;
  readonly intervals: readonly Interval[];
}

interface Polling {
  readonly figures: Figures | undefined;
  readonly error: Error | undefined;
  readonly stop: () => void;
  readonly retry: () => void;
}

/** Polls while the page is visible, until the service refuses it. */
function useFigures(): Polling {
  const [figures, setFigures] = useState<Figures | undefined>(undefined);
  const [error, setError] = useState<Error | undefined>(undefined);
  const [round, setRound] = useState(0);
  const last = useRef<Figures | undefined>(undefined);
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => {
    const stop = new AbortController();
    running.current = stop;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async (): Promise<void> => {
      if (document.hidden) return;
      try {
        const answer = await getSystem<LiveAnswer>('live', {}, { signal: stop.signal });
        last.current = add(last.current, answer);
        setFigures(last.current);
        setError(undefined);
      } catch (failure) {
        if (stop.signal.aborted) return;
        setError(failure instanceof Error ? failure : new Error(String(failure)));
        if (failure instanceof ApiError && failure.status < 500) return;
      }
      clearTimeout(timer);
      if (!stop.signal.aborted) timer = setTimeout(() => void ask(), EVERY_MS);
    };
    const onVisible = (): void => {
      clearTimeout(timer);
      void ask();
    };
    document.addEventListener('visibilitychange', onVisible);
    void ask();
    return () => {
      stop.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [round]);
  return {
    figures,
    error,
    stop: () => {
      running.current?.abort();
      setError(new Error('Stopped. Try again when you like.'));
    },
    retry: () => {
      setError(undefined);
      setRound(round + 1);
    },
  };
}

function add(before: Figures | undefined, answer: LiveAnswer): Figures {
  const interval = before && intervalOf(before.answer, answer);
  const kept = before?.intervals.filter(({ at }) => at > Date.parse(answer.at) / 1000 - SHOWN_SECONDS) ?? [];
  return { answer, intervals: interval === undefined ? kept : [...kept, interval] };
}

const rounded = (value: number | null | undefined, digits: number): string => (value == null ? '—' : value.toFixed(digits));

export function View() {
  useTitle('Live');
  const { figures, error, stop, retry } = useFigures();
  if (figures === undefined && error !== undefined) return <ErrorState error={error} onRetry={retry} />;
  if (figures === undefined) return <Loading what="live figures" onStop={stop} />;
  const { answer, intervals } = figures;
  const now = intervals.at(-1);
  const times = intervals.map(({ at }) => at);
  return (
    <>
      <Bar title="Live">
        <span class="muted">
          Millrace {answer.version}, since {answer.started_at}
        </span>
        {error !== undefined && <span role="alert">{error.message}</span>}
      </Bar>
      <dl class="live-figures">
        <Figure name="Requests/s" testId="live-rate" value={rounded(now?.rate, 1)} />
        <Figure name="Errors/s" testId="live-errors" value={rounded(now?.errors, 1)} />
        <Figure name="p50" testId="live-p50" value={`${rounded(now?.p50, 1)} ms`} />
        <Figure name="p99" testId="live-p99" value={`${rounded(now?.p99, 1)} ms`} />
        <Figure name="In flight" testId="live-in-flight" value={String(answer.in_flight)} />
        <Figure name="Rollbacks" testId="live-rollbacks" value={String(answer.rollbacks)} />
        <Figure name="Cache hits" testId="live-cache" value={`${answer.cache.hits} of ${answer.cache.hits + answer.cache.misses}`} />
      </dl>
      <div class="live-charts">
        <Chart
          title="Requests a second"
          times={times}
          lines={[
            { label: 'requests', color: '--series-1', values: intervals.map(({ rate }) => rate) },
            { label: 'errors', color: '--series-6', values: intervals.map(({ errors }) => errors) },
          ]}
        />
        <Chart
          title="Milliseconds a request"
          times={times}
          lines={[
            { label: 'p50', color: '--series-1', values: intervals.map(({ p50 }) => p50) },
            { label: 'p99', color: '--series-2', values: intervals.map(({ p99 }) => p99) },
          ]}
        />
      </div>
      <Pools pools={answer.pools} />
      <History intervals={intervals} />
    </>
  );
}

function Figure({ name, testId, value }: { readonly name: string; readonly testId: string; readonly value: string }) {
  return (
    <div>
      <dt class="label">{name}</dt>
      <dd data-testid={testId}>{value}</dd>
    </div>
  );
}

function Pools({ pools }: { readonly pools: readonly Pool[] }) {
  if (pools.length === 0) return null;
  return (
    <section class="scroll-x" aria-label="Connection pools" tabIndex={0}>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Pool</th>
            {['Open', 'Idle', 'Waiting', 'At most'].map((name) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {pools.map(({ ref, open, idle, waiting, max }) => (
            <tr key={ref} data-testid="live-pool" data-ref={ref}>
              <td class="mono">{ref}</td>
              <td class="number">{open}</td>
              <td class="number">{idle}</td>
              <td class="number">{waiting}</td>
              <td class="number">{max}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const TABLE_ROWS = 30;

/** The figures of the charts as text, the latest first. */
function History({ intervals }: { readonly intervals: readonly Interval[] }) {
  return (
    <details class="live-history" open>
      <summary>The last figures as a table</summary>
      <section class="scroll-x" aria-label="The last figures" tabIndex={0}>
        <table class="list" data-testid="live-table">
          <thead>
            <tr>
              {['Time', 'Requests/s', 'Errors/s', 'p50 ms', 'p99 ms'].map((name) => (
                <th key={name} scope="col" class={name === 'Time' ? '' : 'number'}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {intervals
              .slice(-TABLE_ROWS)
              .toReversed()
              .map(({ at, rate, errors, p50, p99 }) => (
                <tr key={at}>
                  <td>{new Date(at * 1000).toLocaleTimeString()}</td>
                  <td class="number">{rounded(rate, 1)}</td>
                  <td class="number">{rounded(errors, 1)}</td>
                  <td class="number">{rounded(p50, 1)}</td>
                  <td class="number">{rounded(p99, 1)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
