/**
 * The prepared statements of one connection, by text and parameter types. Bounded: the least recently used ones are closed on the server.
 * Knows nothing of sockets.
 */
import type { ResultColumn } from '../../../model/cells.ts';
import type { Statement } from '../../../sql/statement.ts';
import { BoundedMap } from '../../../util/bounded-map.ts';
import type { MysqlStatement } from '../statement.ts';
import { signature } from './parameters.ts';

export interface Prepared {
  readonly id: number;
  readonly text: string;
  /** How its parameters are sent; one text may be used with several. */
  readonly signature: string;
  readonly parameters: number;
  /** Of its last result, when nothing was planned: what formats have made of them serves again. */
  columns: readonly ResultColumn[] | undefined;
}

export function makePrepared({ text, types }: Statement, id: number): Prepared {
  return { id, text, signature: signature(types), parameters: types.length, columns: undefined };
}

/** Statements with more parameters are used once, unless they insert a number of rows that has come before: they are large on the server. */
const PARAMETERS_MOST = 500;
/** The bound of a connection, in parameters: each takes some hundred bytes on the server. */
const ALL_MOST = 20_000;
/** What a statement itself counts for, in parameters: a hundred with one each are kept. */
const STATEMENT = 199;

export class PreparedStatements {
  /** By text; under one text by signature, of which there is hardly ever more than one. */
  readonly #kept = new BoundedMap<string, readonly Prepared[]>(ALL_MOST, {
    sizeOf: (candidates) => candidates.reduce((sum, { parameters }) => sum + STATEMENT + parameters, 0),
    evicted: (candidates) => this.#evicted.push(...candidates),
  });
  #evicted: Prepared[] = [];

  find({ text, types }: Statement): Prepared | undefined {
    const candidates = this.#kept.get(text);
    if (candidates === undefined) return undefined;
    const wanted = signature(types);
    for (const prepared of candidates) if (prepared.signature === wanted) return prepared;
    return undefined;
  }

  /** Is it worth keeping? */
  keeps({ types, rows }: MysqlStatement): boolean {
    return types.length <= PARAMETERS_MOST || rows !== undefined;
  }

  /** Keeps a statement. Returns those that were evicted. */
  keep(prepared: Prepared): readonly Prepared[] {
    this.#kept.set(prepared.text, [...(this.#kept.get(prepared.text) ?? []), prepared]);
    const evicted = this.#evicted;
    this.#evicted = [];
    return evicted;
  }

  forget(prepared: Prepared): void {
    const others = this.#kept.get(prepared.text)?.filter((candidate) => candidate !== prepared) ?? [];
    if (others.length === 0) this.#kept.delete(prepared.text);
    else this.#kept.set(prepared.text, others);
  }

  clear(): void {
    this.#kept.clear();
  }
}
