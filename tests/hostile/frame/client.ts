// Runs a script with our driver on one connection, and collects results and error messages.
import { type Connection, DbFailure, type Engine, type RunOptions, type StopSignal } from '../../../src/engines/contract/engine.ts';
import type { RowWriter } from '../../../src/formats/format.ts';
import { formatByName } from '../../../src/formats/index.ts';
import type { Cells, ResultColumn, RowSink } from '../../../src/model/cells.ts';
import type { Entry, Host } from '../../../src/model/entry.ts';
import { ByteWriter } from '../../../src/util/bytes/byte-writer.ts';
import type { Script, Step } from './protocol.ts';

export interface Played {
  /** Bytes of results and error messages. */
  readonly seen: readonly Buffer[];
  /** The error that ended the script. `undefined` if it completed. */
  readonly failure: unknown;
}

/** Collects rows as a response of the service would. */
class Answers implements RowSink {
  readonly pieces: Buffer[] = [];
  readonly #format: string;
  readonly #out = new ByteWriter(64 * 1024, (piece) => {
    this.pieces.push(Buffer.from(piece.bytes));
    piece.release();
  });
  #writer: RowWriter | undefined;

  constructor(format: string) {
    this.#format = format;
  }

  start(columns: readonly ResultColumn[]): void {
    this.#writer = formatByName(this.#format)?.rows(columns, this.#out);
  }

  row(cells: Cells): void {
    this.#writer?.row(cells);
    this.#out.flushIfFull();
  }

  end(): void {
    this.#writer?.end();
    this.pieces.push(this.#out.take().bytes);
  }
}

export interface PlayOptions {
  readonly format: string;
  readonly signal?: StopSignal;
}

const TIMEOUT_MS = 5000;

export async function playScript(engine: Engine, entry: Entry, host: Host, script: Script, options: PlayOptions): Promise<Played> {
  const seen: Buffer[] = [];
  const run: RunOptions = { timeoutMs: TIMEOUT_MS, signal: options.signal };
  let connection: Connection | undefined;
  // Some waits are internal to the driver (resetting a session), and end only with the connection.
  const leave = (): void => connection?.close();
  try {
    connection = await engine.connect(entry, { host, address: host.host, ...run });
    options.signal?.addEventListener('abort', leave);
    for (const step of script.steps) await play(engine, connection, step, { run, format: options.format, seen });
    return { seen, failure: undefined };
  } catch (failure) {
    seen.push(...wordsOf(failure));
    return { seen, failure };
  } finally {
    options.signal?.removeEventListener('abort', leave);
    connection?.close();
  }
}

interface Stage {
  readonly run: RunOptions;
  readonly format: string;
  readonly seen: Buffer[];
}

async function play(engine: Engine, connection: Connection, step: Step, { run, format, seen }: Stage): Promise<void> {
  switch (step.do) {
    case 'run':
    case 'fail': {
      const sink = new Answers(format);
      try {
        await connection.run(step.statement, step.params, run, sink);
      } catch (error) {
        // An expected rejection continues the script; a lost connection does not.
        if (step.do === 'run' || !connection.usable) throw error;
        seen.push(...wordsOf(error));
      } finally {
        sink.end();
        seen.push(...sink.pieces);
      }
      return;
    }
    case 'describe': {
      const table = await engine.catalog.describe(connection, { schema: undefined, table: step.table }, run);
      seen.push(Buffer.from(JSON.stringify(table?.columns ?? null, (_, value) => (typeof value === 'bigint' ? String(value) : value))));
      return;
    }
    case 'reset':
      if (!(await connection.reset())) throw new DbFailure('lost', 'the session could not be reset');
      return;
    default:
      await connection[step.do](run);
  }
}

/** Everything of an error that could reach a response or a log. */
function wordsOf(error: unknown): Buffer[] {
  const words: Buffer[] = [];
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    words.push(Buffer.from(one.message));
    if (one instanceof DbFailure) words.push(Buffer.from(`${one.code} ${one.column ?? ''} ${one.constraint ?? ''}`));
  }
  return words;
}
