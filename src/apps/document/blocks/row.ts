/** Reads a row: blocks side by side. */
import type { BlockReader } from '../context.ts';

export const readRow: BlockReader = ({ reader, readBlocks }, tree) => ({ blocks: readBlocks(reader.itemsAt(tree, 1), true) });
