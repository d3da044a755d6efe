/**
 * Space, uri, method and version → the compiled definition, from memory. A definition is compiled when it is first called, and kept as long as the
 * store keeps the record it was made from, so a replaced one disappears with it.
 */
import type { Engines } from '../../engines/registry.ts';
import { apiError } from '../../errors.ts';
import type { Definition, DefinitionMethod, Endpoint } from '../../model/definition.ts';
import type { LarkModules } from '../../model/lark-module.ts';
import type { SpaceScope } from '../../model/project.ts';
import type { Store } from '../../store/store.ts';
import { nextSlice } from '../../util/concurrency/loop-scheduler.ts';
import { after, type MaybePromise } from '../../util/concurrency/maybe-promise.ts';
import { runCooperatively } from '../../util/concurrency/slices.ts';
import { readSlices } from '../document/document.ts';
import { UriPatterns } from '../document/uri-patterns.ts';
import { type Compiled, compileDefinition } from '../program/compile.ts';

export interface Version {
  readonly definition: Definition;
  readonly compiled: Compiled;
}

export const NO_MODULES: LarkModules = new Map();

/** A path as it was called: decoded segments, and the literal uri that they would be. */
export interface CallPath {
  readonly uri: string;
  readonly segments: readonly string[];
}

const patterns = new WeakMap<readonly string[], UriPatterns>();

/** The list of a space is replaced as a whole when it changes. */
function patternsOf(shapes: readonly string[]): UriPatterns {
  const known = patterns.get(shapes) ?? new UriPatterns(shapes);
  patterns.set(shapes, known);
  return known;
}

export class EndpointResolver {
  readonly #store: Store;
  readonly #engines: Engines;
  readonly #versions = new WeakMap<Definition, Version>();
  /** Concurrent callers wait for the same compilation. */
  readonly #compiling = new Map<Definition, Promise<Version>>();

  constructor(store: Store, engines: Engines) {
    this.#store = store;
    this.#engines = engines;
  }

  /** The endpoint of a path, at once if it is literal and known. Literal segments win over braces, from left to right. */
  endpoint(scope: SpaceScope, { uri, segments }: CallPath, method: DefinitionMethod): MaybePromise<Endpoint> {
    return after(this.#store.endpoint(scope.orgId, scope.projectId, scope.spaceId, uri), (endpoint) =>
      endpoint?.versions.has(method) === true ? endpoint : this.#fitting(scope, uri, segments, method, endpoint),
    );
  }

  async #fitting(
    scope: SpaceScope,
    uri: string,
    segments: readonly string[],
    method: DefinitionMethod,
    literal: Endpoint | undefined,
  ): Promise<Endpoint> {
    const { orgId, projectId, spaceId } = scope;
    const shapes = (await this.#store.patterns(orgId, projectId, spaceId)) ?? [];
    const others: Endpoint[] = literal === undefined ? [] : [literal];
    for (const shape of patternsOf(shapes).fitting(segments)) {
      const endpoint = await this.#store.endpoint(orgId, projectId, spaceId, shape);
      if (endpoint?.versions.has(method) === true) return endpoint;
      if (endpoint !== undefined) others.push(endpoint);
    }
    if (others.length === 0) throw apiError('endpoint_unknown', uri);
    const allowed = new Set(others.flatMap(({ versions }) => [...versions.keys()].map((name) => name.toUpperCase())));
    throw apiError('method_not_allowed', method.toUpperCase(), [...allowed].join(', '));
  }

  async modules(scope: SpaceScope): Promise<LarkModules> {
    const found = this.#store.modules(scope.orgId, scope.projectId, scope.spaceId);
    return (found instanceof Promise ? await found : found) ?? NO_MODULES;
  }

  /** At once if it has been called before. */
  version(scope: SpaceScope, definition: Definition): Version | Promise<Version> {
    const known = this.#versions.get(definition) ?? this.#compiling.get(definition);
    if (known !== undefined) return known;
    const compiling = this.#compile(scope, definition).finally(() => this.#compiling.delete(definition));
    this.#compiling.set(definition, compiling);
    return compiling;
  }

  async #compile(scope: SpaceScope, definition: Definition): Promise<Version> {
    if (definition.unreadable !== null)
      throw apiError('record_unreadable', `${definition.uri} ${definition.version}`, definition.definitionId);
    // Many may be wanted at once, as after a restart: each waits for its turn.
    await nextSlice(scope.projectId);
    const document = await runCooperatively(readSlices(definition.document, this.#engines), scope.projectId);
    const needsModules = document.logic.some(({ kind }) => kind === 'lark');
    const modules = needsModules ? await this.modules(scope) : NO_MODULES;
    const compiled = await compileDefinition(document, { tenant: scope, modules, stage: 'call', password: definition.password });
    const version = { definition, compiled };
    this.#versions.set(definition, version);
    return version;
  }
}

/** The version that a call names, or the highest. */
export function chooseDefinition(endpoint: Endpoint, method: DefinitionMethod, version: string | undefined): Definition {
  const definitions = endpoint.versions.get(method) ?? [];
  const found = version === undefined ? definitions[0] : definitions.find((definition) => definition.version === version);
  if (found === undefined) throw apiError('endpoint_version_unknown', endpoint.uri, version ?? '');
  return found;
}

/** The next version to try, unless there is none or it has been tried. */
export function rollbackOf(endpoint: Endpoint, failed: Definition, tried: readonly Definition[]): Definition | undefined {
  if (failed.rollbackVersion === null) return undefined;
  const next = endpoint.versions.get(failed.method)?.find(({ version }) => version === failed.rollbackVersion);
  return next === undefined || tried.includes(next) ? undefined : next;
}
