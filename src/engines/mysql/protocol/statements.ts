/**
 * The prepared statements of one connection: found again by text and parameter types, bounded, the least used given back to the server.
 * Knows nothing of sockets.
 */
import type { Statement } from '../../../sql/statement.ts';
import type { MysqlStatement } from '../statement.ts';
import { signature } from './parameters.ts';

export interface Prepared {
  readonly id: number;
  readonly text: string;
  /** What its parameters are sent as; one text may be used with several. */
  readonly signature: string;
  readonly parameters: number;
  used: number;
}

export function makePrepared({ text, types }: Statement, id: number): Prepared {
  return { id, text, signature: signature(types), parameters: types.length, used: 0 };
}

const MOST = 100;
/** Statements with more parameters than this are used once, unless they are for rows, whose number has come before: they are large on the server. */
const PARAMETERS_MOST = 500;
/** All of them together: some hundred bytes each, on the server. */
const ALL_PARAMETERS_MOST = 20_000;

export class PreparedStatements {
  /** By text; under one text by signature, of which there is hardly ever more than one. */
  readonly #kept = new Map<string, Prepared[]>();
  #count = 0;
  #parameters = 0;
  #uses = 0;

  find({ text, types }: Statement): Prepared | undefined {
    const candidates = this.#kept.get(text);
    if (candidates === undefined) return undefined;
    const wanted = signature(types);
    for (const prepared of candidates) {
      if (prepared.signature !== wanted) continue;
      prepared.used = ++this.#uses;
      return prepared;
    }
    return undefined;
  }

  /** Is it worth keeping? */
  keeps({ types, rows }: MysqlStatement): boolean {
    return types.length <= PARAMETERS_MOST || rows !== undefined;
  }

  /** Keeps a statement; returns those that had to make room. */
  keep(prepared: Prepared): readonly Prepared[] {
    const evicted: Prepared[] = [];
    while (this.#count >= MOST || (this.#count > 0 && this.#parameters + prepared.parameters > ALL_PARAMETERS_MOST)) {
      const least = this.#leastUsed();
      if (least === undefined) break;
      this.forget(least);
      evicted.push(least);
    }
    prepared.used = ++this.#uses;
    const candidates = this.#kept.get(prepared.text);
    if (candidates === undefined) this.#kept.set(prepared.text, [prepared]);
    else candidates.push(prepared);
    this.#count++;
    this.#parameters += prepared.parameters;
    return evicted;
  }

  forget(prepared: Prepared): void {
    const candidates = this.#kept.get(prepared.text);
    const index = candidates?.indexOf(prepared) ?? -1;
    if (candidates === undefined || index < 0) return;
    this.#count--;
    this.#parameters -= prepared.parameters;
    candidates.splice(index, 1);
    if (candidates.length === 0) this.#kept.delete(prepared.text);
  }

  clear(): void {
    this.#kept.clear();
    this.#count = 0;
    this.#parameters = 0;
  }

  #leastUsed(): Prepared | undefined {
    let found: Prepared | undefined;
    for (const candidates of this.#kept.values())
      for (const prepared of candidates) if (found === undefined || prepared.used < found.used) found = prepared;
    return found;
  }
}
