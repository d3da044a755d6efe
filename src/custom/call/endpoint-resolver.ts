/**
 * Resolves space, path, method and version to a compiled definition. A definition is compiled when
 * it is first called; the result lives as long as the store's record that it was made from.
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
import { memo } from '../../util/memo.ts';
import { readDocumentSlices } from '../document/document.ts';
import { UriPatterns } from '../document/uri-patterns.ts';
import { type Compiled, compileDefinition } from '../program/compile.ts';
import { StepCache } from '../steps/step-cache.ts';

export interface Version {
  readonly definition: Definition;
  readonly compiled: Compiled;
}

/** Path of a call: its decoded segments, and the literal uri that they form. */
export interface CallPath {
  readonly uri: string;
  readonly segments: readonly string[];
}

export const NO_MODULES: LarkModules = new Map();

/** The store replaces the list of a space as a whole when it changes. */
const patternsOf = memo((shapes: readonly string[]) => new UriPatterns(shapes));

export class EndpointResolver {
  /** Compiled steps, shared by the definitions of all projects. */
  readonly stepCache = new StepCache();
  readonly #store: Store;
  readonly #engines: Engines;
  readonly #versions = new WeakMap<Definition, Version>();
  /** Concurrent callers share a compilation. */
  readonly #compiling = new Map<Definition, Promise<Version>>();

  constructor(store: Store, engines: Engines) {
    this.#store = store;
    this.#engines = engines;
  }

  /**
   * Synchronous for a known literal uri. Literal segments take precedence over braces, from left to
   * right.
   */
  endpoint(scope: SpaceScope, path: CallPath, method: DefinitionMethod): MaybePromise<Endpoint> {
    return after(this.#store.endpoint(scope.orgId, scope.projectId, scope.spaceId, path.uri), (literal) =>
      literal?.versions.has(method) === true ? literal : this.#matchPatterns(scope, path, method, literal),
    );
  }

  async #matchPatterns(
    { orgId, projectId, spaceId }: SpaceScope,
    { uri, segments }: CallPath,
    method: DefinitionMethod,
    literal: Endpoint | undefined,
  ): Promise<Endpoint> {
    const shapes = (await this.#store.patterns(orgId, projectId, spaceId)) ?? [];
    const otherMethods: Endpoint[] = literal === undefined ? [] : [literal];
    for (const shape of patternsOf(shapes).match(segments)) {
      const endpoint = await this.#store.endpoint(orgId, projectId, spaceId, shape);
      if (endpoint?.versions.has(method) === true) return endpoint;
      if (endpoint !== undefined) otherMethods.push(endpoint);
    }
    if (otherMethods.length === 0) throw apiError('endpoint_unknown', uri);
    const allowed = new Set(otherMethods.flatMap(({ versions }) => [...versions.keys()].map((name) => name.toUpperCase())));
    throw apiError('method_not_allowed', method.toUpperCase(), [...allowed].join(', '));
  }

  async modules(scope: SpaceScope): Promise<LarkModules> {
    const modules = this.#store.modules(scope.orgId, scope.projectId, scope.spaceId);
    return (modules instanceof Promise ? await modules : modules) ?? NO_MODULES;
  }

  /** Synchronous if the version has been called before. */
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
    // After a restart, many definitions are compiled at once.
    await nextSlice(scope.projectId);
    const document = await runCooperatively(readDocumentSlices(definition.document, this.#engines), scope.projectId);
    const needsModules = document.logic.some(({ kind }) => kind === 'lark');
    const modules = needsModules ? await this.modules(scope) : NO_MODULES;
    const { stepCache } = this;
    const compiled = await compileDefinition(document, { tenant: scope, modules, stage: 'call', password: definition.password, stepCache });
    const version = { definition, compiled };
    this.#versions.set(definition, version);
    return version;
  }
}

/** Returns the requested version, or the highest one. */
export function chooseDefinition(endpoint: Endpoint, method: DefinitionMethod, version: string | undefined): Definition {
  const definitions = endpoint.versions.get(method) ?? [];
  const chosen = version === undefined ? definitions[0] : definitions.find((definition) => definition.version === version);
  if (chosen === undefined) throw apiError('endpoint_version_unknown', endpoint.uri, version ?? '');
  return chosen;
}

/** Returns the rollback version of a failed one, unless it was tried already. */
export function rollbackOf(endpoint: Endpoint, failed: Definition, tried: readonly Definition[]): Definition | undefined {
  if (failed.rollbackVersion === null) return undefined;
  const next = endpoint.versions.get(failed.method)?.find(({ version }) => version === failed.rollbackVersion);
  return next === undefined || tried.includes(next) ? undefined : next;
}
