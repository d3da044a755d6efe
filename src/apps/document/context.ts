/** The context that readers of blocks share: reader, inputs, and the needs that they collect. */
import type { Engines } from '../../engines/registry.ts';
import type { PlainValue } from '../../util/text/decimal.ts';
import type { AppBlock, AppInput, Need, Placed } from './app-document.ts';
import { placeholderOf } from './placeholders.ts';
import type { AppReader, Tree } from './reader.ts';
import { exactValue } from './source.ts';

/** Where a value is used: only some places have a row. */
export interface ValueScope {
  /** Collects the columns of the row that placeholders name; without it there is no row. */
  readonly row?: Placed<string>[];
}

export interface DocumentContext {
  readonly reader: AppReader;
  readonly engines: Engines;
  readonly inputs: ReadonlyMap<string, AppInput>;
  readonly needs: Need[];
  /** Reads nested blocks. */
  readonly readBlocks: (items: readonly Tree[], inRow: boolean) => readonly AppBlock[];
}

/** Result of reading the content of a block. */
export type BlockContent = Partial<Pick<AppBlock, 'text' | 'blocks' | 'tabs'>>;

/** Reads the content of one kind of block. */
export type BlockReader = (context: DocumentContext, tree: Tree) => BlockContent;

export function placed<T>(context: Pick<DocumentContext, 'reader'>, tree: Tree, value: T): Placed<T> {
  return { ...context.reader.spotOf(tree), value };
}

/** Reports a placeholder that names no input, or a row where there is none. */
export function checkPlaceholder(context: DocumentContext, tree: Tree, text: string, { row }: ValueScope): void {
  const placeholder = placeholderOf(text);
  if (placeholder === undefined) return;
  if (placeholder.of === 'row') {
    if (row === undefined) context.reader.problem(tree, `uses ${JSON.stringify(text)}, but there is no row here`);
    else row.push(placed(context, tree, placeholder.name));
  } else if (!context.inputs.has(placeholder.name))
    context.reader.problem(tree, `uses ${JSON.stringify(text)}, which is not the name of an input`);
}

/** Reads a literal or a placeholder. Returns the literal; `undefined` for a placeholder. */
export function readValue(context: DocumentContext, tree: Tree, scope: ValueScope): PlainValue | undefined {
  if (tree.kind === 'map') {
    context.reader.problem(tree, 'must be a single value, a list or a placeholder');
    return undefined;
  }
  if (tree.kind === 'list') {
    const items = tree.items.map((item) => readValue(context, item, scope));
    return items.every((item) => item !== undefined) ? items : undefined;
  }
  if (typeof tree.value !== 'string') return exactValue(tree);
  checkPlaceholder(context, tree, tree.value, scope);
  return placeholderOf(tree.value) === undefined ? tree.value : undefined;
}
