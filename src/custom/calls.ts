/**
 * A Custom call from endpoint to answer: the version is chosen, the caller's roles are checked, and the version answers, from what is kept or
 * by running its steps. A version that fails by its own fault is taken back, and its rollback version answers instead. Knows no HTTP.
 */
import type { Connections } from '../engines/connections.ts';
import type { StopSignal } from '../engines/engine.ts';
import { ApiError, apiError } from '../errors.ts';
import type { SpaceCaller } from '../model/caller.ts';
import type { Definition, DefinitionMethod, Endpoint } from '../model/definition.ts';
import type { Entry } from '../model/entry.ts';
import type { LarkModules } from '../model/lark-module.ts';
import { findEntry, type ProjectContext } from '../model/project.ts';
import type { Observer } from '../observe.ts';
import type { Store } from '../store/store.ts';
import type { PlainMap } from '../util/decimal.ts';
import { Flights } from '../util/flights.ts';
import type { MemoryLease } from '../util/memory-lease.ts';
import type { Answer } from './answer.ts';
import type { ResponseCache } from './cache.ts';
import type { Compiled } from './compile.ts';
import { contextOf } from './context.ts';
import { explainStays, explainStep, isOwnFault } from './failures.ts';
import { chooseDefinition, Finder, type Version } from './find.ts';
import { type RawInput, readInput } from './input.ts';
import { keyOf } from './keys.ts';
import { runSteps, type Timings } from './run.ts';
import { Session } from './session.ts';
import type { Frame } from './steps/step.ts';

export interface Call {
  readonly caller: SpaceCaller;
  readonly context: ProjectContext;
  readonly uri: string;
  readonly method: DefinitionMethod;
  /** Undefined: the highest. */
  readonly version: string | undefined;
  readonly raw: RawInput;
  /** The name of the format, which tells answers apart. */
  readonly format: string;
  readonly requestId: string;
  readonly signal: StopSignal;
  /** The memory that the call holds. */
  readonly lease: MemoryLease;
}

/** One version at work on a call. */
interface Attempt {
  readonly call: Call;
  readonly endpoint: Endpoint;
  readonly version: Version;
  readonly input: PlainMap;
  readonly modules: LarkModules;
  /** Headers that say which version answers. */
  readonly headers: readonly string[];
}

export class Calls {
  readonly finder: Finder;
  readonly #store: Store;
  readonly connections: Connections;
  readonly #observer: Observer;
  readonly #cache: ResponseCache;
  readonly #flights = new Flights<Buffer>();
  /** Errors that came after a write which cannot be taken back: whoever hears of one, nobody may try another version. */
  readonly #lasting = new WeakSet<object>();

  constructor(store: Store, connections: Connections, observer: Observer, cache: ResponseCache) {
    this.finder = new Finder(store);
    this.#store = store;
    this.connections = connections;
    this.#observer = observer;
    this.#cache = cache;
  }

  async answer(call: Call, answer: Answer): Promise<void> {
    const found = this.finder.endpoint(call.caller, call.uri);
    const endpoint = found instanceof Promise ? await found : found;
    const asked = chooseDefinition(endpoint, call.method, call.version);
    const tried: Definition[] = [];
    let first: unknown;
    for (let next: Definition | undefined = asked; next !== undefined; next = rollbackOf(endpoint, next, tried)) {
      const failed = tried.at(-1);
      try {
        await this.#try(call, endpoint, next, asked, answer);
        if (failed !== undefined) this.#noteRollback(call, asked, next, first);
        return;
      } catch (error) {
        first ??= error;
        tried.push(next);
        const isOwn = isOwnFault(error);
        if (isOwn && !call.signal.aborted) this.#store.recordFailure(call.caller, next.definitionId, messageOf(error));
        // What stays is told by the version that left it.
        if (this.#lasting.has(error as object)) throw error;
        if (call.signal.aborted || !isOwn || answer.begun) break;
      }
    }
    // A rollback version that may not be called, or that refuses the call, is no rescue: the first error stands.
    throw first;
  }

  async #try(call: Call, endpoint: Endpoint, definition: Definition, asked: Definition, answer: Answer): Promise<void> {
    const found = this.finder.version(call.caller, definition);
    const version = found instanceof Promise ? await found : found;
    const { compiled } = version;
    if (!hasRole(call.caller, compiled)) throw apiError('role_needed', compiled.permission.join(', '));
    const allowance = { mostBytes: compiled.limits.bytes, lease: call.lease, signal: call.signal };
    const read = readInput(call.raw, call.method, compiled.document.inputType, allowance);
    const input = read instanceof Promise ? await read : read;
    const modules = compiled.usesModules ? await this.finder.modules(call.caller) : NO_MODULES;
    const headers = ['X-Served-Version', definition.version];
    if (definition !== asked) headers.push('X-Rolled-Back-From', asked.version);
    const attempt: Attempt = { call, endpoint, version, input, modules, headers };
    await (compiled.keeps && call.lease.held <= MOST_KEYED ? this.#keep(attempt, answer) : this.#run(attempt, answer));
  }

  /** Straight from the steps to the client. */
  async #run(attempt: Attempt, answer: Answer): Promise<void> {
    const { compiled } = attempt.version;
    const timings: Timings = [];
    let rows: ReturnType<Answer['rows']> | undefined;
    const sink = (): ReturnType<Answer['rows']> => {
      rows = answer.rows(compiled.rows);
      rows.headers.push(...attempt.headers, 'Server-Timing', timingText(compiled, timings));
      return rows;
    };
    try {
      const { value } = await this.#steps(attempt, attempt.call.signal, timings, sink, () => {
        rows?.discard();
        rows = undefined;
        return !answer.begun;
      });
      const timing = timingText(compiled, timings);
      if (value !== undefined || rows === undefined) {
        rows?.discard();
        this.#deliver(compiled, () => answer.value(value ?? null, [...attempt.headers, 'Server-Timing', timing]));
        return;
      }
      rows.headers[rows.headers.length - 1] = timing;
      rows.end();
    } catch (error) {
      rows?.discard();
      throw error;
    }
  }

  /** As bytes, which may come from an earlier call and may serve later ones. */
  async #keep(attempt: Attempt, answer: Answer): Promise<void> {
    const { call, endpoint, version, modules, input, headers } = attempt;
    const { cacheResult, coalesce, cacheTtlSecs } = version.compiled.document.config;
    const key = keyOf({ caller: call.caller, endpoint, version, modules, input, format: call.format });
    if (cacheResult) {
      const found = this.#cache.get(key);
      const hit = found instanceof Promise ? await found : found;
      this.#observer.cacheLookup(hit === undefined ? 'miss' : 'hit');
      if (hit !== undefined) {
        answer.bytes(hit, [...headers, 'X-Cache', 'HIT', 'Server-Timing', 'cache;desc="hit"']);
        return;
      }
    }
    const timings: Timings = [];
    const make = async (signal: StopSignal): Promise<Buffer> => {
      const body = await this.#bytes(attempt, signal, timings, answer);
      if (cacheResult) this.#cache.set(key, body, cacheTtlSecs);
      return body;
    };
    if (coalesce && this.#flights.has(key)) this.#observer.cacheLookup('shared');
    const body = await (coalesce ? this.#flights.join(key, call.signal, make) : make(call.signal));
    const timing = timings.length === 0 ? 'shared' : timingText(version.compiled, timings);
    answer.bytes(body, [...headers, ...(cacheResult ? ['X-Cache', 'MISS'] : []), 'Server-Timing', timing]);
  }

  async #bytes(attempt: Attempt, signal: StopSignal, timings: Timings, answer: Answer): Promise<Buffer> {
    const { bytes } = attempt.version.compiled.limits;
    let rows: ReturnType<Answer['keepRows']> | undefined;
    const sink = (): ReturnType<Answer['keepRows']> => {
      rows = answer.keepRows(bytes);
      return rows;
    };
    const { value } = await this.#steps(attempt, signal, timings, sink, () => true);
    return this.#deliver(attempt.version.compiled, () =>
      value === undefined && rows !== undefined ? rows.take() : answer.keepValue(value ?? null, bytes),
    );
  }

  /** What the steps made cannot always be written; by then their own writes stand. */
  #deliver<T>(compiled: Compiled, write: () => T): T {
    try {
      return write();
    } catch (error) {
      const { label = '' } = compiled.steps[compiled.answer] ?? {};
      const explained = explainStep(error, label, compiled.timeoutMs);
      const written = compiled.steps.filter(({ sql }) => sql?.reads === false).map((step) => step.label);
      if (written.length === 0) throw explained;
      const told = explainStays(explained, label, { kind: 'stays', steps: written });
      this.#lasting.add(told as object);
      throw told;
    }
  }

  /** Runs the steps; from the start again when a connection had died or a prepared statement was older than its table, and nothing stays. */
  async #steps(attempt: Attempt, signal: StopSignal, timings: Timings, sink: Parameters<typeof runSteps>[3], again: () => boolean) {
    const { compiled } = attempt.version;
    for (let tries = 0; ; tries++) {
      const session = this.#session(attempt, compiled, signal);
      const frame: Frame = {
        input: attempt.input,
        context: contextOf(attempt.call.caller),
        results: new Array(compiled.steps.length),
        limits: compiled.limits,
        modules: attempt.modules,
        session,
        signal,
        lease: attempt.call.lease,
      };
      try {
        return await runSteps(compiled, frame, timings, sink);
      } catch (error) {
        if (session.final) this.#lasting.add(error as object);
        if (tries >= session.repeats || signal.aborted || !again()) throw error;
        timings.length = 0;
      }
    }
  }

  #session({ call }: Attempt, compiled: Compiled, signal: StopSignal): Session {
    const { transaction, timeoutMs } = compiled;
    return new Session(this.connections, { entry: () => entryOf(compiled, call.context), timeoutMs, signal, transaction });
  }

  #noteRollback({ requestId, uri }: Call, asked: Definition, served: Definition, reason: unknown): void {
    if (!(reason instanceof ApiError)) this.#observer.emit({ kind: 'failure', requestId, error: reason });
    this.#observer.emit({ kind: 'rolled_back', requestId, uri, from: asked.version, to: served.version, reason });
  }
}

/** Answers to larger inputs are neither kept nor shared: hardly any comes twice, and its key would take longer than its steps. */
const MOST_KEYED = 4 * 1024 * 1024;

const NO_MODULES: LarkModules = new Map();

function hasRole(caller: SpaceCaller, compiled: Compiled): boolean {
  return compiled.permission.some((role) => caller.roles.has(role));
}

/** The next version to try, unless there is none or it has been tried. */
function rollbackOf(endpoint: Endpoint, failed: Definition, tried: readonly Definition[]): Definition | undefined {
  if (failed.rollbackVersion === null) return undefined;
  const next = endpoint.versions.get(failed.method)?.find(({ version }) => version === failed.rollbackVersion);
  return next === undefined || tried.includes(next) ? undefined : next;
}

/** A registered database may have been removed since. */
export function entryOf({ entry, document }: Compiled, context: ProjectContext): Entry {
  if (entry !== undefined) return entry;
  const { type, name } = document.database;
  try {
    return findEntry(context, type, name);
  } catch (error) {
    if (error instanceof ApiError && error.key === 'database_unknown')
      throw apiError('step_unreachable', '0', `the database ${type}/${name} is not registered in the project`);
    throw error;
  }
}

function messageOf(error: unknown): string {
  return error instanceof ApiError ? error.message : 'an unexpected error, which the log has';
}

/** A figure for each step that has run. */
function timingText({ steps }: Compiled, timings: Timings): string {
  let text = '';
  for (let i = 0; i < timings.length; i++) {
    const name = steps[i]?.source.name ?? `step_${i}`;
    text += `${i === 0 ? '' : ', '}${name};dur=${Math.round((timings[i] as number) * 1000) / 1000}`;
  }
  return text === '' ? 'running' : text;
}
