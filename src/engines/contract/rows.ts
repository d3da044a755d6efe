/**
 * A sink for small results of our own statements (catalogues, counts): rows as arrays of strings, bounded like a message.
 * Never used for a caller's rows.
 */
import type { Backpressure, Cells, ResultColumn, RowSink } from '../../model/cells.ts';
import type { ParamValue, Statement } from '../../sql/statement.ts';
import { SLICE_BYTES } from '../../util/concurrency/loop-scheduler.ts';
import { PacedFlow } from '../../util/concurrency/paced-flow.ts';
import { allOver, type Connection, type SchemaReadOptions, type StatementRun } from './engine.ts';
import { LIMITS, malformed } from './limits.ts';

export type TextRow = readonly (string | null)[];

/** About what a row and a value take beside the text. */
const ROW_BYTES = 32;
const VALUE_BYTES = 24;

export class TextRows implements RowSink {
  readonly rows: (string | null)[][] = [];
  readonly #owner: string | undefined;
  #flow: PacedFlow | undefined;
  #width = 0;
  #bytes = 0;

  /** `owner`: many rows are read in turns with others. */
  constructor(owner?: string) {
    this.#owner = owner;
  }

  start(columns: readonly ResultColumn[], flow: Backpressure): void {
    this.#width = columns.length;
    if (this.#owner !== undefined) this.#flow = new PacedFlow(flow, this.#owner, SLICE_BYTES);
  }

  row(cells: Cells): void {
    this.#count(cells);
    const row: (string | null)[] = [];
    for (let i = 0; i < this.#width; i++) {
      const from = cells.from[i] ?? -1;
      row.push(from < 0 ? null : cells.bytes.toString('utf8', from, cells.to[i]));
    }
    this.rows.push(row);
  }

  #count({ from, to }: Cells): void {
    let size = ROW_BYTES;
    // Where a value is NULL, its end is that of some other row.
    for (let i = 0; i < this.#width; i++) size += VALUE_BYTES + ((from[i] ?? -1) < 0 ? 0 : (to[i] ?? 0) - (from[i] ?? 0));
    this.#bytes += size;
    this.#flow?.spend(size);
    if (this.#bytes > LIMITS.messageBytes) throw malformed(`a catalogue of more than ${LIMITS.messageBytes} bytes`);
  }
}

/**
 * The rows of each statement. Where the engine can, all are sent at once; `of one moment`: and read in a snapshot. The parameters are the same for all.
 */
export async function rowsTogether(
  connection: Connection,
  statements: readonly Statement[],
  params: readonly ParamValue[],
  options: SchemaReadOptions,
  as: 'of one moment' | 'one after the other',
): Promise<readonly (readonly TextRow[])[]> {
  const runs = statements.map((statement) => ({ statement, params, sink: new TextRows(options.owner) }));
  if (as === 'one after the other') await runHeld(connection, runs, options);
  else await runInSnapshot(connection, runs, options);
  return runs.map(({ sink }) => sink.rows);
}

async function runHeld(connection: Connection, runs: readonly StatementRun[], options: SchemaReadOptions): Promise<void> {
  connection.hold?.(false);
  const sent = runs.map(({ statement, params, sink }) => connection.run(statement, params, options, sink));
  connection.send?.();
  await allOver(sent);
}

async function runInSnapshot(connection: Connection, runs: readonly StatementRun[], options: SchemaReadOptions): Promise<void> {
  if (connection.beginSnapshot === undefined || connection.runTogether === undefined) {
    for (const { statement, params, sink } of runs) await connection.run(statement, params, options, sink);
    return;
  }
  await connection.beginSnapshot(options);
  try {
    await connection.runTogether(runs, options, true);
  } catch (error) {
    // It may have failed before its end was sent.
    await connection.rollback({ timeoutMs: options.timeoutMs }).catch(() => connection.close());
    throw error;
  }
}

/** Rows by what they have in one of their columns. */
export function groupRows<R extends TextRow>(rows: readonly R[], at: number): ReadonlyMap<string, readonly R[]> {
  const groups = new Map<string, R[]>();
  for (const row of rows) {
    const group = groups.get(row[at] ?? '');
    if (group === undefined) groups.set(row[at] ?? '', [row]);
    else group.push(row);
  }
  return groups;
}
