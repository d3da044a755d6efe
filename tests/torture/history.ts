// Records writes and their responses, and compares them with the tables at the end: acknowledged
// rows exist exactly once, denied ones do not exist, and every batch is complete or absent.
import type { Ending } from './client.ts';

type Claim = 'there' | 'absent' | 'unknown';

interface Batch {
  readonly rows: number;
  claim: Claim;
}

/** Number of times that the rows of a batch were found in the database. */
export interface Found {
  readonly batch: string;
  readonly rows: number;
}

/** Effect of a write that an ending claims. */
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

  /** Describes every disagreement. */
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
