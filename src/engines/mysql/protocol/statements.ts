/**
 * LRU cache of the prepared statements of one connection, by text and parameter types. Evicted ones
 * must be closed on the server. No I/O.
 */
import type { ResultColumn } from '../../../model/cells.ts';
import type { Statement } from '../../../sql/statement.ts';
import { BoundedMap } from '../../../util/bounded-map.ts';
import type { MysqlStatement } from '../statement.ts';
import { signature } from './parameters.ts';

export interface Prepared {
  readonly id: number;
  readonly text: string;
  /** Parameter types; one text may be used with several. */
  readonly signature: string;
  readonly parameters: number;
  /** Columns of its last unplanned result, so that what formats derive from them is reused. */
  columns: readonly ResultColumn[] | undefined;
}

export function makePrepared({ text, types }: Statement, id: number): Prepared {
  return { id, text, signature: signature(types), parameters: types.length, columns: undefined };
}

/**
 * Statements with more parameters are used once, because they are large on the server, except
 * inserts of a repeated number of rows.
 */
const MAX_PARAMETERS = 500;
/** Limit of a connection, in parameters: each takes some hundred bytes on the server. */
const MAX_TOTAL = 20_000;
/** Cost of a statement itself, in parameters: a hundred with one each fit. */
const STATEMENT = 199;

export class PreparedStatements {
  /** Statements by text; several signatures of one text are rare. */
  readonly #kept = new BoundedMap<string, readonly Prepared[]>(MAX_TOTAL, {
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

  /** `true` if the statement is worth caching. */
  keeps({ types, rows }: MysqlStatement): boolean {
    return types.length <= MAX_PARAMETERS || rows !== undefined;
  }

  /** Caches a statement and returns the evicted ones. */
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
