/**
 * The prepared statements of one connection: found again by text and parameter types, bounded, the least used given back to the server.
 * Knows nothing of sockets.
 */
import type { Statement } from '../../sql/statement.ts';
import { signature } from './parameters.ts';

export interface Prepared {
  readonly id: number;
  readonly text: string;
}

const MOST = 100;
/** Statements with more parameters than this are used once: they are large on the server, and their shape rarely comes again. */
const PARAMETERS_MOST = 500;

export class PreparedStatements {
  /** In order of use: a Map keeps insertion order, and a used statement is inserted anew. */
  readonly #kept = new Map<string, Prepared>();

  /** The key under which a statement is kept; undefined for one that is not. */
  key(statement: Statement): string | undefined {
    if (statement.types.length > PARAMETERS_MOST) return undefined;
    return `${signature(statement.types)}\n${statement.text}`;
  }

  find(key: string): Prepared | undefined {
    const found = this.#kept.get(key);
    if (found === undefined) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, found);
    return found;
  }

  /** Keeps a statement; returns the one that had to make room. */
  keep(key: string, prepared: Prepared): Prepared | undefined {
    this.#kept.set(key, prepared);
    if (this.#kept.size <= MOST) return undefined;
    const [oldest] = this.#kept;
    if (oldest === undefined) return undefined;
    this.#kept.delete(oldest[0]);
    return oldest[1];
  }

  forget(key: string): void {
    this.#kept.delete(key);
  }

  /** Empties it; returns what was in it. */
  clear(): readonly Prepared[] {
    const all = [...this.#kept.values()];
    this.#kept.clear();
    return all;
  }
}
