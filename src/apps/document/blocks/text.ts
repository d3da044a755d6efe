/** Reads a text: Markdown. */
import type { BlockReader } from '../context.ts';

export const readText: BlockReader = ({ reader }, tree) => ({ text: reader.stringAt(tree) });
