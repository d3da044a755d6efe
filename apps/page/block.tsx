/** What every block of data has in common: its states, and when it reads. */
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { createContext } from 'preact';
import { useContext, useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { ApiFailure } from './answer.ts';
import { forgetReads } from './api.ts';
import { blockingInputs, inputNamesIn } from './fill.ts';
import { generation, isHidden, noteUpdate } from './generation.ts';
import { inputOf } from './inputs.ts';

export interface BlockContext {
  readonly id: string;
  readonly section: HTMLElement;
  /** `false` in a closed tab. */
  readonly isOpen: ReadonlySignal<boolean>;
}

export const CurrentBlock = createContext<BlockContext | undefined>(undefined);

type State = 'loading' | 'ready' | 'empty' | 'error' | 'waiting';

interface Loaded<T> {
  /** Values of the inputs that it was read with. */
  readonly values?: string;
  readonly value?: T;
  readonly error?: Error;
}

export interface Reading<T> {
  readonly loaded: Loaded<T>;
  readonly waitsFor: readonly string[];
  readonly retry: () => void;
}

/**
 * Reads the data of a block when it is shown, and again when an input that it uses changes. Late
 * answers to earlier values are dropped.
 */
export function useReading<T>(spec: unknown, load: () => Promise<T>, more: readonly unknown[] = []): Reading<T> {
  const block = useContext(CurrentBlock);
  const loaded: Signal<Loaded<T>> = useMemo(() => signal({}), []);
  const own = useMemo(() => signal(0), []);
  const names = useMemo(() => [...new Set(inputNamesIn(spec))], [spec]);
  const waits = useMemo(() => computed(() => blockingInputs(names)), [names]);
  const waitsFor = waits.value;
  const values = JSON.stringify([names.map((name) => inputOf(name)?.texts), ...more]);
  const isActive = block?.isOpen.value !== false && !isHidden.value && waitsFor.length === 0;
  const turn = useRef(0);
  useEffect(() => {
    if (!isActive) return;
    const mine = ++turn.current;
    load().then(
      (value) => {
        if (mine !== turn.current) return;
        loaded.value = { values, value };
        noteUpdate();
      },
      (error: unknown) => {
        if (mine !== turn.current) return;
        const failure = error instanceof Error ? error : new Error(String(error));
        loaded.value = loaded.value.values === values ? { ...loaded.value, error: failure } : { values, error: failure };
      },
    );
  }, [isActive, values, generation.value, own.value]);
  // Other values make the old answer wrong; a refresh only makes it old.
  const current = loaded.value.values === values ? loaded.value : {};
  const retry = (): void => {
    forgetReads();
    loaded.value = {};
    own.value++;
  };
  return { loaded: current, waitsFor, retry };
}

interface BlockBodyProps<T> {
  readonly reading: Reading<T>;
  readonly isEmpty?: (value: T) => boolean;
  readonly empty?: ComponentChildren;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows a block in its state, and notes the state at its section. */
export function BlockBody<T>({ reading: { loaded, waitsFor, retry }, isEmpty, empty, children }: BlockBodyProps<T>) {
  const { value, error } = loaded;
  const state: State =
    waitsFor.length > 0
      ? 'waiting'
      : value === undefined
        ? error === undefined
          ? 'loading'
          : 'error'
        : isEmpty?.(value)
          ? 'empty'
          : 'ready';
  const isStale = value !== undefined && error !== undefined;
  useSectionState(state, isStale);
  if (state === 'waiting') return <Waiting names={waitsFor} />;
  if (value === undefined) return error === undefined ? <div class="skeleton" /> : <Failure error={error} onRetry={retry} />;
  return (
    <>
      {isStale && (
        <p class="stale" role="status">
          These values are not current: {error.message}
        </p>
      )}
      {state === 'empty' && <p class="empty">{empty ?? 'No rows.'}</p>}
      {(state !== 'empty' || empty === undefined) && children(value)}
    </>
  );
}

export function useSectionState(state: State, isStale = false): void {
  const block = useContext(CurrentBlock);
  const shownHeight = useRef(0);
  useLayoutEffect(() => {
    if (block === undefined) return;
    // What was shown before keeps its room while other values are read.
    block.section.style.minHeight = state === 'loading' && shownHeight.current > 0 ? `${shownHeight.current}px` : '';
    block.section.dataset['state'] = state;
    if (state === 'loading') block.section.setAttribute('aria-busy', 'true');
    else block.section.removeAttribute('aria-busy');
    if (isStale) block.section.dataset['stale'] = '';
    else delete block.section.dataset['stale'];
    if (state !== 'loading') shownHeight.current = block.section.offsetHeight;
  }, [state, isStale]);
}

function Waiting({ names }: { readonly names: readonly string[] }) {
  const labelsOf = (isMissing: boolean): string =>
    names
      .flatMap((name) => inputOf(name) ?? [])
      .filter(({ texts }) => (texts.length === 0) === isMissing)
      .map(({ name, declaration }) => declaration.label ?? name)
      .join(', ');
  const [missing, invalid] = [labelsOf(true), labelsOf(false)];
  return (
    <p class="waiting" role="status">
      {missing !== '' && `Needs a value: ${missing}. `}
      {invalid !== '' && `Needs a valid value: ${invalid}.`}
    </p>
  );
}

export function Failure({ error, onRetry }: { readonly error: Error; readonly onRetry?: () => void }) {
  const requestId = error instanceof ApiFailure ? error.requestId : null;
  return (
    <div class="failure" role="alert" data-testid="block-error">
      <p>{error.message}</p>
      {requestId !== null && <p class="faint">Request {requestId}</p>}
      {onRetry !== undefined && (
        <button type="button" data-testid="retry" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Throws if the rows lack a column, and names those that they have. */
export function requireColumns(rows: readonly Readonly<Record<string, unknown>>[], columns: readonly string[]): void {
  if (rows.length === 0) return;
  const missing = columns.find((column) => !rows.some((row) => hasColumn(row, column)));
  if (missing === undefined) return;
  const existing = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  throw new Error(`The answer has no column "${missing}". It has ${existing.join(', ') || 'none'}.`);
}

function hasColumn(row: Readonly<Record<string, unknown>>, column: string): boolean {
  if (Object.hasOwn(row, column)) return true;
  const dot = column.indexOf('.');
  const inner = dot < 0 ? undefined : row[column.slice(0, dot)];
  if (inner === null) return true;
  return typeof inner === 'object' && hasColumn(inner as Record<string, unknown>, column.slice(dot + 1));
}
