/**
 * Reads related rows with one statement per item and level, for the keys of all parent rows. Where
 * the connection can, the statements of a level are sent together.
 */
import type { StatementRun } from '../../engines/contract/engine.ts';
import type { Column } from '../../model/table.ts';
import { compileRelated } from '../../sql/compile/related-rows.ts';
import type { Expansion } from '../plan/plan-expand.ts';
import { maskedSink } from '../rows/mask-sink.ts';
import type { RowStore } from '../rows/row-store.ts';
import type { AutoSession } from '../session.ts';
import type { ReadItem, ReadRows } from './expanded-rows.ts';
import { distinctKeys, type KeyId, keyId, NO_KEY, parentKeyCells, relatedKey, relatedKeyCells, withEqualityColumns } from './row-keys.ts';

/** Rows whose items are read. `rows` lists the relevant rows; all if undefined. */
export interface ParentRows {
  readonly store: RowStore;
  readonly columns: readonly Column[];
  readonly rows: readonly number[] | undefined;
}

/** The statement of an item, and where its rows go. */
interface ItemRead {
  readonly expansion: Expansion;
  /** Id of the key of each parent row. */
  readonly ids: readonly (KeyId | undefined)[];
  readonly columns: readonly Column[];
  readonly store: RowStore;
  /** `undefined` if no parent row has a key. */
  readonly run?: StatementRun;
}

export class RelatedReader {
  /** Paths of lists that have more rows than are shown. */
  readonly truncated: string[] = [];
  /** `true` once the snapshot was ended together with the last statement. */
  hasEndedSnapshot = false;
  readonly #session: AutoSession;
  readonly #newStore: (width: number) => RowStore;

  constructor(session: AutoSession, newStore: (width: number) => RowStore) {
    this.#session = session;
    this.#newStore = newStore;
  }

  /** Reads the items of the page. */
  readAll(expansions: readonly Expansion[], parents: ParentRows): Promise<readonly ReadItem[]> {
    const isLastLevel = expansions.every(({ nested }) => nested.length === 0);
    return this.#readLevel(expansions, parents, '', isLastLevel);
  }

  async #readLevel(
    expansions: readonly Expansion[],
    parents: ParentRows,
    path: string,
    endsSnapshot: boolean,
  ): Promise<readonly ReadItem[]> {
    const reads = expansions.map((expansion) => this.#prepare(expansion, parents));
    const runs = reads.flatMap(({ run }) => run ?? []);
    if (runs.length > 0) await this.#run(runs, endsSnapshot);
    const items: ReadItem[] = [];
    for (const read of reads) items.push(await this.#collect(read, path));
    return items;
  }

  #prepare(expansion: Expansion, { store: parents, columns: parentColumns, rows: parentRows }: ParentRows): ItemRead {
    const { dialect } = this.#session.engine;
    const { rows, nested } = expansion;
    const { link } = rows;
    const { keys, ids } = distinctKeys(parents, parentRows, parentKeyCells(link, parentColumns, dialect), relatedKey(link));
    const columns = withEqualityColumns(
      rows.select.columns,
      nested.flatMap((one) => one.rows.link.columns),
      dialect,
    );
    const store = this.#newStore(columns.length + relatedKey(link).length);
    const read = { expansion, ids, columns, store };
    if (keys.length === 0) return read;
    const select = columns === rows.select.columns ? rows.select : { ...rows.select, columns };
    return { ...read, run: { ...compileRelated({ link, select }, keys, dialect), sink: maskedSink(select, store) } };
  }

  async #run(runs: readonly StatementRun[], endsSnapshot: boolean): Promise<void> {
    const { connection, options } = this.#session;
    if (connection.runTogether !== undefined) {
      this.hasEndedSnapshot = endsSnapshot;
      await connection.runTogether(runs, options, endsSnapshot);
      return;
    }
    for (const { statement, params, sink } of runs) await connection.run(statement, params, options, sink);
  }

  /** Groups the rows that were read by their key, and reads their nested items. */
  async #collect({ expansion, ids, columns, store }: ItemRead, path: string): Promise<ReadItem> {
    const { key, kind, rows, size, nested, visible } = expansion;
    const cells = relatedKeyCells(columns.length, rows.link, this.#session.engine.dialect);
    const groups = new Map<KeyId, number[]>();
    const used: number[] = [];
    let isTruncated = false;
    for (let row = 0; row < store.count; row++) {
      const id = keyId(store, row, cells) ?? '';
      const group = groups.get(id);
      if (group !== undefined && group.length >= size) {
        isTruncated = kind === 'many';
        continue;
      }
      if (group === undefined) groups.set(id, [row]);
      else group.push(row);
      used.push(row);
    }
    const itemPath = `${path}${headerText(key)}`;
    if (isTruncated) this.truncated.push(itemPath);
    const items = await this.#readLevel(nested, { store, columns, rows: used }, `${itemPath}.`, false);
    const read: ReadRows = { shape: expansion, store, columns: store.columns, first: 0, visible, items };
    return { key, kind, rows: read, of: (row) => groups.get(ids[row] ?? NO_KEY) ?? NO_ROWS };
  }
}

const NO_ROWS: readonly number[] = [];

/** Escapes a key for a header. */
export function headerText(key: string): string {
  return key.replace(/[^\x21-\x7e]|[,.%]/gu, encodeURIComponent);
}
