/** Reads lists of blocks: the kind of each, its id, and the blocks in rows and tabs. */
import type { PlainMap } from '../../util/text/decimal.ts';
import { type AppBlock, type BlockKind, KINDS, MAX_BLOCKS, MAX_LEVELS } from './app-document.ts';
import { BLOCK_READERS } from './blocks/kinds.ts';
import type { DocumentContext } from './context.ts';
import { atMost, type MapTree, matching, type Tree } from './reader.ts';
import { exactValue } from './source.ts';

const OWN = ['id', 'title', 'note', 'span'];
const ID = /^[a-z][a-z0-9-]{0,30}$/;
const blockId = matching(ID, 'must begin with a lower-case letter and have at most 31 lower-case letters, digits and -');
const MAX_TITLE = 100;
const MAX_NOTE = 500;
const MAX_SPAN = 4;

/** Prefixes of the ids of blocks without one. Rows need none. */
const PREFIXES: Readonly<Partial<Record<BlockKind, string>>> = { row: '', tabs: 'tabs' };
const PREFIX = 'b';

export class BlockList {
  readonly #context: DocumentContext;
  /** Ids that are taken, and the number of blocks that were given one by prefix. */
  readonly #ids = new Set<string>();
  readonly #numbers = new Map<string, number>();
  #count = 0;
  #level = 0;

  constructor(context: Omit<DocumentContext, 'readBlocks'>) {
    this.#context = { ...context, readBlocks: (items, inRow) => this.read(items, inRow) };
  }

  read(items: readonly Tree[], inRow: boolean): readonly AppBlock[] {
    this.#level++;
    const blocks = items.flatMap((item) => this.#block(item, inRow) ?? []);
    this.#level--;
    return blocks;
  }

  #block(tree: Tree, inRow: boolean): AppBlock | undefined {
    const { reader } = this.#context;
    if (++this.#count === MAX_BLOCKS + 1) reader.problem(tree, `is one block too many; there may be ${MAX_BLOCKS}`);
    if (this.#level > MAX_LEVELS) {
      reader.problem(tree, `is nested deeper than ${MAX_LEVELS} levels`);
      return undefined;
    }
    if (tree.kind !== 'map') {
      reader.problem(tree, `must be a mapping with one of ${KINDS.join(', ')}`);
      return undefined;
    }
    const kind = this.#kindOf(tree);
    const content = kind && tree.fields.get(kind);
    const common = this.#common(tree, kind, inRow);
    if (kind === undefined || content === undefined) return undefined;
    const { text, blocks = [], tabs = [] } = BLOCK_READERS[kind](this.#context, content);
    return { kind, ...common, text, blocks, tabs, value: exactValue(tree) as PlainMap };
  }

  #kindOf(tree: MapTree): BlockKind | undefined {
    const { reader } = this.#context;
    const [kind, second] = KINDS.filter((name) => tree.fields.has(name));
    const unknown = [...tree.fields].filter(([name]) => !OWN.includes(name) && !KINDS.some((known) => known === name));
    for (const [, field] of unknown) reader.problem(field, `is neither a kind of block (${KINDS.join(', ')}) nor one of ${OWN.join(', ')}`);
    if (kind === undefined && unknown.length === 0) reader.problem(tree, `must have one of ${KINDS.join(', ')}`);
    const other = second === undefined ? undefined : tree.fields.get(second);
    if (other !== undefined) reader.problem(other, `does not go with ${kind}: a block has one kind`);
    return kind;
  }

  #common(tree: MapTree, kind: BlockKind | undefined, inRow: boolean): Pick<AppBlock, 'id' | 'title' | 'note' | 'span'> {
    const { reader } = this.#context;
    const span = tree.fields.get('span');
    if (span !== undefined && !inRow) reader.problem(span, 'belongs to blocks in a row');
    return {
      id: this.#id(tree, kind),
      title: reader.string(tree, 'title', atMost(MAX_TITLE, 1)),
      note: reader.string(tree, 'note', atMost(MAX_NOTE, 1)),
      span: reader.integer(tree, 'span', 1, MAX_SPAN),
    };
  }

  #id(tree: MapTree, kind: BlockKind | undefined): string | undefined {
    const { reader } = this.#context;
    const written = tree.fields.get('id');
    const id = written === undefined ? this.#nextId(kind) : reader.stringAt(written, blockId);
    if (id === undefined) return undefined;
    if (this.#ids.has(id)) reader.problem(written ?? tree, `has the id ${JSON.stringify(id)} of another block`);
    this.#ids.add(id);
    return id;
  }

  #nextId(kind: BlockKind | undefined): string | undefined {
    const prefix = (kind && PREFIXES[kind]) ?? PREFIX;
    if (prefix === '') return undefined;
    const number = (this.#numbers.get(prefix) ?? 0) + 1;
    this.#numbers.set(prefix, number);
    return `${prefix}${number}`;
  }
}
