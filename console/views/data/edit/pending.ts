/** Changes that were typed and not sent yet, by the key of their row. */
import { computed, signal } from '@preact/signals';
import type { Column } from '../../../api/types.ts';
import { plainText } from '../rows/cell-text.ts';
import type { RawRow } from '../rows/row-store.ts';

/** A row as the database has it, and its entity tag where the engine has one. */
export interface ReadRow {
  readonly row: RawRow;
  readonly etag: string | undefined;
}

export interface RowEdit {
  readonly key: string;
  /** As it was shown when editing began. */
  readonly before: RawRow;
  /** The row as it was read when editing began. Rejects if it could not be read. */
  readonly read: Promise<ReadRow>;
  /** JSON of the new values by column. */
  readonly changes: ReadonlyMap<string, string>;
}

export class PendingEdits {
  readonly edits = signal<ReadonlyMap<string, RowEdit>>(new Map());
  /** Number of changed values. */
  readonly count = computed(() => [...this.edits.value.values()].reduce((sum, { changes }) => sum + changes.size, 0));

  change(key: string, column: string): string | undefined {
    return this.edits.peek().get(key)?.changes.get(column);
  }

  /** Keeps a value. `begin` makes the edit if it is the first one of its row. */
  set(key: string, column: string, raw: string, begin: () => Omit<RowEdit, 'key' | 'changes'>): void {
    const edit = this.edits.peek().get(key) ?? { ...begin(), key, changes: new Map() };
    const changes = new Map(edit.changes);
    changes.set(column, raw);
    this.#put({ ...edit, changes });
  }

  drop(key: string, column: string): void {
    const edit = this.edits.peek().get(key);
    if (edit === undefined) return;
    const changes = new Map(edit.changes);
    changes.delete(column);
    this.#put({ ...edit, changes });
  }

  /** Continues from another state of the row; what was typed stays. */
  rebase(key: string, before: RawRow, read: Promise<ReadRow>): void {
    const edit = this.edits.peek().get(key);
    if (edit !== undefined) this.#put({ ...edit, before, read });
  }

  forget(keys: Iterable<string>): void {
    const edits = new Map(this.edits.peek());
    for (const key of keys) edits.delete(key);
    this.edits.value = edits;
  }

  clear(): void {
    this.edits.value = new Map();
  }

  #put(edit: RowEdit): void {
    const edits = new Map(this.edits.peek());
    if (edit.changes.size === 0) edits.delete(edit.key);
    else edits.set(edit.key, edit);
    this.edits.value = edits;
  }
}

/** JSON of a typed text: JSON as typed, `true` and `false` for booleans, else a string. */
export function rawOfTyped(text: string, { kind }: Column): string {
  if (kind === 'json') return text;
  if (kind === 'bool' && (text === 'true' || text === 'false')) return text;
  return JSON.stringify(text);
}

/** `undefined` if the text can be sent, else the reason. */
export function problemOfTyped(text: string, { kind }: Column): string | undefined {
  if (kind !== 'json') return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return 'This is not valid JSON. A text needs double quotes.';
  }
}

/** `true` if both are the same value: `"5"` and `5` are in a column of numbers. */
export function isSameValue(raw: string | undefined, other: string, { kind }: Column): boolean {
  const isNull = raw === undefined || raw === 'null';
  if (isNull || other === 'null') return isNull && other === 'null';
  return plainText(raw, kind) === plainText(other, kind);
}
