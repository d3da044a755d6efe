/**
 * Looks up engines by the names that databases, paths and definitions use. Must not import an
 * engine.
 */
import type { DbType } from '../model/entry.ts';
import type { Engine, EngineNames } from './contract/engine.ts';

export class Engines {
  readonly #byType: ReadonlyMap<DbType, Engine>;
  readonly #byName: ReadonlyMap<string, Engine>;
  readonly #announcedTypes: ReadonlySet<string>;
  readonly #announcedNames: ReadonlySet<string>;
  /** The engine whose rules apply where a document does not name one. */
  readonly fallback: Engine;
  /** The types as a message lists them: `a, b or c`. */
  readonly types: string;
  /** The long names, in the same way. */
  readonly names: string;

  /** `announced`: engines that are planned but not implemented. */
  constructor(engines: readonly [Engine, ...Engine[]], announced: readonly EngineNames[] = []) {
    this.#byType = new Map(engines.map((engine) => [engine.type, engine]));
    this.#byName = new Map(engines.flatMap((engine) => [engine.type, ...engine.names].map((name) => [name, engine])));
    this.#announcedTypes = new Set(announced.map(({ type }) => type));
    this.#announcedNames = new Set(announced.flatMap(({ type, names }) => [type, ...names]));
    [this.fallback] = engines;
    this.types = listOf(engines.map(({ type }) => type));
    this.names = engines.map(({ names, type }) => names[0] ?? type).join(', ');
  }

  /** Finds an engine by its type. */
  find(type: string): Engine | undefined {
    return this.#byType.get(type);
  }

  /** Finds an engine by any of its names. */
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

function listOf(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}
