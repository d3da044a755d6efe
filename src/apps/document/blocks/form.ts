/** Reads a form as a block of its own. Forms of rows are read with their table. */
import type { BlockReader } from '../context.ts';
import { readForm } from '../forms.ts';

export const readFormBlock: BlockReader = (context, tree) => {
  readForm(context, tree, {});
  return {};
};
