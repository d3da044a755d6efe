/**
 * The Custom endpoints that a caller's roles permit, one per URI and method.
 * Definitions are parsed but not compiled, each once for as long as the store caches it.
 */
import { createHash } from 'node:crypto';
import { type DefinitionDocument, readDocumentSlices } from '../custom/document/document.ts';
import type { Engines } from '../engines/registry.ts';
import type { SpaceCaller } from '../model/caller.ts';
import { type Definition, type DefinitionSummary, shapeOf } from '../model/definition.ts';
import type { Store } from '../store/store.ts';
import { nextSlice } from '../util/concurrency/loop-scheduler.ts';
import { runCooperatively } from '../util/concurrency/slices.ts';
import { answerOf } from './answers.ts';
import type { DescribedEndpoint } from './description.ts';

export interface FoundEndpoints {
  readonly endpoints: readonly DescribedEndpoint[];
  readonly key: string;
}

interface ReadDefinition {
  readonly permission: readonly string[];
  readonly described: Omit<DescribedEndpoint, 'needsVersion' | 'otherVersions'>;
}

export class Endpoints {
  readonly #store: Store;
  readonly #engines: Engines;
  readonly #read = new WeakMap<Definition, ReadDefinition>();

  constructor(store: Store, engines: Engines) {
    this.#store = store;
    this.#engines = engines;
  }

  async find(caller: SpaceCaller): Promise<FoundEndpoints> {
    const summaries = await this.#store.listDefinitions(caller);
    const seen = new Set<string>();
    const key = createHash('sha256');
    const endpoints: DescribedEndpoint[] = [];
    for (const { uri, method } of summaries) {
      const name = `${method} ${shapeOf(uri)}`;
      if (seen.has(name)) continue;
      seen.add(name);
      const found = await this.#endpoint(caller, { uri, method });
      if (found === undefined) continue;
      endpoints.push(found.endpoint);
      key.update(found.key);
    }
    return { endpoints, key: key.digest('base64url') };
  }

  async #endpoint(
    caller: SpaceCaller,
    { uri, method }: Pick<DefinitionSummary, 'uri' | 'method'>,
  ): Promise<{ readonly endpoint: DescribedEndpoint; readonly key: string } | undefined> {
    const { orgId, projectId, spaceId } = caller;
    const kept = this.#store.endpoint(orgId, projectId, spaceId, shapeOf(uri));
    const versions = (kept instanceof Promise ? await kept : kept)?.versions.get(method) ?? [];
    const permitted: { definition: Definition; described: ReadDefinition['described'] }[] = [];
    for (const definition of versions) {
      const found = await this.#find(projectId, definition);
      if (found?.permission.some((role) => caller.roles.has(role)) === true) permitted.push({ definition, described: found.described });
    }
    const [first, ...others] = permitted;
    if (first === undefined) return undefined;
    return {
      endpoint: {
        ...first.described,
        needsVersion: first.definition !== versions[0],
        otherVersions: others.map(({ definition }) => definition.version),
      },
      key: permitted.map(({ definition }) => `${definition.definitionId} ${definition.revision}`).join(),
    };
  }

  /** `undefined` if the definition can no longer be parsed. Calls of it fail, too. */
  async #find(projectId: string, definition: Definition): Promise<ReadDefinition | undefined> {
    const known = this.#read.get(definition);
    if (known !== undefined) return known;
    await nextSlice(projectId);
    try {
      const document = await runCooperatively(readDocumentSlices(definition.document, this.#engines), projectId);
      const found = { permission: document.permission, described: describeEndpoint(document) };
      this.#read.set(definition, found);
      return found;
    } catch {
      return undefined;
    }
  }
}

function describeEndpoint(document: DefinitionDocument): ReadDefinition['described'] {
  const { uri, method, version, about, inputType, inputs, config } = document;
  return { uri, method, version, about, inputType, inputs, answer: answerOf(document), isTool: config.tool };
}
