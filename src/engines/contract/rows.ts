/**
 * Results of our own statements (catalogs, counts) as arrays of strings, with the size limit of a
 * message. Must not be used for rows that a client requested.
 */
import type { Backpressure, Cells, ResultColumn, RowSink } from '../../model/cells.ts';
import type { ParamValue, Statement } from '../../sql/statement.ts';
import { SLICE_BYTES } from '../../util/concurrency/loop-scheduler.ts';
import { PacedFlow } from '../../util/concurrency/paced-flow.ts';
import { allOver, type Connection, type SchemaReadOptions, type StatementRun } from './engine.ts';
import { LIMITS, malformed } from './limits.ts';

export type TextRow = readonly (string | null)[];

/** Approximate size of a row and a value besides the text. */
const ROW_BYTES = 32;
const VALUE_BYTES = 24;

export class TextRows implements RowSink {
  readonly rows: (string | null)[][] = [];
  readonly #owner: string | undefined;
  #flow: PacedFlow | undefined;
  #width = 0;
  #bytes = 0;

  /** `owner`: the tenant whose time slices are used. Only needed for results with many rows. */
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
    // A NULL has no size of its own: its end belongs to another row.
    for (let i = 0; i < this.#width; i++) size += VALUE_BYTES + ((from[i] ?? -1) < 0 ? 0 : (to[i] ?? 0) - (from[i] ?? 0));
    this.#bytes += size;
    this.#flow?.spend(size);
    if (this.#bytes > LIMITS.messageBytes) throw malformed(`a catalog of more than ${LIMITS.messageBytes} bytes`);
  }
}

/**
 * Runs the statements with the same parameters and returns the rows of each. `snapshot` reads all
 * of them from one snapshot, `pipelined` sends them in one write. Both fall back to sequential
 * statements.
 */
export async function queryAll(
  connection: Connection,
  statements: readonly Statement[],
  params: readonly ParamValue[],
  options: SchemaReadOptions,
  mode: 'snapshot' | 'pipelined',
): Promise<readonly (readonly TextRow[])[]> {
  const runs = statements.map((statement) => ({ statement, params, sink: new TextRows(options.owner) }));
  if (mode === 'pipelined') await runPipelined(connection, runs, options);
  else await runInSnapshot(connection, runs, options);
  return runs.map(({ sink }) => sink.rows);
}

async function runPipelined(connection: Connection, runs: readonly StatementRun[], options: SchemaReadOptions): Promise<void> {
  connection.cork?.();
  const sent = runs.map(({ statement, params, sink }) => connection.run(statement, params, options, sink));
  connection.uncork?.();
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
    // The transaction may still be open.
    await connection.rollback({ timeoutMs: options.timeoutMs }).catch(() => connection.close());
    throw error;
  }
}

/** Groups rows by the value of one column. */
export function groupRows<R extends TextRow>(rows: readonly R[], at: number): ReadonlyMap<string, readonly R[]> {
  const groups = new Map<string, R[]>();
  for (const row of rows) {
    const group = groups.get(row[at] ?? '');
    if (group === undefined) groups.set(row[at] ?? '', [row]);
    else group.push(row);
  }
  return groups;
}
