/**
 * Finds the fields of a name that an expression reads by a constant: `input.x`, `input["x"]`,
 * `input?.x`. Used for warnings.
 */
import { childrenOf, type Node } from './ast.ts';

export function memberReads(tree: Node, name: string): ReadonlySet<string> {
  const fields = new Set<string>();
  const visit = (node: Node): void => {
    if (node.kind === 'member' && node.base.kind === 'name' && node.base.name === name && node.property.kind === 'string')
      fields.add(node.property.value);
    for (const child of childrenOf(node)) visit(child);
  };
  visit(tree);
  return fields;
}
