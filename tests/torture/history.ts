// What was written and what was answered, and whether both agree with what stands in the tables at the end: what was acknowledged is there
// exactly once, what was said not to have happened is not, and every batch is there as a whole or not at all. Knows no engine.
import type { Ending } from './client.ts';

type Claim = 'there' | 'absent' | 'unknown';

interface Batch {
  readonly rows: number;
  claim: Claim;
}

/** How often a batch's rows were found, by direct look at the database. */
export interface Found {
  readonly batch: string;
  readonly rows: number;
}

/** What an ending says about the effect of a write. */
function claimOf(ending: Ending): Claim {
  if (ending.kind !== 'answer') return 'unknown';
  const { status, headers } = ending;
  if (status < 300) return 'there';
  if (headers['x-outcome'] === 'none') return 'absent';
  if (headers['x-outcome'] === 'unknown') return 'unknown';
  return status < 500 && status !== 424 && status !== 408 ? 'absent' : 'unknown';
}

export class History {
  readonly #batches = new Map<string, Batch>();

  begin(batch: string, rows: number): void {
    this.#batches.set(batch, { rows, claim: 'unknown' });
  }

  end(batch: string, ending: Ending): void {
    const known = this.#batches.get(batch);
    if (known !== undefined) known.claim = claimOf(ending);
  }

  count(claim: Claim): number {
    return [...this.#batches.values()].filter((batch) => batch.claim === claim).length;
  }

  /** Every disagreement, in words. */
  check(found: readonly Found[]): string[] {
    const rows = new Map(found.map(({ batch, rows: count }) => [batch, count]));
    const wrong: string[] = [];
    for (const [batch, { rows: wanted, claim }] of this.#batches) {
      const there = rows.get(batch) ?? 0;
      rows.delete(batch);
      if (claim === 'there' && there < wanted) wrong.push(`${batch} was acknowledged and has ${there} of ${wanted} rows`);
      else if (claim === 'absent' && there > 0) wrong.push(`${batch} was said not to be there and has ${there} rows`);
      else if (there > wanted) wrong.push(`${batch} is there more than once: ${there} rows instead of ${wanted} (${claim})`);
      else if (there !== 0 && there !== wanted) wrong.push(`${batch} is there by half: ${there} of ${wanted} rows (${claim})`);
    }
    for (const [batch, there] of rows) wrong.push(`${batch} was never sent and has ${there} rows`);
    return wrong;
  }
}
