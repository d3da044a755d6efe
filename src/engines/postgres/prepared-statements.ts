/**
 * The prepared statements of one connection, by text: each text is prepared once, and the least
 * recently used ones are closed.
 */
import { BoundedMap } from '../../util/bounded-map.ts';
import type { DbFailure } from '../contract/engine.ts';
import { type Prepared, type QueryAnswer, unparsed } from './protocol/answer.ts';
import type { Outgoing } from './protocol/outgoing.ts';

const MAX_PREPARED = 100;

export class PreparedStatements {
  readonly #out: Outgoing;
  readonly #byText: BoundedMap<string, Prepared>;
  #counter = 0;
  /** `false` behind a pooler that does not keep the prepared statements of its clients apart. */
  #areNamed = true;

  constructor(out: Outgoing) {
    this.#out = out;
    this.#byText = new BoundedMap(MAX_PREPARED, { evicted: ({ name }) => out.closeStatement(name) });
  }

  find(text: string): Prepared | undefined {
    return this.#areNamed ? this.#byText.get(text) : undefined;
  }

  /** Writes what prepares a text. */
  prepare(text: string): Prepared {
    const prepared = unparsed(this.#areNamed ? `m${++this.#counter}` : '');
    if (this.#areNamed) this.#byText.set(text, prepared);
    this.#out.parse(prepared.name, text);
    return prepared;
  }

  /**
   * A statement that was never accepted, or whose plan is older than its table, must be prepared
   * again.
   */
  failed({ asked: { statement, prepared, reused }, bound }: QueryAnswer, { code, kind }: DbFailure): void {
    if (code === '42P05' || (code === '26000' && prepared?.parsed === true)) this.#areNamed = false;
    if (statement === undefined || prepared === undefined) return;
    if (prepared.parsed && kind !== 'stale' && (bound || !reused)) return;
    if (this.#byText.get(statement.text) === prepared) this.#byText.delete(statement.text);
    if (prepared.parsed) this.#out.closeStatement(prepared.name);
  }
}
