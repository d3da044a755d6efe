/**
 * The engines of a service, by the names that databases, paths and definitions use. `index.ts` says which engines there are; this file knows
 * none of them.
 */
import type { DbType } from '../model/entry.ts';
import type { Engine, EngineNames } from './contract/engine.ts';

export class Engines {
  readonly #byType: ReadonlyMap<DbType, Engine>;
  readonly #byName: ReadonlyMap<string, Engine>;
  readonly #announcedTypes: ReadonlySet<string>;
  readonly #announcedNames: ReadonlySet<string>;
  /** Whose rules apply where a document does not say which engine it means. */
  readonly fallback: Engine;
  /** The types, as a message lists them: `a, b or c`. */
  readonly types: string;
  /** The long names, the same way. */
  readonly names: string;

  /** `announced`: engines that clients may have heard of, though none serves them yet. */
  constructor(engines: readonly [Engine, ...Engine[]], announced: readonly EngineNames[] = []) {
    this.#byType = new Map(engines.map((engine) => [engine.type, engine]));
    this.#byName = new Map(engines.flatMap((engine) => [engine.type, ...engine.names].map((name) => [name, engine])));
    this.#announcedTypes = new Set(announced.map(({ type }) => type));
    this.#announcedNames = new Set(announced.flatMap(({ type, names }) => [type, ...names]));
    [this.fallback] = engines;
    this.types = listed(engines.map(({ type }) => type));
    this.names = engines.map(({ names, type }) => names[0] ?? type).join(', ');
  }

  /** By its type; undefined when there is none. */
  find(type: string): Engine | undefined {
    return this.#byType.get(type);
  }

  /** By any of its names. */
  named(name: string): Engine | undefined {
    return this.#byName.get(name);
  }

  isAnnounced(type: string): boolean {
    return this.#announcedTypes.has(type);
  }

  isNameAnnounced(name: string): boolean {
    return this.#announcedNames.has(name);
  }
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
